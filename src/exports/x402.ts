/*
 * Exported by the server's package as `nano-gateway/x402`: this part of `@nano-gateway/client`, which by default finds work with all
 * threads of this machine.
 */
import * as client from '../client/index.ts'
import { searchWork } from './search-work.ts'

export type { ExactNanoPayload, ExactNanoRequirements, ExactNanoScheme, WalletOptions } from '../client/index.ts'

export const exactNano = (options: client.WalletOptions): client.ExactNanoScheme =>
  client.exactNano({ findWork: searchWork, ...options })

export const receiveFunds = (options: client.WalletOptions): Promise<bigint> =>
  client.receiveFunds({ findWork: searchWork, ...options })

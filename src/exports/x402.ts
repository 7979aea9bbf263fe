/*
 * The part of `@nano-gateway/client` that the server's package exports as `nano-gateway/x402`. By default it searches
 * for work with all threads of this machine.
 */
import * as client from '../client/index.ts'
import { searchWork } from './search-work.ts'

export type { ExactNanoPayload, ExactNanoRequirements, ExactNanoScheme, WalletOptions } from '../client/index.ts'

export const exactNano = (options: client.WalletOptions): client.ExactNanoScheme =>
  client.exactNano({ findWork: searchWork, ...options })

export const receiveFunds = (options: client.WalletOptions): Promise<bigint> =>
  client.receiveFunds({ findWork: searchWork, ...options })

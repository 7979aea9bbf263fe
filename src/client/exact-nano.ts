import { fromAddress } from '../kernel/nano/address.ts'
import { type StateBlock, toBlockJson } from '../kernel/nano/block.ts'
import { readAmount } from '../kernel/x402/payment-block.ts'
import { ASSET, SCHEME } from '../kernel/x402/wire.ts'
import { type AccountChain, type FindWork, openChain } from './account-chain.ts'
import { AccountSigner } from './account-signer.ts'
import { rpcAt } from './ledger-rpc.ts'
import { searchWork } from './search-work.ts'

export interface WalletOptions {
  /** 64 hexadecimal digits. It signs here and is sent nowhere. */
  privateKey: string
  /** URL of a gateway or a node. The balance that it reports is checked against the block. */
  rpcUrl: string
  /**
   * Finds proof of work; by default this machine searches, because work from a gateway would have to be paid for too.
   */
  findWork?: FindWork
}

export const openOwnChain = ({ privateKey, rpcUrl, findWork = searchWork }: WalletOptions): AccountChain =>
  openChain({ privateKey, rpc: rpcAt(rpcUrl), findWork })

/** The part of a challenge that the scheme reads. */
export interface ExactNanoRequirements {
  network: string
  amount: string
  asset: string
  payTo: string
}

export interface ExactNanoPayload {
  x402Version: number
  payload: { block: Record<string, string> }
}

/** A scheme for `new x402Client().register('nano:mainnet', exactNano({ … }))`. */
export interface ExactNanoScheme {
  readonly scheme: 'exact'
  /** The account that pays. */
  readonly address: string
  createPaymentPayload(x402Version: number, requirements: ExactNanoRequirements): Promise<ExactNanoPayload>
}

/** Pays with one account, one payment at a time: each block contains the hash of the one before. */
export function exactNano(options: WalletOptions): ExactNanoScheme {
  const chain = openOwnChain(options)
  const signer = new AccountSigner(chain)

  const sign = async ({ amount, asset, payTo }: ExactNanoRequirements): Promise<StateBlock> => {
    const link = fromAddress(payTo)
    const raw = readAmount(amount)
    if (link === undefined || raw === undefined || asset !== ASSET) throw new Error('These terms ask for no nano.')
    const block = await signer.signSend(await signer.nextHead(raw), link, raw)
    signer.handOver(block)
    return block
  }

  return {
    scheme: SCHEME,
    address: chain.address,
    async createPaymentPayload(x402Version, requirements) {
      const block = await signer.inTurn(() => sign(requirements))
      return { x402Version, payload: { block: toBlockJson(block) } }
    },
  }
}

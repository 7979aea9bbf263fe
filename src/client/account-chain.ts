import type { Raw } from '../kernel/money.ts'
import { type PublicKey, toAddress } from '../kernel/nano/address.ts'
import { type StateBlock, fromBlockJson, hashBlock, rootOf } from '../kernel/nano/block.ts'
import { isHex } from '../kernel/nano/hex.ts'
import { publicKeyOf, signHash } from '../kernel/nano/keys.ts'
import { WORK_THRESHOLDS } from '../kernel/nano/work.ts'
import type { LedgerRpc } from './ledger-rpc.ts'

/** Finds proof of work of at least this value for the root of a block. */
export type FindWork = (root: string, threshold: bigint) => Promise<string>

interface ChainOptions {
  /** 64 hexadecimal digits. It signs here and is sent nowhere. */
  privateKey: string
  /** The balance that it reports is checked against the block. */
  rpc: LedgerRpc
  findWork: FindWork
}

/** What the next block of an account builds on. */
export interface Head {
  previous: string
  balance: Raw
  representative: PublicKey
}

/** What a block does, which determines how much work it needs. */
export type Subtype = 'send' | 'receive' | 'open' | 'change'

/** One account that signs blocks, based on what it reads from the ledger. */
export interface AccountChain {
  key: PublicKey
  address: string
  rpc: LedgerRpc
  /** Undefined while the account has no block. */
  readHead(): Promise<Head | undefined>
  /** Signs a block and finds its work. */
  seal(draft: Head & { link: string }, subtype?: Subtype): Promise<StateBlock>
}

export function openChain({ privateKey, rpc, findWork }: ChainOptions): AccountChain {
  if (!isHex(privateKey, 64)) throw new TypeError('A private key has 64 hexadecimal digits.')
  const key = publicKeyOf(privateKey)
  const address = toAddress(key)
  return {
    key,
    address,
    rpc,
    async readHead() {
      const { frontier, error } = await rpc('account_info', { account: address })
      if (error === 'Account not found') return undefined
      if (typeof frontier !== 'string') throw new Error(`The ledger did not report the state of ${address}.`)
      return readBlock(rpc, key, frontier)
    },
    async seal({ previous, balance, representative, link }, subtype = 'send') {
      const draft = { type: 'state', account: key, previous, representative, balance, link } as const
      const block: StateBlock = { ...draft, signature: '', work: '' }
      const work = await findWork(rootOf(block), await readThreshold(rpc, subtype))
      return { ...block, signature: signHash(privateKey, hashBlock(block)), work }
    },
  }
}

/**
 * Reads the balance from the block, whose hash is recomputed here. With a balance from the gateway, which may be wrong,
 * the owner could sign the difference away.
 */
async function readBlock(rpc: LedgerRpc, key: PublicKey, hash: string): Promise<Head> {
  const { contents } = await rpc('block_info', { hash, json_block: 'true' })
  const members = (contents ?? {}) as Record<string, string>
  const block = fromBlockJson((name) => (typeof members[name] === 'string' ? members[name] : undefined))
  if (block?.type !== 'state' || block.account !== key || hashBlock(block) !== hash) {
    throw new Error('The newest block of the account cannot be checked.')
  }
  return { previous: hash, balance: block.balance, representative: block.representative }
}

/** Asked of the ledger, because test networks require less; never more than the live network requires. */
async function readThreshold(rpc: LedgerRpc, subtype: Subtype): Promise<bigint> {
  const receives = subtype === 'receive' || subtype === 'open'
  const reported = await rpc('active_difficulty', {})
  const minimum = receives ? reported.network_receive_minimum : reported.network_minimum
  const live = receives ? WORK_THRESHOLDS.live.receive : WORK_THRESHOLDS.live.send
  if (typeof minimum !== 'string' || !isHex(minimum, 16)) return live
  const asked = BigInt(`0x${minimum}`)
  return asked < live ? asked : live
}

import { type Raw, parseRaw } from '../../kernel/money.ts'
import { type PublicKey, fromAddress } from '../../kernel/nano/address.ts'
import { type Block, fromBlockJson, hashBlock, previousOf } from '../../kernel/nano/block.ts'
import { verifyHash } from '../../kernel/nano/keys.ts'
import { epochOfLink } from '../../kernel/nano/network.ts'
import { refusal } from '../../kernel/nano/node-request.ts'
import type { Subtype } from '../records.ts'

/** A block from the forked node, with its hash, signature and balance checked. */
export interface ReportedBlock {
  hash: string
  block: Block
  account: PublicKey
  balance: Raw
  height: number
  timestamp: number
  successor: string
  isConfirmed: boolean
}

/**
 * The error for a false answer. A node can lie unnoticed only about which block is the newest and which sends are open.
 */
export const lie = (what: string) => refusal(`The forked node's answer is wrong: ${what}`)

export type Members = Record<string, unknown>
export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const HASH = /^[0-9A-F]{64}$/

export function readHash(value: unknown, what: string): string {
  if (typeof value !== 'string' || !HASH.test(value)) throw lie(`${what} is not a hash`)
  return value
}

export function readAmount(value: unknown, what: string): Raw {
  const amount = typeof value === 'string' ? parseRaw(value) : undefined
  if (amount === undefined) throw lie(`${what} is not an amount`)
  return amount
}

export function readAccount(value: unknown, what: string): PublicKey {
  const account = typeof value === 'string' ? fromAddress(value) : undefined
  if (account === undefined) throw lie(`${what} is not an account`)
  return account
}

export function readCount(value: unknown, what: string, most = Number.MAX_SAFE_INTEGER): number {
  const count = typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : NaN
  if (!(count <= most)) throw lie(`${what} is not a number`)
  return count
}

/**
 * Reads one block of `blocks_info`. The hash proves what it contains, the signature that the account's owner made it.
 */
export function readReportedBlock(hash: string, reported: unknown, epochSigners: readonly PublicKey[]): ReportedBlock {
  const what = `block ${hash}`
  if (!isMembers(reported) || !isMembers(reported.contents)) throw lie(`${what} has no contents`)
  const { contents } = reported
  const block = fromBlockJson((name) => (typeof contents[name] === 'string' ? contents[name] : undefined))
  if (!block || hashBlock(block) !== hash) throw lie(`${what} has another hash`)
  const account = readAccount(reported.block_account, `the account of ${what}`)
  if ('account' in block && block.account !== account) throw lie(`${what} is of another account`)
  const mayUpgrade = block.type === 'state' && epochOfLink(block.link) !== undefined
  const signers = mayUpgrade ? [account, ...epochSigners] : [account]
  if (!signers.some((key) => verifyHash(key, hash, block.signature))) throw lie(`${what} is not signed`)
  const balance = readAmount(reported.balance, `the balance of ${what}`)
  if ('balance' in block && block.balance !== balance) throw lie(`${what} has another balance`)
  const successor =
    reported.successor === '' ? '0'.repeat(64) : readHash(reported.successor, `the successor of ${what}`)
  return {
    hash,
    block,
    account,
    balance,
    height: readCount(reported.height, `the height of ${what}`),
    timestamp: readCount(reported.local_timestamp, `the time of ${what}`, 9_999_999_999),
    successor,
    isConfirmed: reported.confirmed === 'true',
  }
}

/** The subtype and amount of a block, computed from its balance and the balance before. */
export function effectOf(reported: ReportedBlock, before: Raw): { subtype: Subtype | undefined; amount: Raw } {
  const { block, balance, hash } = reported
  const sends = balance < before
  const amount = (sends ? before - balance : balance - before) as Raw
  if (block.type !== 'state') {
    const fits = block.type === 'send' ? balance <= before : block.type === 'change' ? amount === 0n : !sends
    if (!fits) throw lie(`block ${hash} cannot have this balance`)
    return { subtype: undefined, amount }
  }
  if (sends) return { subtype: 'send', amount }
  if (amount === 0n && epochOfLink(block.link) !== undefined) return { subtype: 'epoch', amount }
  if (/^0{64}$/.test(block.link)) {
    if (amount !== 0n) throw lie(`block ${hash} makes money`)
    return { subtype: 'change', amount }
  }
  return { subtype: 'receive', amount }
}

/** The account that a send pays; undefined for any other block. */
export function destinationOf({ block }: ReportedBlock, subtype: Subtype | undefined): PublicKey | undefined {
  if (block.type === 'send') return block.destination
  return block.type === 'state' && subtype === 'send' ? block.link : undefined
}

/** The hash of the send that a receive has received. */
export function sourceOf(block: Block, subtype: Subtype | undefined): string | undefined {
  if (block.type === 'receive' || block.type === 'open') return block.source
  return block.type === 'state' && subtype === 'receive' ? block.link : undefined
}

export const isFirst = ({ block }: ReportedBlock) => /^0{64}$/.test(previousOf(block))

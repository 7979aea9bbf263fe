import { type Raw, parseRaw } from '../money.ts'
import { type JsonObject, textOf, toObject } from '../shape.ts'
import { type PublicKey, fromAddress, toAddress } from './address.ts'
import { type Block, type StateBlock, fromBlockJson, hashBlock, previousOf, rootOf } from './block.ts'
import { verifyHash } from './keys.ts'
import { workValue } from './work.ts'

/** A send on the ledger. Its amount is computed from its contents, which the hash and the sender's signature prove. */
export interface LedgerSend {
  hash: string
  /** Addresses. */
  from: string
  to: string
  amountRaw: Raw
  /** Height on the sender's chain as reported by a node; 0 if it does not say. */
  height: number
  /** When enough nodes had seen it, in seconds; 0 if they do not say. */
  seconds: number
  /** Whether enough nodes report it as confirmed. */
  isFinal: boolean
  /** Whether it is still receivable; undefined if nodes contradict each other. */
  waits: boolean | undefined
}

/** A block that its owner has signed. */
export interface ProvenBlock {
  block: Block
  account: PublicKey
}

/** A block whose contents match its hash. */
export interface LedgerBlock {
  block: Block
  /** Who has signed it, if that was the account's owner. Epoch blocks are signed by the network. */
  signer: PublicKey | undefined
  /** Whether enough nodes report it as confirmed. */
  isFinal: boolean
  /** How many nodes report it as confirmed, if more than one was asked. */
  confirmedBy: number
}

/** The beginning of the link of an epoch block, which upgrades an account: the text `epoch v`, before a number. */
const EPOCH = '65706F63682076'

/** Whether a block is an upgrade by the network, which does not change the balance. */
export const isEpoch = (block: Block): block is StateBlock => block.type === 'state' && block.link.startsWith(EPOCH)

/** The contents that a node reports for a block, if they match the hash. */
export function readContents(hash: string, contents: unknown): Block | undefined {
  const members = toObject(contents)
  const block = fromBlockJson((name) => {
    const value = members[name]
    return typeof value === 'string' ? value : undefined
  })
  return block && hashBlock(block) === hash ? block : undefined
}

/** A block as a node reports it, if its owner has signed it and it has work. A node could invent everything else. */
export function proveBlock(hash: string, reported: JsonObject, leastWork: bigint): ProvenBlock | undefined {
  const block = readContents(hash, reported.contents)
  if (!block || workValue(rootOf(block), block.work) < leastWork) return undefined
  // An old block does not contain its account. A node names the account, and the signature shows whether that is true.
  const account =
    block.type === 'state' || block.type === 'open' ? block.account : fromAddress(textOf(reported.block_account))
  if (account === undefined || !verifyHash(account, hash, block.signature)) return undefined
  return { block, account }
}

/** The recipient in a block, if it is a send; whether it is one depends on the balance of its predecessor. */
export function receiverOf(block: Block): PublicKey | undefined {
  if (block.type === 'state') return block.link
  return block.type === 'send' ? block.destination : undefined
}

/** The balance after a block; undefined if the block does not state it. */
const balanceOf = (block: Block): Raw | undefined =>
  block.type === 'state' || block.type === 'send' ? block.balance : undefined

/**
 * The amount of a send: the balance of its predecessor minus its own; undefined for any other block. `previous` is what
 * a node reports about the predecessor, whose contents are verified by the hash. Only if that is an old block without a
 * balance, the node has to be trusted.
 */
export function computeAmount(block: Block, previous: JsonObject): Raw | undefined {
  const after = balanceOf(block)
  if (after === undefined) return undefined
  const before = readContents(previousOf(block), previous.contents)
  const balance = before && (balanceOf(before) ?? parseRaw(textOf(previous.balance)))
  return balance !== undefined && balance > after ? ((balance - after) as Raw) : undefined
}

interface Reported {
  amountRaw: Raw
  /** What nodes report in addition to the contents; one of them may lie. */
  reports: readonly JsonObject[]
  /** How many nodes must report the same. */
  least: number
  isFinal: boolean
}

/** A send, with what nodes report about it. */
export function toLedgerSend(
  hash: string,
  { block, account }: ProvenBlock,
  { amountRaw, reports, least, isFinal }: Reported,
): LedgerSend {
  return {
    hash,
    from: toAddress(account),
    to: toAddress(receiverOf(block)!),
    amountRaw,
    height: toCount(reports[0]?.height),
    seconds: seenBy(reports, least),
    isFinal,
    waits: waitsFor(reports, least),
  }
}

/** Whether a send is receivable; undefined unless enough nodes agree. */
export function waitsFor(reports: readonly JsonObject[], least: number): boolean | undefined {
  const waiting = reports.filter(({ receivable }) => receivable === '1').length
  if (waiting >= least) return true
  return reports.length - waiting >= least ? false : undefined
}

/**
 * When enough nodes had seen it. A single lying node can make it neither older nor, if there are enough honest nodes,
 * newer.
 */
function seenBy(reports: readonly JsonObject[], least: number): number {
  const times = reports.map((reported) => toCount(reported.local_timestamp)).filter((seconds) => seconds > 0)
  return times.sort((a, b) => a - b)[Math.min(least, times.length) - 1] ?? 0
}

function toCount(value: unknown): number {
  const count = typeof value === 'string' && value !== '' ? Number(value) : NaN
  return Number.isSafeInteger(count) ? count : 0
}

import { type Raw, parseRaw } from '../money.ts'
import { type JsonObject, textOf, toObject } from '../shape.ts'
import { type PublicKey, fromAddress, toAddress } from './address.ts'
import { type Block, type StateBlock, fromBlockJson, hashBlock, previousOf, rootOf } from './block.ts'
import { verifyHash } from './keys.ts'
import { workValue } from './work.ts'

/** A send on the ledger. What it moves is computed from its contents, which its hash and its sender's signature prove. */
export interface LedgerSend {
  hash: string
  /** Addresses. */
  from: string
  to: string
  amountRaw: Raw
  /** Of the sender's chain: as a node says it, 0 where it does not. */
  height: number
  /** When as many nodes as must agree had seen it, in seconds; 0 where they do not say. */
  seconds: number
  /** Whether as many nodes call it confirmed as must. */
  isFinal: boolean
  /** Whether its receiver has not received it. Undefined where nodes contradict each other. */
  waits: boolean | undefined
}

/** A block that its owner has signed. */
export interface ProvenBlock {
  block: Block
  account: PublicKey
}

/** A block whose contents are those of its hash. */
export interface LedgerBlock {
  block: Block
  /** Who has signed it, if its account has. The network itself signs epochs. */
  signer: PublicKey | undefined
  /** Whether as many nodes call it confirmed as must. */
  isFinal: boolean
  /** How many call it so, where more than one is asked. */
  confirmedBy: number
}

/** How the network marks that it upgrades an account: the text `epoch v`, with a number behind it. */
const EPOCH = '65706F63682076'

/** Whether a block can only be an upgrade by the network: it leaves everything as it was. */
export const isEpoch = (block: Block): block is StateBlock => block.type === 'state' && block.link.startsWith(EPOCH)

/** The contents that a node reports for a block, when they are those of its hash. */
export function readContents(hash: string, contents: unknown): Block | undefined {
  const members = toObject(contents)
  const block = fromBlockJson((name) => {
    const value = members[name]
    return typeof value === 'string' ? value : undefined
  })
  return block && hashBlock(block) === hash ? block : undefined
}

/** What a node reports of a block, when its owner has signed it and it carries work. A node can make up everything else. */
export function proveBlock(hash: string, reported: JsonObject, leastWork: bigint): ProvenBlock | undefined {
  const block = readContents(hash, reported.contents)
  if (!block || workValue(rootOf(block), block.work) < leastWork) return undefined
  // Old kinds of blocks do not name their account: a node names it, and the signature shows whether that is true.
  const account =
    block.type === 'state' || block.type === 'open' ? block.account : fromAddress(textOf(reported.block_account))
  if (account === undefined || !verifyHash(account, hash, block.signature)) return undefined
  return { block, account }
}

/** Whom a block names as the receiver, if it is a send: only its predecessor's balance says whether it is one. */
export function receiverOf(block: Block): PublicKey | undefined {
  if (block.type === 'state') return block.link
  return block.type === 'send' ? block.destination : undefined
}

/** What a block leaves its account with; undefined where its contents do not say. */
const balanceOf = (block: Block): Raw | undefined =>
  block.type === 'state' || block.type === 'send' ? block.balance : undefined

/**
 * What a block sends: its predecessor's balance less its own; undefined for every block that is no send. The predecessor is
 * what a node reports of the block that this one names: its contents prove themselves. Only of old kinds that do not state a
 * balance, the node's word is taken.
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
  /** What nodes add to it, one of which may lie. */
  reports: readonly JsonObject[]
  /** How many must say the same. */
  least: number
  isFinal: boolean
}

/** A send with what nodes add to it. */
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

/** Whether a send waits to be received, when as many nodes say so, or that it does not. */
export function waitsFor(reports: readonly JsonObject[], least: number): boolean | undefined {
  const waiting = reports.filter(({ receivable }) => receivable === '1').length
  if (waiting >= least) return true
  return reports.length - waiting >= least ? false : undefined
}

/** When so many nodes had seen it: a single one makes it neither older nor, beside enough honest ones, newer. */
function seenBy(reports: readonly JsonObject[], least: number): number {
  const times = reports.map((reported) => toCount(reported.local_timestamp)).filter((seconds) => seconds > 0)
  return times.sort((a, b) => a - b)[Math.min(least, times.length) - 1] ?? 0
}

function toCount(value: unknown): number {
  const count = typeof value === 'string' && value !== '' ? Number(value) : NaN
  return Number.isSafeInteger(count) ? count : 0
}

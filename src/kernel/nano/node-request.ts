import { LedgerRefusal } from '../errors.ts'
import { type Raw, parseRaw } from '../money.ts'
import { type PublicKey, fromAddress } from './address.ts'
import { type Block, fromBlockJson, parseHex } from './block.ts'
import {
  type RequestTree,
  UnreadableRequest,
  exceedsDepth,
  findMember,
  parseRequest,
  toUnsigned,
} from './request-tree.ts'

const UINT64_MAX = 2n ** 64n - 1n

/** A request as a node reads it: reads parameters like a node, and has the node's errors for wrong ones. */
export class NodeRequest {
  readonly tree: RequestTree
  /** Set if an account was written with the old separator, which the node then mentions in its answer. */
  usesDeprecatedFormat = false

  constructor(tree: RequestTree) {
    this.tree = tree
  }

  static parse(body: string, membersMax?: number): NodeRequest {
    if (exceedsDepth(body)) throw refusal('Max JSON depth exceeded')
    return new NodeRequest(parseRequest(body, membersMax))
  }

  find(name: string): string | undefined {
    return findMember(this.tree, name)?.text
  }

  has(name: string): boolean {
    return findMember(this.tree, name) !== undefined
  }

  /** A required parameter; if it is missing, a node answers `Unable to parse JSON`. */
  text(name: string): string {
    const text = this.find(name)
    if (text === undefined) throw new UnreadableRequest()
    return text
  }

  /** As in a node, any text other than the four known ones means the default. */
  flag(name: string, fallback = false): boolean {
    const text = this.find(name)?.trim()
    if (text === 'true' || text === '1') return true
    if (text === 'false' || text === '0') return false
    return fallback
  }

  list(name: string): string[] {
    const list = this.findList(name)
    if (list === undefined) throw new UnreadableRequest()
    return list
  }

  findList(name: string): string[] | undefined {
    return findMember(this.tree, name)?.members.map((member) => member.tree.text)
  }

  account(name = 'account'): PublicKey {
    return this.toAccount(this.text(name))
  }

  /** For empty text in a list, a node uses the parameter `account`. */
  toAccount(text: string, error = badAccount): PublicKey {
    const source = text === '' ? this.text('account') : text
    const key = fromAddress(source)
    if (key === undefined) throw error()
    if (source[3] === '-' || source[4] === '-') this.usesDeprecatedFormat = true
    return key
  }

  hash(name = 'hash'): string {
    return toHash(this.text(name), invalidBlockHash)
  }

  /** Counts are unsigned 64-bit numbers; as in a node, a negative one wraps around. */
  count(): bigint {
    const count = toUnsigned(this.text('count'))
    if (count === undefined || count === 0n) throw refusal('Invalid count')
    return count
  }

  countOr(fallback: bigint = UINT64_MAX): bigint {
    return this.#unsigned('count', fallback, 'Invalid count')
  }

  offset(): bigint {
    return this.#unsigned('offset', 0n, 'Invalid offset')
  }

  threshold(): Raw {
    const text = this.find('threshold')
    if (text === undefined) return 0n as Raw
    return toAmount(text, 'Bad threshold number')
  }

  amount(): Raw {
    return toAmount(this.text('amount'), 'Invalid amount number')
  }

  /**
   * The parameter `block`: an object if `json_block` is set, otherwise JSON in a string. `work` is used for a block
   * that has none.
   */
  block(work?: string): Block {
    const tree = this.flag('json_block') ? findMember(this.tree, 'block') : parseInner(this.text('block'))
    if (tree === undefined) throw new UnreadableRequest()
    const block = fromBlockJson((name) => findMember(tree, name)?.text ?? (name === 'work' ? work : undefined))
    if (block === undefined) throw invalidBlock()
    return block
  }

  #unsigned(name: string, fallback: bigint, error: string): bigint {
    const text = this.find(name)
    if (text === undefined) return fallback
    const value = toUnsigned(text)
    if (value === undefined) throw refusal(error)
    return value
  }
}

function parseInner(text: string): RequestTree {
  try {
    return parseRequest(text)
  } catch {
    throw invalidBlock()
  }
}

export function toHash(text: string, error: () => Error): string {
  const hash = parseHex(text, 64)
  if (hash === undefined) throw error()
  return hash
}

/** The node reads empty text as zero. */
function toAmount(text: string, error: string): Raw {
  const amount = text === '' ? (0n as Raw) : parseRaw(text)
  if (amount === undefined) throw refusal(error)
  return amount
}

/** A refusal whose answer is exactly the node's text. */
export class NodeRefusal extends LedgerRefusal {}

export const refusal = (text: string) => new NodeRefusal(text)

/** Errors that several actions use. */
export const badAccount = () => refusal('Bad account number')
export const accountNotFound = () => refusal('Account not found')
export const blockNotFound = () => refusal('Block not found')
export const invalidBlock = () => refusal('Block is invalid')
const invalidBlockHash = () => refusal('Invalid block hash')
export const badHashNumber = () => refusal('Bad hash number')

import { parseRaw } from '../money.ts'
import { fromAddress, toAddress } from './address.ts'
import { type Block, toBlockJson } from './block.ts'
import { isHex } from './hex.ts'
import { readContents } from './ledger-send.ts'
import { FINAL_DURATION, FINAL_TIMESTAMP, VOTE_HASHES_MAX } from './vote.ts'

/**
 * The weight that confirms a block, and the weights of representatives. Nodes report these; a verifier may use its own.
 */
export interface ProofWeights {
  /** Votes with more weight than this confirm a block. */
  quorum_raw: string
  /** The weight of all representatives that vote. */
  online_raw: string
  /** By the address of a representative. */
  weights: Record<string, string>
}

/** Weights, with the nodes that reported them. */
export interface ReportedWeights extends ProofWeights {
  /** The hosts of the nodes. */
  source: string[]
  taken_unix: number
}

/** A proof that the network has confirmed a payment. It can be verified without a node or a gateway. */
export interface PaymentProof extends ReportedWeights {
  version: 1
  from: string
  to: string
  amount_raw: string
  /** The send, and the block before it, whose balance shows how much was sent. */
  block: { hash: string; contents: Record<string, string> }
  previous: { hash: string; contents: Record<string, string> }
  /** Final votes that name the block, one for each representative. */
  votes: { account: string; timestamp: string; duration: string; blocks: string[]; signature: string }[]
  /** Always true: a proof is only made if its votes have more weight than the quorum. */
  complete: true
  /** The checksum of all other members, which reveals a damaged copy but says nothing about who made the proof. */
  checksum: string
}

export interface ReadProof {
  proof: PaymentProof
  block: Block
  previous: Block
}

const VOTES_MAX = 1_000
const SOURCES_MAX = 20
const SOURCE = /^[\w.:[\]-]{1,255}$/
export class Wrong extends Error {
  readonly field: string

  constructor(field: string, what: string) {
    super(`${field} ${what}`)
    this.field = field
  }
}

/** Reads a proof in exactly one form: refuses unknown members and other spellings of a number or a hash. */
export function readProof(value: unknown): ReadProof {
  const proof = asRecord(value, 'proof')
  expectMembers(proof, 'proof', [
    ...['version', 'from', 'to', 'amount_raw', 'block', 'previous', 'votes', 'weights', 'quorum_raw', 'online_raw'],
    ...['source', 'taken_unix', 'complete', 'checksum'],
  ])
  const { version, taken_unix, complete } = proof
  if (version !== 1) throw new Wrong('version', 'is not 1, the only one that this program can verify')
  if (complete !== true) throw new Wrong('complete', 'is not true')
  if (typeof taken_unix !== 'number' || !Number.isSafeInteger(taken_unix) || taken_unix < 0)
    throw new Wrong('taken_unix', 'is not a time')
  const [block, previous] = [readBlock(proof.block, 'block'), readBlock(proof.previous, 'previous')]
  const read: PaymentProof = {
    version: 1,
    from: readAddress(proof.from, 'from'),
    to: readAddress(proof.to, 'to'),
    amount_raw: readAmount(proof.amount_raw, 'amount_raw'),
    block: block.shown,
    previous: previous.shown,
    votes: readList(proof.votes, 'votes', VOTES_MAX).map((vote, index) => readProofVote(vote, `votes[${index}]`)),
    ...readWeights(proof),
    source: readList(proof.source, 'source', SOURCES_MAX).map((source, index) => {
      if (typeof source === 'string' && SOURCE.test(source)) return source
      throw new Wrong(`source[${index}]`, 'is not the name of a host')
    }),
    taken_unix,
    complete,
    checksum: readHex(proof.checksum, 'checksum', 64),
  }
  return { proof: read, block: block.block, previous: previous.block }
}

function readBlock(value: unknown, field: string): { block: Block; shown: PaymentProof['block'] } {
  const shown = asRecord(value, field)
  expectMembers(shown, field, ['hash', 'contents'])
  const hash = readHex(shown.hash, `${field}.hash`, 64)
  const contents = asRecord(shown.contents, `${field}.contents`)
  const block = readContents(hash, contents)
  if (!block) throw new Wrong(`${field}.contents`, `are not those of ${field}.hash`)
  const exact = toBlockJson(block)
  expectMembers(contents, `${field}.contents`, Object.keys(exact))
  for (const [name, text] of Object.entries(exact)) {
    if (contents[name] !== text) throw new Wrong(`${field}.contents.${name}`, `is not ${text}`)
  }
  return { block, shown: { hash, contents: exact } }
}

function readProofVote(value: unknown, field: string): PaymentProof['votes'][number] {
  const vote = asRecord(value, field)
  expectMembers(vote, field, ['account', 'timestamp', 'duration', 'blocks', 'signature'])
  const { timestamp, duration } = vote
  if (timestamp !== FINAL_TIMESTAMP.toString()) throw new Wrong(`${field}.timestamp`, 'is not that of a final vote')
  if (duration !== FINAL_DURATION.toString()) throw new Wrong(`${field}.duration`, 'is not that of a final vote')
  return {
    account: readAddress(vote.account, `${field}.account`),
    timestamp,
    duration,
    blocks: readList(vote.blocks, `${field}.blocks`, VOTE_HASHES_MAX).map((hash, index) =>
      readHex(hash, `${field}.blocks[${index}]`, 64),
    ),
    signature: readHex(vote.signature, `${field}.signature`, 128),
  }
}

/** `owner` is put before the names of fields in refusals. */
export function readWeights(value: Record<string, unknown>, owner = ''): ProofWeights {
  const weights = asRecord(value.weights, `${owner}weights`)
  return {
    weights: Object.fromEntries(
      inOrder(weights).map(([address, weight]) => {
        const field = `${owner}weights.${address}`
        return [readAddress(address, field), readAmount(weight, field)]
      }),
    ),
    quorum_raw: readAmount(value.quorum_raw, `${owner}quorum_raw`),
    online_raw: readAmount(value.online_raw, `${owner}online_raw`),
  }
}

/** A copy may have the members of an object in another order, and the checksum needs a fixed one. */
export const inOrder = <T>(members: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))

export function asRecord(value: unknown, field: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Wrong(field, 'is not an object')
}

function expectMembers(value: Record<string, unknown>, field: string, names: readonly string[]): void {
  for (const name of names) if (!Object.hasOwn(value, name)) throw new Wrong(`${field}.${name}`, 'is missing')
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) throw new Wrong(`${field}.${name}`, 'is not a member of a proof')
  }
}

function readList(value: unknown, field: string, max: number): unknown[] {
  if (Array.isArray(value) && value.length > 0 && value.length <= max) return value
  throw new Wrong(field, 'is not a list, is empty or is too long')
}

function readAddress(value: unknown, field: string): string {
  const key = typeof value === 'string' ? fromAddress(value) : undefined
  if (key !== undefined && toAddress(key) === value) return value
  throw new Wrong(field, 'is not an address')
}

function readAmount(value: unknown, field: string): string {
  const raw = typeof value === 'string' ? parseRaw(value) : undefined
  if (raw !== undefined) return value as string
  throw new Wrong(field, 'is not an amount in raw')
}

function readHex(value: unknown, field: string, digits: number): string {
  if (typeof value === 'string' && isHex(value, digits) && value === value.toUpperCase()) return value
  throw new Wrong(field, `is not ${digits} hexadecimal digits in capital letters`)
}

import { type PublicKey, fromAddress, toAddress } from './address.ts'
import { type Raw, RAW_MAX, parseRaw } from '../money.ts'
import { type Block, previousOf, toBlockJson } from './block.ts'
import { blake2b256 } from './curve-in-use.ts'
import { bytesToHex, isHex } from './hex.ts'
import { verifyHash } from './keys.ts'
import { computeAmount, readContents, receiverOf } from './ledger-send.ts'
import { FINAL_DURATION, FINAL_TIMESTAMP, VOTE_HASHES_MAX, type Vote, verifyVote } from './vote.ts'

/** The weight of a representative, as nodes report it. */
export interface RepresentativeWeight {
  /** Its address. */
  representative: string
  weight_raw: string
}

/** How much weight confirms a block, and who has it. These are the words of nodes: a verifier may bring its own. */
export interface ProofWeights {
  /** Votes of more weight than this confirm a block. */
  quorum_raw: string
  /** The weight of all representatives that vote. */
  online_raw: string
  representatives: RepresentativeWeight[]
}

/** A proof that the network has confirmed a payment. It needs no node and no gateway to be verified. */
export interface PaymentProof {
  version: 1
  from: string
  to: string
  amount_raw: string
  /** The send, and the block before it, whose balance says how much was sent. */
  block: { hash: string; contents: Record<string, string> }
  previous: { hash: string; contents: Record<string, string> }
  /** Final votes that name the block, one for each representative. */
  votes: { representative: string; signature: string; timestamp: string; duration: string; hashes: string[] }[]
  /** `sources` are the nodes that reported the weights, `at` is when they did so, in milliseconds. */
  weights: ProofWeights & { sources: string[]; at: number }
  /** Of everything else, so that a damaged copy is recognised; it says nothing about who made the proof. */
  checksum: string
}

export interface VerifyOptions {
  /** Weights that the verifier trusts, in place of those in the proof. */
  weights?: ProofWeights | undefined
}

/** What a proof comes to. */
export type ProofVerdict =
  | {
      ok: true
      hash: string
      from: string
      to: string
      amount_raw: string
      /** How many representatives have voted, and with which weight. */
      representatives: number
      weight_raw: string
      quorum_raw: string
      /** Of the weight of all representatives that vote, with two decimals. */
      weight_percent: number
      /** Who says what the weights are: the nodes that the proof names, or the verifier. */
      weights_from: 'proof' | 'verifier'
      sources: string[]
      at: number
    }
  | { ok: false; field: string; reason: string }

interface ReadProof {
  proof: PaymentProof
  block: Block
  previous: Block
}

const VOTES_MAX = 1_000
const SOURCES_MAX = 20
const SOURCE = /^[\w.:[\]-]{1,255}$/
/** The network's own rule: a quorum is at least this part of the weight that votes. */
const QUORUM_PERCENT = 67n

/** What is wrong with a proof. */
class Wrong extends Error {
  readonly field: string

  constructor(field: string, what: string) {
    super(`${field} ${what}`)
    this.field = field
  }
}

/** A proof with what is computed from it, from a send and the final votes for it; undefined when it would not verify. */
export function makeProof(made: {
  send: { hash: string; block: Block; account: PublicKey }
  previous: { block: Block }
  votes: readonly Vote[]
  weights: PaymentProof['weights']
}): PaymentProof | undefined {
  const { send, previous, votes } = made
  const { quorum_raw, online_raw, representatives, sources, at } = made.weights
  const contents = toBlockJson(previous.block)
  const amountRaw = computeAmount(send.block, { contents })
  const to = receiverOf(send.block)
  if (amountRaw === undefined || to === undefined) return undefined
  const unsummed: Omit<PaymentProof, 'checksum'> = {
    version: 1,
    from: toAddress(send.account),
    to: toAddress(to),
    amount_raw: amountRaw.toString(),
    block: { hash: send.hash, contents: toBlockJson(send.block) },
    previous: { hash: previousOf(send.block), contents },
    votes: votes.map(({ representative, signature, timestamp, duration, hashes }) => ({
      representative: toAddress(representative),
      signature,
      timestamp: timestamp.toString(),
      duration: duration.toString(),
      hashes: [...hashes],
    })),
    // In the order in which they are read, for the checksum.
    weights: {
      quorum_raw,
      online_raw,
      representatives: representatives.map(({ representative, weight_raw }) => ({ representative, weight_raw })),
      sources,
      at,
    },
  }
  const proof = { ...unsummed, checksum: checksumOf(unsummed) }
  return verifyProof(proof).ok ? proof : undefined
}

/**
 * Verifies a proof: computes everything in it anew, and adds up the weight of the representatives whose final votes name the
 * block. Trusts nothing in the proof but the weights, unless the verifier brings its own.
 */
export function verifyProof(proof: unknown, { weights: own }: VerifyOptions = {}): ProofVerdict {
  try {
    return verify(
      readProof(proof),
      own === undefined ? undefined : readWeights(asRecord(own, 'own weights'), 'own weights'),
    )
  } catch (error) {
    if (error instanceof Wrong) return { ok: false, field: error.field, reason: error.message }
    throw error
  }
}

/** What a proof comes to, in a sentence for people. */
export function describeVerdict(verdict: ProofVerdict): string {
  if (!verdict.ok) return `Not proved: ${verdict.reason}.`
  const { representatives: count, weight_percent: percent } = verdict
  return `This payment is proved by ${count} ${count === 1 ? 'representative' : 'representatives'} with ${percent} % of the weight.`
}

function verify({ proof, block, previous }: ReadProof, own: ProofWeights | undefined): ProofVerdict {
  const { checksum, ...rest } = proof
  if (checksum !== checksumOf(rest)) throw new Wrong('checksum', 'is not that of this proof: it was changed')
  verifySend(proof, block, previous)
  const voters = verifyVotes(proof)
  const { sources, at } = proof.weights
  const weights = own ?? proof.weights
  const [quorum, online] = [BigInt(weights.quorum_raw), BigInt(weights.online_raw)]
  if (online === 0n) throw new Wrong('weights.online_raw', 'is zero')
  if (quorum < (online * QUORUM_PERCENT) / 100n)
    throw new Wrong('weights.quorum_raw', `is less than ${QUORUM_PERCENT} % of weights.online_raw`)
  let weight = 0n
  let representatives = 0
  for (const [index, one] of weights.representatives.entries()) {
    const named = fromAddress(one.representative)!
    // A list of the verifier names all representatives; that of a proof names its voters.
    if (!own && !voters.has(named))
      throw new Wrong(`weights.representatives[${index}].representative`, 'has no vote in this proof')
    if (!voters.delete(named)) continue
    weight += BigInt(one.weight_raw)
    representatives++
  }
  if (!own && voters.size > 0)
    throw new Wrong('weights.representatives', 'does not name every representative that voted')
  if (weight > RAW_MAX) throw new Wrong('weights.representatives', 'have more weight than there is')
  if (weight <= quorum)
    throw new Wrong('votes', `have a weight of ${weight} raw, and more than ${quorum} are needed (weights.quorum_raw)`)
  return {
    ok: true,
    hash: proof.block.hash,
    from: proof.from,
    to: proof.to,
    amount_raw: proof.amount_raw,
    representatives,
    weight_raw: weight.toString(),
    quorum_raw: quorum.toString(),
    weight_percent: Number((weight * 10_000n) / online) / 100,
    weights_from: own ? 'verifier' : 'proof',
    sources,
    at,
  }
}

/** The sender has signed the block, and amount and receiver follow from it; that its contents are those of its hash was read. */
function verifySend({ from, to, amount_raw, ...named }: PaymentProof, block: Block, previous: Block): void {
  const sender = fromAddress(from)!
  if (block.type === 'state' && block.account !== sender) throw new Wrong('from', 'is not the account of the block')
  if (!verifyHash(sender, named.block.hash, block.signature))
    throw new Wrong('block.contents.signature', 'is not the signature of the sender')
  if (previousOf(block) !== named.previous.hash) throw new Wrong('previous.hash', 'is not the block before this one')
  // A legacy block without a balance proves no amount.
  const amount = computeAmount(block, { contents: toBlockJson(previous) })
  const receiver = receiverOf(block)
  if (amount === undefined || receiver === undefined) throw new Wrong('block', 'does not send an amount that is proved')
  if (amount.toString() !== amount_raw) throw new Wrong('amount_raw', `is not what the block sends, ${amount}`)
  if (toAddress(receiver) !== to) throw new Wrong('to', 'is not the receiver of the block')
}

/** Every vote, final as it was read, names the block, is signed by its representative, and is the only one of it. */
function verifyVotes({ block: { hash }, votes }: PaymentProof): Set<PublicKey> {
  const voters = new Set<PublicKey>()
  for (const [index, { representative, signature, hashes }] of votes.entries()) {
    const field = `votes[${index}]`
    const vote: Vote = {
      representative: fromAddress(representative)!,
      signature,
      timestamp: FINAL_TIMESTAMP,
      duration: FINAL_DURATION,
      hashes,
    }
    if (!hashes.includes(hash)) throw new Wrong(`${field}.hashes`, 'do not name the block')
    if (voters.has(vote.representative))
      throw new Wrong(`${field}.representative`, 'has voted already: each representative counts once')
    if (!verifyVote(vote)) throw new Wrong(`${field}.signature`, 'is not that of its representative over this vote')
    voters.add(vote.representative)
  }
  return voters
}

/** Over the members in the order in which they are read, however a copy has ordered them. */
function checksumOf(proof: Omit<PaymentProof, 'checksum'>): string {
  return bytesToHex(blake2b256(new TextEncoder().encode(JSON.stringify(proof))))
}

/** Reads a proof in exactly one form: other members, other spellings of a number or a hash are refused. */
function readProof(value: unknown): ReadProof {
  const proof = asRecord(value, 'proof')
  expectMembers(proof, 'proof', [
    ...['version', 'from', 'to', 'amount_raw', 'block', 'previous', 'votes', 'weights', 'checksum'],
  ])
  if (proof.version !== 1) throw new Wrong('version', 'is not 1, the only one that this program can verify')
  const weights = asRecord(proof.weights, 'weights')
  expectMembers(weights, 'weights', ['quorum_raw', 'online_raw', 'sources', 'at', 'representatives'])
  const { at } = weights
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0) throw new Wrong('weights.at', 'is not a time')
  const [block, previous] = [readBlock(proof.block, 'block'), readBlock(proof.previous, 'previous')]
  const read: PaymentProof = {
    version: 1,
    from: readAddress(proof.from, 'from'),
    to: readAddress(proof.to, 'to'),
    amount_raw: readAmount(proof.amount_raw, 'amount_raw'),
    block: block.shown,
    previous: previous.shown,
    votes: readList(proof.votes, 'votes', VOTES_MAX).map((vote, index) => readProofVote(vote, `votes[${index}]`)),
    weights: {
      ...readWeights(weights, 'weights'),
      sources: readList(weights.sources, 'weights.sources', SOURCES_MAX).map((source, index) => {
        if (typeof source === 'string' && SOURCE.test(source)) return source
        throw new Wrong(`weights.sources[${index}]`, 'is not the name of a host')
      }),
      at,
    },
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
  expectMembers(vote, field, ['representative', 'signature', 'timestamp', 'duration', 'hashes'])
  const { timestamp, duration } = vote
  if (timestamp !== FINAL_TIMESTAMP.toString()) throw new Wrong(`${field}.timestamp`, 'is not that of a final vote')
  if (duration !== FINAL_DURATION.toString()) throw new Wrong(`${field}.duration`, 'is not that of a final vote')
  return {
    representative: readAddress(vote.representative, `${field}.representative`),
    signature: readHex(vote.signature, `${field}.signature`, 128),
    timestamp,
    duration,
    hashes: readList(vote.hashes, `${field}.hashes`, VOTE_HASHES_MAX).map((hash, index) =>
      readHex(hash, `${field}.hashes[${index}]`, 64),
    ),
  }
}

function readWeights(weights: Record<string, unknown>, field: string): ProofWeights {
  const seen = new Set<string>()
  return {
    quorum_raw: readAmount(weights.quorum_raw, `${field}.quorum_raw`),
    online_raw: readAmount(weights.online_raw, `${field}.online_raw`),
    representatives: readList(weights.representatives, `${field}.representatives`, Infinity).map((value, index) => {
      const place = `${field}.representatives[${index}]`
      const one = asRecord(value, place)
      expectMembers(one, place, ['representative', 'weight_raw'])
      const representative = readAddress(one.representative, `${place}.representative`)
      if (seen.has(representative)) throw new Wrong(`${place}.representative`, 'is named twice')
      seen.add(representative)
      return { representative, weight_raw: readAmount(one.weight_raw, `${place}.weight_raw`) }
    }),
  }
}

function asRecord(value: unknown, field: string): Record<string, unknown> {
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
  const raw: Raw | undefined = typeof value === 'string' ? parseRaw(value) : undefined
  if (raw !== undefined) return value as string
  throw new Wrong(field, 'is not an amount in raw')
}

function readHex(value: unknown, field: string, digits: number): string {
  if (typeof value === 'string' && isHex(value, digits) && value === value.toUpperCase()) return value
  throw new Wrong(field, `is not ${digits} hexadecimal digits in capital letters`)
}

import { type PublicKey, fromAddress, toAddress } from './address.ts'
import { RAW_MAX } from '../money.ts'
import { type Block, previousOf, toBlockJson } from './block.ts'
import { blake2b256 } from './signatures.ts'
import { bytesToHex } from './hex.ts'
import { verifyHash } from './keys.ts'
import { computeAmount, receiverOf } from './ledger-send.ts'
import {
  type PaymentProof,
  type ProofWeights,
  type ReadProof,
  type ReportedWeights,
  Wrong,
  asRecord,
  inOrder,
  readProof,
  readWeights,
} from './read-proof.ts'
import { FINAL_DURATION, FINAL_TIMESTAMP, type Vote, verifyVote } from './vote.ts'

export type { PaymentProof, ProofWeights } from './read-proof.ts'

export interface VerifyOptions {
  /** Weights that the verifier trusts, used instead of those in the proof. */
  weights?: ProofWeights | undefined
}

/** The result of a verification. */
export type ProofVerdict =
  | {
      ok: true
      hash: string
      from: string
      to: string
      amount_raw: string
      /** How many representatives voted. */
      representatives: number
      weight_raw: string
      quorum_raw: string
      /** Their share of the weight of all voting representatives, with two decimals. */
      weight_percent: number
      /** Where the weights come from: the nodes that the proof names, or the verifier. */
      weights_from: 'proof' | 'verifier'
      source: string[]
      taken_unix: number
    }
  | { ok: false; field: string; reason: string }

/** As on the network itself, a quorum is at least this percentage of the voting weight. */
const QUORUM_PERCENT = 67n

/** Makes a proof from a send and the final votes for it; undefined if it would not verify. */
export function makeProof(made: {
  send: { hash: string; block: Block; account: PublicKey }
  previous: { block: Block }
  votes: readonly Vote[]
  reported: ReportedWeights
}): PaymentProof | undefined {
  const { send, previous, votes } = made
  const { weights, quorum_raw, online_raw, source, taken_unix } = made.reported
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
      account: toAddress(representative),
      timestamp: timestamp.toString(),
      duration: duration.toString(),
      blocks: [...hashes],
      signature,
    })),
    weights: Object.fromEntries(inOrder(weights)),
    quorum_raw,
    online_raw,
    source,
    taken_unix,
    complete: true,
  }
  const proof = { ...unsummed, checksum: checksumOf(unsummed) }
  return verifyProof(proof).ok ? proof : undefined
}

/**
 * Verifies a proof: computes everything in it again, and adds the weights of representatives whose final votes name the
 * block. Trusts only the weights in the proof, and not even those if the verifier provides its own.
 */
export function verifyProof(proof: unknown, { weights: own }: VerifyOptions = {}): ProofVerdict {
  try {
    return verify(
      readProof(proof),
      own === undefined ? undefined : readWeights(asRecord(own, 'own weights'), 'own weights.'),
    )
  } catch (error) {
    if (error instanceof Wrong) return { ok: false, field: error.field, reason: error.message }
    throw error
  }
}

/** The verdict in a sentence for people. */
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
  const { source, taken_unix } = proof
  const { weights, ...needed } = own ?? proof
  const [quorum, online] = [BigInt(needed.quorum_raw), BigInt(needed.online_raw)]
  if (online === 0n) throw new Wrong('online_raw', 'is zero')
  if (quorum < (online * QUORUM_PERCENT) / 100n)
    throw new Wrong('quorum_raw', `is less than ${QUORUM_PERCENT} % of online_raw`)
  let weight = 0n
  let representatives = 0
  for (const [address, raw] of Object.entries(weights)) {
    const named = fromAddress(address)!
    // The verifier's weights include all representatives, but those in a proof only its voters.
    if (!own && !voters.has(named)) throw new Wrong(`weights.${address}`, 'has no vote in this proof')
    if (!voters.delete(named)) continue
    weight += BigInt(raw)
    representatives++
  }
  if (!own && voters.size > 0) throw new Wrong('weights', 'do not name every representative that voted')
  if (weight > RAW_MAX) throw new Wrong('weights', 'are more than there is')
  if (weight <= quorum)
    throw new Wrong('votes', `have a weight of ${weight} raw, and more than ${quorum} are needed (quorum_raw)`)
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
    source,
    taken_unix,
  }
}

/**
 * Checks that the sender has signed the block, and that amount and recipient follow from it. The hash was checked by
 * the reader.
 */
function verifySend({ from, to, amount_raw, ...named }: PaymentProof, block: Block, previous: Block): void {
  const sender = fromAddress(from)!
  if (block.type === 'state' && block.account !== sender) throw new Wrong('from', 'is not the account of the block')
  if (!verifyHash(sender, named.block.hash, block.signature))
    throw new Wrong('block.contents.signature', 'is not the signature of the sender')
  if (previousOf(block) !== named.previous.hash) throw new Wrong('previous.hash', 'is not the block before this one')
  // A legacy block without a balance cannot prove an amount.
  const amount = computeAmount(block, { contents: toBlockJson(previous) })
  const receiver = receiverOf(block)
  if (amount === undefined || receiver === undefined) throw new Wrong('block', 'does not send an amount that is proved')
  if (amount.toString() !== amount_raw) throw new Wrong('amount_raw', `is not what the block sends, ${amount}`)
  if (toAddress(receiver) !== to) throw new Wrong('to', 'is not the receiver of the block')
}

/**
 * Checks that every vote names the block and is signed, and that no representative votes twice. The reader has checked
 * that all votes are final.
 */
function verifyVotes({ block: { hash }, votes }: PaymentProof): Set<PublicKey> {
  const voters = new Set<PublicKey>()
  for (const [index, { account, signature, blocks }] of votes.entries()) {
    const field = `votes[${index}]`
    const vote: Vote = {
      representative: fromAddress(account)!,
      signature,
      timestamp: FINAL_TIMESTAMP,
      duration: FINAL_DURATION,
      hashes: blocks,
    }
    if (!blocks.includes(hash)) throw new Wrong(`${field}.blocks`, 'do not name the block')
    if (voters.has(vote.representative))
      throw new Wrong(`${field}.account`, 'has voted already: each representative counts once')
    if (!verifyVote(vote)) throw new Wrong(`${field}.signature`, 'is not that of its representative over this vote')
    voters.add(vote.representative)
  }
  return voters
}

/** The checksum covers the members in the reader's order, whatever their order in the file. */
function checksumOf(proof: Omit<PaymentProof, 'checksum'>): string {
  return bytesToHex(blake2b256(new TextEncoder().encode(JSON.stringify(proof))))
}

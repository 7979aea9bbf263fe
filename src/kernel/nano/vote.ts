import { type PublicKey, fromAddress } from './address.ts'
import { blake2b256 } from './signatures.ts'
import { bytesToHex, hexToBytes, isHex } from './hex.ts'
import { verifyHash } from './keys.ts'

/** A representative's vote for blocks, in the form that it signs. */
export interface Vote {
  representative: PublicKey
  /** 128 hexadecimal digits. */
  signature: string
  /** Milliseconds; in a final vote all 64 bits are set. */
  timestamp: bigint
  /** The last four bits of the signed time. */
  duration: number
  hashes: readonly string[]
}

export const FINAL_TIMESTAMP = 2n ** 64n - 1n
export const FINAL_DURATION = 15
/** The most blocks that one vote can name. */
export const VOTE_HASHES_MAX = 255

const DECIMAL = /^(?:0|[1-9][0-9]{0,154})$/
const PREFIX = new TextEncoder().encode('vote ')

/** Reads a websocket message of the topic `vote`, whose signature is a decimal number. */
export function readVote(message: unknown): Vote | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { account, signature, timestamp, duration, blocks } = message as Record<string, unknown>
  const representative = typeof account === 'string' ? fromAddress(account) : undefined
  const [signed, time, length] = [signature, timestamp, duration].map(toNumber)
  if (representative === undefined || signed === undefined || time === undefined || length === undefined)
    return undefined
  if (signed >= 2n ** 512n || time > FINAL_TIMESTAMP || length > FINAL_DURATION) return undefined
  if (!Array.isArray(blocks) || blocks.length === 0 || blocks.length > VOTE_HASHES_MAX) return undefined
  if (!blocks.every((hash) => typeof hash === 'string' && isHex(hash, 64))) return undefined
  return {
    representative,
    signature: signed.toString(16).padStart(128, '0').toUpperCase(),
    timestamp: time,
    duration: Number(length),
    hashes: (blocks as string[]).map((hash) => hash.toUpperCase()),
  }
}

const toNumber = (value: unknown) => (typeof value === 'string' && DECIMAL.test(value) ? BigInt(value) : undefined)

/** The signature of a vote in the form of a node's websocket. */
export const toDecimalSignature = (signature: string) => BigInt(`0x${signature}`).toString()

/** The hash that a representative signs. */
export function hashVote({ hashes, timestamp, duration }: Omit<Vote, 'representative' | 'signature'>): string {
  const bytes = new Uint8Array(PREFIX.length + hashes.length * 32 + 8)
  bytes.set(PREFIX)
  for (const [at, hash] of hashes.entries()) bytes.set(hexToBytes(hash), PREFIX.length + at * 32)
  const packed = (timestamp & ~0xfn) | BigInt(duration)
  new DataView(bytes.buffer).setBigUint64(bytes.length - 8, packed, true)
  return bytesToHex(blake2b256(bytes))
}

/** Whether the vote is final: the representative can never vote for another block with the same root. */
export const isFinalVote = ({ timestamp, duration }: Pick<Vote, 'timestamp' | 'duration'>) =>
  timestamp === FINAL_TIMESTAMP && duration === FINAL_DURATION

export const verifyVote = (vote: Vote) => verifyHash(vote.representative, hashVote(vote), vote.signature)

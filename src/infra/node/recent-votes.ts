import { FINAL_TIMESTAMP, VOTE_HASHES_MAX } from '../../kernel/nano/vote.ts'
import type { Clock } from '../../kernel/ports.ts'

/**
 * Votes arrive before the confirmation. After this time the confirmation has arrived, and enough nodes have been asked
 * about it.
 */
const KEPT_FOR = 30_000
const BYTES_MAX = 8 * 1024 * 1024
/** The length of a vote with the most possible hashes, each on its own line. */
const FRAME_LENGTH_MAX = 32 * 1024
/** Memory of a frame in addition to its text, and of each of its hashes. */
const FRAME_BYTES = 200
const HASH_BYTES = 150

const IS_VOTE = /^\s*\{\s*"topic"\s*:\s*"vote"/
const IS_FINAL = `"${FINAL_TIMESTAMP}"`
const HASH = /"([0-9A-F]{64})"/g

interface Frame {
  text: string
  hashes: readonly string[]
  at: number
  bytes: number
}

/** Recognises a vote by the first bytes of a frame, because most frames are not needed and need no parsing. */
export const isVoteFrame = (text: string) => IS_VOTE.test(text.slice(0, 64))

/** The hashes in a frame, if it is a final vote. */
export function scanFinalVote(text: string): string[] {
  if (text.length > FRAME_LENGTH_MAX || !text.includes(IS_FINAL)) return []
  const hashes: string[] = []
  for (const [, hash] of text.matchAll(HASH)) if (hashes.push(hash!) === VOTE_HASHES_MAX) break
  return hashes
}

/**
 * The recent final votes of one node, as text, by the blocks that they name. If there are too many, the oldest are
 * dropped.
 */
export class RecentVotes {
  readonly #clock: Clock
  readonly #bytesMax: number
  readonly #frames = new Set<Frame>()
  readonly #byHash = new Map<string, Set<Frame>>()
  #bytes = 0

  constructor(clock: Clock, bytesMax = BYTES_MAX) {
    this.#clock = clock
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  add(text: string, hashes: readonly string[]): void {
    const frame = { text, hashes, at: this.#clock.now(), bytes: text.length + FRAME_BYTES + HASH_BYTES * hashes.length }
    this.#frames.add(frame)
    this.#bytes += frame.bytes
    for (const hash of hashes) {
      const named = this.#byHash.get(hash)
      if (named) named.add(frame)
      else this.#byHash.set(hash, new Set([frame]))
    }
    for (const old of this.#frames) {
      if (this.#bytes <= this.#bytesMax && frame.at - old.at <= KEPT_FOR) break
      this.#drop(old)
    }
  }

  listFor(hash: string): string[] {
    return [...(this.#byHash.get(hash) ?? [])].map(({ text }) => text)
  }

  #drop(frame: Frame): void {
    this.#frames.delete(frame)
    this.#bytes -= frame.bytes
    for (const hash of frame.hashes) {
      const named = this.#byHash.get(hash)
      if (named?.delete(frame) && named.size === 0) this.#byHash.delete(hash)
    }
  }
}

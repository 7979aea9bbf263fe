import { Leaving } from '../kernel/leaving.ts'
import { WORK_THRESHOLDS, formatWork, fromMultiplier, workValue } from '../kernel/nano/work.ts'
import type { Random } from '../kernel/ports.ts'

/** A chunk takes about a millisecond; between chunks the event loop runs. */
const CHUNK = 128

/** Up to 64 times the work of a send on the dev network, any machine searches less than a second. */
const EASY_MAX = fromMultiplier(64, WORK_THRESHOLDS.dev.send)

/** Searches for work; undefined when the search was cancelled. */
export type WorkSearch = (root: string, difficulty: bigint, leaving: Leaving) => Promise<string | undefined>

/** Searches requested at the ledger's own port; each can be cancelled. */
export class WorkSearches {
  readonly #easy: WorkSearch
  readonly #running = new Map<string, Set<Leaving>>()
  #hard: WorkSearch

  constructor(random: Random) {
    this.#easy = (root, difficulty, leaving) => searchWork(random, root, difficulty, leaving)
    this.#hard = this.#easy
  }

  /** Uses a faster source for longer searches. */
  searchWith(search: WorkSearch): void {
    this.#hard = search
  }

  async find(root: string, difficulty: bigint): Promise<string | undefined> {
    const leaving = new Leaving()
    const searches = this.#running.get(root) ?? new Set()
    this.#running.set(root, searches.add(leaving))
    try {
      return await (difficulty > EASY_MAX ? this.#hard : this.#easy)(root, difficulty, leaving)
    } finally {
      searches.delete(leaving)
      if (searches.size === 0) this.#running.delete(root)
    }
  }

  cancel(root: string): void {
    for (const search of this.#running.get(root) ?? []) search.leave()
  }

  cancelAll(): void {
    for (const root of [...this.#running.keys()]) this.cancel(root)
  }
}

/** Searches in the ledger's own thread; a send on the dev network takes about a thousand tries. */
async function searchWork(
  random: Random,
  root: string,
  difficulty: bigint,
  leaving: Leaving,
): Promise<string | undefined> {
  let nonce = Buffer.from(random.bytes(8)).readBigUInt64LE()
  while (!leaving.left) {
    for (let tries = 0; tries < CHUNK; tries++) {
      const work = formatWork(nonce)
      if (workValue(root, work) >= difficulty) return work
      nonce = BigInt.asUintN(64, nonce + 1n)
    }
    await new Promise<void>((resolve) => {
      setImmediate(resolve)
    })
  }
  return undefined
}

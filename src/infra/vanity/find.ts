import { Worker } from 'node:worker_threads'
import { AppError } from '../../kernel/errors.ts'
import type { Vanity } from '../../kernel/key-vault.ts'
import type { Leaving } from '../../kernel/leaving.ts'
import { type PublicKey, toAddress } from '../../kernel/nano/address.ts'
import { bytesToHex } from '../../kernel/nano/hex.ts'
import { type ScalarKey, publicKeyOfScalar } from '../../kernel/nano/keys.ts'
import type { Clock, Random } from '../../kernel/ports.ts'
import { systemClock } from '../clock.ts'
import { isVanityPrefix, toPattern, toStart } from './walk.ts'

/** Vanity searches of this process: a few at a time, and accounts take turns. */
export function openVanity({ random, clock }: { random: Random; clock: Clock }): Vanity {
  const turns = new VanityTurns(clock)
  return {
    find: ({ payer, prefix, timeLimitMilliseconds, leaving }) =>
      turns.take({ payer, waitMilliseconds: timeLimitMilliseconds, leaving }, async () => {
        const abort = new AbortController()
        const stay = leaving.onLeave(() => abort.abort())
        try {
          return await findVanity({ prefix, timeLimitMilliseconds, random, clock, signal: abort.signal })
        } finally {
          stay()
        }
      }),
  }
}

export interface VanityRequest {
  /** The beginning of the address, after `nano_`. */
  prefix: string
  timeLimitMilliseconds: number
  random: Random
  /** 1 by default, so that the search does not take the machine from other work. */
  threads?: number
  /** Aborts when the caller has left. */
  signal?: AbortSignal
  clock?: Clock
}

/** A key that signs, but that comes from no seed or private key: other wallets cannot import it. */
interface VanityKey extends ScalarKey {
  publicKey: PublicKey
}

/** Finds a key whose address begins with the prefix; undefined when time ran out or the caller has left. */
export async function findVanity(request: VanityRequest): Promise<VanityKey | undefined> {
  const { prefix, timeLimitMilliseconds, random, threads = 1, signal, clock = systemClock } = request
  if (!isVanityPrefix(prefix)) throw new RangeError('No address can begin like this.')
  if (signal?.aborted) return undefined

  const { promise, resolve, reject } = Promise.withResolvers<bigint | undefined>()
  const giveUp = () => resolve(undefined)
  const cancelTimer = clock.after(timeLimitMilliseconds, giveUp)
  signal?.addEventListener('abort', giveUp)
  const workers: Worker[] = []
  try {
    while (workers.length < threads) {
      // Each thread has a start of its own: with the same start they would find the same.
      const worker = startWorker({ start: toStart(random.bytes(64)), pattern: toPattern(prefix) })
      worker.on('message', resolve)
      worker.on('error', reject)
      worker.on('exit', () => reject(new Error('The vanity thread ended.')))
      workers.push(worker)
    }
    const scalar = await promise
    return scalar === undefined ? undefined : toKey(scalar, prefix, random)
  } finally {
    cancelTimer()
    signal?.removeEventListener('abort', giveUp)
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

function startWorker(workerData: unknown): Worker {
  // The worker is the file beside this one, compiled or as source.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./search-worker.${extension}`, import.meta.url), {
    workerData,
    // Its numbers live for a millisecond: a large young generation would only occupy memory.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
}

/** Money will be sent to this key, so it is derived once more by other code than the one that found it. */
function toKey(scalar: bigint, prefix: string, random: Random): VanityKey {
  const bytes = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse()
  const key = { scalar: bytesToHex(bytes), prefix: bytesToHex(random.bytes(32)) }
  const publicKey = publicKeyOfScalar(key.scalar)
  if (!toAddress(publicKey).startsWith(`nano_${prefix}`)) throw new Error('The vanity search found another key.')
  return { ...key, publicKey }
}

/** Searches at once: each takes a thread for up to half a minute. */
const RUNNING_MAX = 2
const WAITING_MAX = 100

interface Waiting {
  payer: string
  begin(): void
}

/**
 * Which search is next. An account has one search at a time and its others wait, so that one account never takes every
 * place; of the waiting ones, the first whose account has none running begins.
 */
export class VanityTurns {
  readonly #clock: Clock
  readonly #running = new Set<string>()
  #waiting: Waiting[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs a search when it is its turn, or refuses when that takes too long; undefined when its caller has left. */
  async take<T>(
    { payer, waitMilliseconds, leaving }: { payer: string; waitMilliseconds: number; leaving: Leaving },
    search: () => Promise<T>,
  ): Promise<T | undefined> {
    if (!(await this.#turn(payer, waitMilliseconds, leaving))) return undefined
    try {
      return await search()
    } finally {
      this.#running.delete(payer)
      this.#next()
    }
  }

  /** False when the caller has left meanwhile. */
  #turn(payer: string, waitMilliseconds: number, leaving: Leaving): Promise<boolean> {
    const busy = () =>
      new AppError('overloaded', 'Too many vanity searches are running.', {
        retryAfterSeconds: waitMilliseconds / 1_000,
      })
    if (this.#waiting.length >= WAITING_MAX) return Promise.reject(busy())
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const waiting: Waiting = { payer, begin: () => resolve(true) }
    const giveUp = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting)
    }
    const cancelTimer = this.#clock.after(waitMilliseconds, () => {
      giveUp()
      reject(busy())
    })
    const stay = leaving.onLeave(() => {
      giveUp()
      resolve(false)
    })
    this.#waiting.push(waiting)
    this.#next()
    return promise.finally(() => {
      cancelTimer()
      stay()
    })
  }

  #next(): void {
    while (this.#running.size < RUNNING_MAX) {
      const next = this.#waiting.find(({ payer }) => !this.#running.has(payer))
      if (!next) return
      this.#waiting = this.#waiting.filter((other) => other !== next)
      this.#running.add(next.payer)
      next.begin()
    }
  }
}

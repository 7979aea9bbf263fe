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

/** The vanity searches of this process: a few run at once, and accounts take turns. */
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
  /** How the address begins after `nano_`. */
  prefix: string
  timeLimitMilliseconds: number
  random: Random
  /** By default 1, so that other work is not slowed down. */
  threads?: number
  /** Aborted when the caller has left. */
  signal?: AbortSignal
  clock?: Clock
}

/** A key that can sign but was derived from no seed or private key, so other wallets cannot import it. */
interface VanityKey extends ScalarKey {
  publicKey: PublicKey
}

/** Finds a key whose address begins with the prefix; undefined if time has run out or the caller has left. */
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
      // Each thread has its own start; otherwise all would find the same key.
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
  // The worker is the file beside this one, either compiled or source.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./search-worker.${extension}`, import.meta.url), {
    workerData,
    // Its numbers are short-lived, so a larger young generation would only occupy memory.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
}

/** Money will be sent to this key, so other code than the search derives its address once more. */
function toKey(scalar: bigint, prefix: string, random: Random): VanityKey {
  const bytes = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse()
  const key = { scalar: bytesToHex(bytes), prefix: bytesToHex(random.bytes(32)) }
  const publicKey = publicKeyOfScalar(key.scalar)
  if (!toAddress(publicKey).startsWith(`nano_${prefix}`)) throw new Error('The vanity search found another key.')
  return { ...key, publicKey }
}

/** Most searches at once; each uses a thread for up to half a minute. */
const RUNNING_MAX = 2
const WAITING_MAX = 100

interface Waiting {
  payer: string
  begin(): void
}

/**
 * Decides which search is next. An account has at most one running search, so that it never takes every place. The
 * first waiting search whose account has none running is next.
 */
export class VanityTurns {
  readonly #clock: Clock
  readonly #running = new Set<string>()
  #waiting: Waiting[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs a search when it is its turn; refuses if the wait would be too long; undefined if the caller has left. */
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

  /** False if the caller has left meanwhile. */
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

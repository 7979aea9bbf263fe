import { Pool } from 'undici'
import { Leaving } from '../../kernel/leaving.ts'
import { expectedHashes, formatWork } from '../../kernel/nano/work.ts'
import type { Clock } from '../../kernel/ports.ts'
import { UpstreamFailure } from '../node/failure.ts'
import { postToNode } from '../node/post-to-node.ts'
import { readWork, toPeerFailure } from './peer-answer.ts'
import type { Target, WorkSource } from './source.ts'

export interface PeerOptions {
  /** A user name and a password in it are sent in a header and never shown. */
  url: string
  /** By default the host. */
  name?: string
  /**
   * How many searches the peer gets at once. Work servers queue more, so further ones would only wait there. For nodes
   * 1 is right.
   */
  slots?: number
  /** Whether the peer may compute work in advance; by default it may. */
  spare?: boolean
  headers?: Readonly<Record<string, string>>
  /** Whether it may be asked at present; by default it may. */
  mayAsk?: () => boolean
  clock: Clock
  /** Called if a cancel did not arrive, so that the peer continues to search for nothing. */
  onLost: (error: unknown) => void
  searchMilliseconds?: number
  /** Assumed rate until the peer has been measured. */
  rateGuess?: number
}

const SLOTS = 2
const SEARCH_MILLISECONDS = 300_000
const CANCEL_MILLISECONDS = 2_000
const CONNECT_MILLISECONDS = 2_000
const RATE_GUESS = 100_000_000
const ANSWER_BYTES_MAX = 64 * 1024

/** A server with `work_generate` and `work_cancel`: a work server, a node or another gateway. */
export class Peer implements WorkSource {
  readonly kind = 'peer'
  readonly name: string
  readonly slots: number
  readonly spare: boolean
  readonly #clock: Clock
  readonly #onLost: (error: unknown) => void
  readonly #searchMilliseconds: number
  readonly #standing: PeerHealth
  readonly #mayAsk: () => boolean
  readonly #pool: Pool
  readonly #target: { path: string; headers: Record<string, string> }
  /** Cancels that were not answered yet, by root. */
  readonly #cancels = new Map<string, Promise<void>>()

  constructor(options: PeerOptions) {
    const url = toUrl(options.url)
    this.name = options.name ?? url.host
    this.slots = options.slots ?? SLOTS
    this.spare = options.spare ?? true
    this.#clock = options.clock
    this.#onLost = options.onLost
    this.#searchMilliseconds = options.searchMilliseconds ?? SEARCH_MILLISECONDS
    this.#mayAsk = options.mayAsk ?? (() => true)
    this.#standing = new PeerHealth(options.clock, options.rateGuess ?? RATE_GUESS)
    this.#target = {
      path: `${url.pathname}${url.search}`,
      headers: { 'content-type': 'application/json', ...credentialsOf(url), ...lowerCased(options.headers) },
    }
    this.#pool = new Pool(url.origin, {
      // Twice as many, so that a cancel never waits for a search to end.
      connections: this.slots * 2,
      pipelining: 1,
      connect: { timeout: CONNECT_MILLISECONDS },
      maxResponseSize: ANSWER_BYTES_MAX,
    })
  }

  get usable(): boolean {
    return this.#standing.usable && this.#mayAsk()
  }

  get rate(): number {
    return this.#standing.rate
  }

  /** Rejects with a `PeerFailure`. */
  async search({ root, threshold }: Target, stop: AbortSignal): Promise<string | undefined> {
    const leaving = new Leaving()
    const leave = () => leaving.leave()
    stop.addEventListener('abort', leave)
    if (stop.aborted) leave()
    try {
      await this.#afterCancel(root, leaving)
      return leaving.left ? undefined : await this.#generate({ root, threshold }, leaving)
    } finally {
      stop.removeEventListener('abort', leave)
    }
  }

  distrust(): void {
    this.#standing.lied()
  }

  async close(): Promise<void> {
    // Wait until recent cancels have arrived, so that the peer does not continue those searches.
    await Promise.all(this.#cancels.values())
    await this.#pool.destroy()
  }

  async #generate({ root, threshold }: Target, leaving: Leaving): Promise<string | undefined> {
    const startedAt = this.#clock.now()
    // If this machine was asleep, the clock would count too much. No search takes longer than its limit.
    const elapsed = () => Math.min(Math.max(0, this.#clock.now() - startedAt), this.#searchMilliseconds)
    const giveUp = () => leaving.leave(new UpstreamFailure('timeout', 'nothing found in time'))
    const cancelTimer = this.#clock.after(this.#searchMilliseconds, giveUp)
    // Peers have different bases for a multiplier, so only the difficulty is sent.
    const request = { action: 'work_generate', hash: root, difficulty: formatWork(threshold) }
    const answer = this.#post(request, leaving)
    const done = leaving.onLeave(() => this.#cancel(root))
    try {
      const work = readWork(await answer, root)
      this.#standing.answered(expectedHashes(threshold), elapsed())
      return work
    } catch (error) {
      if (leaving.left) this.#standing.stopped(elapsed())
      if (leaving.left && leaving.reason === undefined) return undefined
      const failure = toPeerFailure(error)
      // Any caller may have caused a refusal of this search, so it does not count against the peer.
      if (failure.kind === 'disabled') this.#standing.disabled()
      else if (failure.kind !== 'refused') this.#standing.failed()
      throw failure
    } finally {
      done()
      cancelTimer()
    }
  }

  /** Few peers stop when the connection closes; most stop after this. Its outcome does not matter. */
  #cancel(root: string): void {
    const leaving = new Leaving()
    const cancelTimer = this.#clock.after(CANCEL_MILLISECONDS, () => leaving.leave())
    const cancelled = this.#post({ action: 'work_cancel', hash: root }, leaving)
      .then(() => undefined, this.#onLost)
      .finally(() => {
        cancelTimer()
        if (this.#cancels.get(root) === cancelled) this.#cancels.delete(root)
      })
    this.#cancels.set(root, cancelled)
  }

  /** A cancel that is still on its way would end a new search for the same root. */
  async #afterCancel(root: string, leaving: Leaving): Promise<void> {
    const cancelled = this.#cancels.get(root)
    if (!cancelled) return
    const { promise: left, resolve } = Promise.withResolvers<void>()
    const done = leaving.onLeave(resolve)
    await Promise.race([cancelled, left])
    done()
  }

  #post(request: object, leaving: Leaving): Promise<string> {
    return postToNode(this.#pool, { ...this.#target, body: JSON.stringify(request), leaving })
  }
}

/** The platform's own error would contain the address, including the password. */
function toUrl(text: string): URL {
  if (!URL.canParse(text)) throw new TypeError('The address of a work peer is not a URL.')
  return new URL(text)
}

/** In lower case, so that a header of the caller replaces ours. */
function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

const BACK_OFF = 1_000
const BACK_OFF_MAX = 300_000
const WRONG_MAX = 3
/** The weight of earlier searches decreases by this factor; about the last twenty are averaged. */
const FADING = 0.95

interface Seen {
  failuresInARow: number
  wrongInARow: number
  hashes: number
  seconds: number
}

/** Whether to use a peer, and how fast it is. */
class PeerHealth {
  readonly #clock: Clock
  readonly #rateGuess: number
  #seen: Seen = { failuresInARow: 0, wrongInARow: 0, hashes: 0, seconds: 0 }
  /** The state before the last answer, restored if that answer proves wrong. */
  #earlier = this.#seen
  #usableAt = 0

  constructor(clock: Clock, rateGuess: number) {
    this.#clock = clock
    this.#rateGuess = rateGuess
  }

  get usable(): boolean {
    return this.#clock.now() >= this.#usableAt
  }

  get rate(): number {
    const { hashes, seconds } = this.#seen
    // For a peer that has found nothing yet, the assumed rate falls with time.
    return hashes > 0 ? hashes / seconds : this.#rateGuess / (1 + seconds)
  }

  answered(expectedHashes: number, milliseconds: number): void {
    const { hashes, seconds } = this.#seen
    this.#earlier = this.#seen
    this.#seen = {
      failuresInARow: 0,
      wrongInARow: 0,
      hashes: hashes * FADING + expectedHashes,
      // The clock counts whole milliseconds, and an easy search may take less than one.
      seconds: seconds * FADING + Math.max(1, milliseconds) / 1000,
    }
    this.#usableAt = 0
  }

  /**
   * Time without a result counts, too. Otherwise, for a peer that is often stopped, only lucky searches would count.
   */
  stopped(milliseconds: number): void {
    this.#seen = { ...this.#seen, seconds: this.#seen.seconds + milliseconds / 1000 }
  }

  failed(): void {
    this.#rest({ ...this.#seen, failuresInARow: this.#seen.failuresInARow + 1 })
  }

  /** The peer would refuse again, so it is not asked for a long time. */
  disabled(): void {
    this.#rest({ ...this.#seen, failuresInARow: this.#seen.failuresInARow + 1 }, BACK_OFF_MAX)
  }

  /** The last answer was wrong: it says nothing about speed, and must not end the back-off after earlier failures. */
  lied(): void {
    const { failuresInARow, wrongInARow } = this.#earlier
    this.#earlier = { ...this.#earlier, failuresInARow: failuresInARow + 1, wrongInARow: wrongInARow + 1 }
    this.#rest(this.#earlier, wrongInARow + 1 >= WRONG_MAX ? BACK_OFF_MAX : undefined)
  }

  #rest(seen: Seen, milliseconds = Math.min(BACK_OFF * 2 ** (seen.failuresInARow - 1), BACK_OFF_MAX)): void {
    this.#seen = seen
    // A failure during a back-off does not shorten it.
    this.#usableAt = Math.max(this.#usableAt, this.#clock.now() + milliseconds)
  }
}

import { Pool } from 'undici'
import { Leaving } from '../../kernel/leaving.ts'
import { expectedHashes, formatWork } from '../../kernel/nano/work.ts'
import type { Clock } from '../../kernel/ports.ts'
import { postToNode } from '../node/post-to-node.ts'
import { UpstreamFailure } from '../node/failure.ts'
import type { WorkSource, Target } from './source.ts'
import { readWork, toPeerFailure } from './peer-answer.ts'
import { PeerHealth } from './peer-standing.ts'

export interface PeerOptions {
  /** User name and password in it are sent as a header and shown nowhere. */
  url: string
  /** Defaults to the host. */
  name?: string
  /** Searches at once: work servers queue what they are given, so more would only wait there. One is right for nodes. */
  slots?: number
  /** Whether it may compute what no caller waits for yet; by default it may. */
  spare?: boolean
  headers?: Readonly<Record<string, string>>
  /** Whether it may be asked at all; by default it may. */
  mayAsk?: () => boolean
  clock: Clock
  /** A cancel that did not arrive: the peer searches on in vain. */
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

/** A server that speaks `work_generate` and `work_cancel`: a work server, a node, another gateway. */
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
  /** By root, those that it has not answered yet. */
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
      // A cancel never waits for a search to end.
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
    // The peer should not go on looking for what was stopped a moment ago.
    await Promise.all(this.#cancels.values())
    await this.#pool.destroy()
  }

  async #generate({ root, threshold }: Target, leaving: Leaving): Promise<string | undefined> {
    const startedAt = this.#clock.now()
    // A machine that slept has not searched meanwhile: nothing takes longer than the limit.
    const elapsed = () => Math.min(Math.max(0, this.#clock.now() - startedAt), this.#searchMilliseconds)
    const giveUp = () => leaving.leave(new UpstreamFailure('timeout', 'nothing found in time'))
    const cancelTimer = this.#clock.after(this.#searchMilliseconds, giveUp)
    // Peers do not agree on what a multiplier is a multiple of.
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
      // A refusal is about this search, which any caller may have caused: it does not count against the peer.
      if (failure.kind === 'disabled') this.#standing.disabled()
      else if (failure.kind !== 'refused') this.#standing.failed()
      throw failure
    } finally {
      done()
      cancelTimer()
    }
  }

  /** A closed connection stops few peers; this stops most. Whether it did is no matter. */
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

/** The platform's own error would carry the address, and with it the password. */
function toUrl(text: string): URL {
  if (!URL.canParse(text)) throw new TypeError('The address of a work peer is no URL.')
  return new URL(text)
}

/** So that a header of the caller takes the place of ours. */
function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
}

import { LRUCache } from 'lru-cache'
import type { Failures } from '../../kernel/failures.ts'
import type { Clock, Confirmation, ConfirmationBus, Random } from '../../kernel/ports.ts'
import { NodeEvents } from './node-events.ts'
import type { Votes } from './votes.ts'
import type { Upstream, UpstreamOptions } from './upstream.ts'

const SEEN_MAX = 100_000
/** Accounts looked up after a gap; a room that watches more has a poller. */
const CATCH_UP_MAX = 5_000
/** Blocks arrive before they are confirmed, so a gap reaches a little further back than the silence. */
const GAP_SLACK = 60_000
/** Confirmations of a node that is being asked which ledger it has, or for proof. */
const WAITING_MAX = 1_000

interface ConfirmationOptions {
  upstreams: readonly Upstream[]
  clock: Clock
  random: Random
  failures: Failures
  /** Finds what an account missed since a time; used after a gap. */
  findSince: (account: string, since: number) => Promise<Confirmation[]>
  /** Called for every telling of every node: one that was first to tell is ahead of the one that is asked next. */
  onHeard: (confirmation: Confirmation) => void
  votes?: Votes | undefined
}

interface Source {
  upstream: Upstream
  options: UpstreamOptions & { wsUrl: string }
}

/** One node's websocket. */
interface NodeVoice {
  upstream: Upstream
  /** Which comparison of its ledger with ours is the first since the websocket was opened. */
  knownFrom: number
  /** What it told before that. */
  waiting: Confirmation[]
  events: NodeEvents
}

function isHeard({ knownFrom, upstream, events }: NodeVoice): boolean {
  const { belongs, suspect, verifications } = upstream
  return events.subscribed && verifications >= knownFrom && belongs !== false && !suspect
}

/** Merges the confirmations of all nodes: each block once, and after a gap what the watched accounts missed. */
export class Confirmations implements ConfirmationBus {
  readonly #options: ConfirmationOptions
  readonly #sources: NodeVoice[]
  readonly #listeners = new Set<(confirmation: Confirmation) => void>()
  readonly #gapListeners = new Set<() => void>()
  readonly #watched = new Map<string, number>()
  /** A set that forgets its first entries walks over all the holes they leave. By size, because room for a number is taken at once. */
  readonly #seen = new LRUCache<string, true>({ maxSize: SEEN_MAX, sizeCalculation: () => 1 })
  #silentSince: number | undefined
  #catchingUp: Promise<void> = Promise.resolve()
  connected = false

  constructor(options: ConfirmationOptions) {
    this.#options = options
    this.#silentSince = options.clock.now()
    this.#sources = options.upstreams
      .map((upstream) => ({ upstream, options: upstream.options }))
      .filter((source): source is Source => source.options.wsUrl !== undefined)
      .map((source) => this.#open(source))
  }

  listen(listener: (confirmation: Confirmation) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called when the stream breaks and when it comes back. */
  onGap(listener: () => void): void {
    this.#gapListeners.add(listener)
  }

  watch(account: string): () => void {
    this.#watched.set(account, (this.#watched.get(account) ?? 0) + 1)
    let released = false
    return () => {
      if (released) return
      released = true
      const left = (this.#watched.get(account) ?? 1) - 1
      if (left === 0) this.#watched.delete(account)
      else this.#watched.set(account, left)
    }
  }

  close(): void {
    for (const { events } of this.#sources) events.close()
  }

  /** A node's voice counts from the moment that it is known to have our ledger; a new connection may lead to another one. */
  #open({ upstream, options }: Source): NodeVoice {
    const voice: NodeVoice = {
      upstream,
      knownFrom: 1,
      waiting: [],
      events: new NodeEvents(options, this.#options, {
        confirmation: (confirmation) => {
          upstream.hear(confirmation.hash)
          if (voice.waiting.length === 0 && isHeard(voice)) {
            this.hear(confirmation)
            return
          }
          voice.waiting.push(confirmation)
          if (voice.waiting.length > WAITING_MAX) voice.waiting.shift()
          this.#listenTo(voice)
        },
        vote: this.#options.votes?.openNode(),
        stateChange: () => {
          voice.waiting.length = 0
          voice.knownFrom = upstream.verifications + 1
          if (voice.events.subscribed) void upstream.verify()
          this.judge()
        },
      }),
    }
    return voice
  }

  /**
   * Takes what a node has told. It waits while it is unknown which ledger the node has, and while the node is a suspect, who
   * may be cleared. What another ledger tells is nothing to us.
   */
  #listenTo(voice: NodeVoice): void {
    if (voice.upstream.belongs === false) voice.waiting.length = 0
    if (!isHeard(voice)) return
    for (const confirmation of voice.waiting.splice(0)) this.hear(confirmation)
  }

  /** Looks anew at who is heard. */
  judge(): void {
    for (const voice of this.#sources) this.#listenTo(voice)
    const connected = this.#sources.some(isHeard)
    if (connected === this.connected) return
    this.connected = connected
    for (const listener of this.#gapListeners) this.#tell(listener, undefined)
    if (!connected) this.#silentSince = this.#options.clock.now()
    else if (this.#silentSince !== undefined) {
      const since = this.#silentSince - GAP_SLACK
      this.#silentSince = undefined
      // One after another, and a second gap waits for the first to be made up.
      this.#catchingUp = this.#catchingUp.then(() => this.#catchUp(since))
    }
  }

  /** One account after another: after a gap the nodes have enough to do. */
  async #catchUp(since: number): Promise<void> {
    for (const account of [...this.#watched.keys()].slice(0, CATCH_UP_MAX)) {
      try {
        for (const confirmation of await this.#options.findSince(account, since)) this.hear(confirmation)
      } catch (error) {
        this.#options.failures.lost('confirmations.catch-up')(error)
      }
    }
  }

  /** Takes a confirmation, from any node or instance, and passes it on once. */
  hear(confirmation: Confirmation): void {
    this.#options.onHeard(confirmation)
    if (this.#seen.has(confirmation.hash)) return
    this.#seen.set(confirmation.hash, true)
    for (const listener of this.#listeners) this.#tell(listener, confirmation)
  }

  /** One that throws must neither keep the others from hearing nor break the stream. */
  #tell<T>(listener: (told: T) => void, told: T): void {
    try {
      listener(told)
    } catch (error) {
      this.#options.failures.failed('confirmations.listener')(error)
    }
  }
}

import { BoundedSet } from '../../kernel/bounded-set.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Clock, Confirmation, ConfirmationBus, NodeTopics, Random } from '../../kernel/ports.ts'
import { NodeEvents } from './node-events.ts'
import type { Votes } from './votes.ts'
import type { Upstream, UpstreamOptions } from './upstream.ts'

const SEEN_MAX = 100_000
/** Most accounts that are read after a gap; modules that watch more have a poller. */
const CATCH_UP_MAX = 5_000
/** Blocks arrive before they are confirmed, so the reading begins somewhat before the gap. */
const GAP_SLACK = 60_000
/** Most confirmations kept for a node that is a suspect, or whose ledger is being verified. */
const WAITING_MAX = 1_000

interface ConfirmationOptions {
  upstreams: readonly Upstream[]
  clock: Clock
  random: Random
  failures: Failures
  /** Finds what an account has missed since a time. */
  findSince: (account: string, since: number) => Promise<Confirmation[]>
  /** Called for every confirmation of every node: whichever node reports it first is ahead of the others. */
  onReceived: (confirmation: Confirmation) => void
  votes?: Votes | undefined
}

interface Source {
  upstream: Upstream
  options: UpstreamOptions & { wsUrl: string }
}

interface NodeVoice {
  upstream: Upstream
  /** The number of the first verification of its ledger that began after the websocket was opened. */
  knownFrom: number
  /** Confirmations that arrived before that verification. */
  waiting: Confirmation[]
  events: NodeEvents
}

type Follower = Parameters<NodeTopics['follow']>[1]

function isReceived({ knownFrom, upstream, events }: NodeVoice): boolean {
  const { belongs, suspect, verifications } = upstream
  return events.subscribed && verifications >= knownFrom && belongs !== false && !suspect
}

/**
 * Merges the confirmations of all nodes: each block is reported once. After a gap, also reports what the watched
 * accounts missed.
 */
export class Confirmations implements ConfirmationBus, NodeTopics {
  readonly #options: ConfirmationOptions
  readonly #sources: NodeVoice[]
  readonly #listeners = new Set<(confirmation: Confirmation) => void>()
  readonly #gapListeners = new Set<() => void>()
  readonly #watched = new Map<string, number>()
  readonly #seen = new BoundedSet(SEEN_MAX)
  /** The followers of each topic. They get events from one node only, because a second node would repeat them. */
  readonly #followers = new Map<string, Set<Follower>>()
  #speaker: NodeVoice | undefined
  /** The topics that this node has acknowledged. */
  readonly #known = new Set<string>()
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

  /** The listener is called when the stream breaks and when it is back. */
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

  follow(topic: string, on: Follower): () => void {
    const followers = this.#followers.get(topic) ?? new Set()
    this.#followers.set(topic, followers.add(on))
    if (followers.size > 1 && this.#known.has(topic)) on.known()
    this.#speaker?.events.follow(topic)
    return () => {
      if (!followers.delete(on) || followers.size > 0) return
      this.#followers.delete(topic)
      this.#known.delete(topic)
      this.#speaker?.events.unfollow(topic)
    }
  }

  #passTopic(voice: NodeVoice, topic: string, text: string | undefined): void {
    if (voice !== this.#speaker) return
    if (text === undefined) this.#known.add(topic)
    for (const follower of this.#followers.get(topic) ?? []) {
      this.#passOn(() => (text === undefined ? follower.known() : follower.received(text)), undefined)
    }
  }

  /** Passes on topics from the first node that is trusted; the one used before may be gone. */
  #chooseSpeaker(): void {
    const speaker = this.#speaker && isReceived(this.#speaker) ? this.#speaker : this.#sources.find(isReceived)
    if (speaker === this.#speaker) return
    for (const topic of this.#followers.keys()) this.#speaker?.events.unfollow(topic)
    this.#speaker = speaker
    this.#known.clear()
    for (const topic of this.#followers.keys()) speaker?.events.follow(topic)
  }

  close(): void {
    for (const { events } of this.#sources) events.close()
  }

  /**
   * Opens a node's websocket. Its confirmations count when the ledger is verified, because a new connection may lead to
   * another node.
   */
  #open({ upstream, options }: Source): NodeVoice {
    const voice: NodeVoice = {
      upstream,
      knownFrom: 1,
      waiting: [],
      events: new NodeEvents(options, this.#options, {
        confirmation: (confirmation) => {
          upstream.receive(confirmation.hash)
          if (voice.waiting.length === 0 && isReceived(voice)) {
            this.receive(confirmation)
            return
          }
          voice.waiting.push(confirmation)
          if (voice.waiting.length > WAITING_MAX) voice.waiting.shift()
          this.#listenTo(voice)
        },
        vote: this.#options.votes?.openNode(),
        topic: (topic, text) => this.#passTopic(voice, topic, text),
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
   * Handles what a node has reported. While its ledger is not verified, or while it is a suspect, confirmations are
   * kept, because the node may be cleared. Those of another ledger are dropped.
   */
  #listenTo(voice: NodeVoice): void {
    if (voice.upstream.belongs === false) voice.waiting.length = 0
    if (!isReceived(voice)) return
    for (const confirmation of voice.waiting.splice(0)) this.receive(confirmation)
  }

  /** Checks again which nodes are trusted. */
  judge(): void {
    for (const voice of this.#sources) this.#listenTo(voice)
    this.#chooseSpeaker()
    const connected = this.#sources.some(isReceived)
    if (connected === this.connected) return
    this.connected = connected
    for (const listener of this.#gapListeners) this.#passOn(listener, undefined)
    if (!connected) this.#silentSince = this.#options.clock.now()
    else if (this.#silentSince !== undefined) {
      const since = this.#silentSince - GAP_SLACK
      this.#silentSince = undefined
      // One after another: a second gap waits until the first has been read.
      this.#catchingUp = this.#catchingUp.then(() => this.#catchUp(since))
    }
  }

  /** One account at a time, because after a gap nodes have enough to do. */
  async #catchUp(since: number): Promise<void> {
    for (const account of [...this.#watched.keys()].slice(0, CATCH_UP_MAX)) {
      try {
        for (const confirmation of await this.#options.findSince(account, since)) this.receive(confirmation)
      } catch (error) {
        this.#options.failures.lost('confirmations.catch-up')(error)
      }
    }
  }

  /** Accepts a confirmation from any node or instance, and reports it once. */
  receive(confirmation: Confirmation): void {
    this.#options.onReceived(confirmation)
    if (this.#seen.has(confirmation.hash)) return
    this.#seen.add(confirmation.hash)
    for (const listener of this.#listeners) this.#passOn(listener, confirmation)
  }

  /** A listener that throws affects neither the other listeners nor the stream. */
  #passOn<T>(listener: (received: T) => void, received: T): void {
    try {
      listener(received)
    } catch (error) {
      this.#options.failures.failed('confirmations.listener')(error)
    }
  }
}

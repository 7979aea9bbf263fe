import { type RawData, WebSocket } from 'ws'
import { isHex } from '../../kernel/nano/hex.ts'
import type { Clock, Confirmation, Random } from '../../kernel/ports.ts'
import { isVoteFrame } from './recent-votes.ts'
import type { UpstreamOptions } from './upstream.ts'

const RETRY_MIN = 500
const RETRY_MAX = 30_000
const PING_EVERY = 15_000
const SILENCE_MAX = 40_000
const FRAME_BYTES_MAX = 4 * 1024 * 1024
const SUBSCRIBE = JSON.stringify({
  action: 'subscribe',
  topic: 'confirmation',
  ack: true,
  // Clients may ask for these members. Not for votes, of which a node sends hundreds with each block.
  options: { include_election_info: 'true', include_sideband_info: 'true' },
})
/**
 * Without an acknowledgement, which would look like that of confirmations. Votes may arrive before a node has the
 * block, or after its election.
 */
const SUBSCRIBE_VOTES = JSON.stringify({
  action: 'subscribe',
  topic: 'vote',
  options: { include_replays: 'true', include_indeterminate: 'true' },
})
/** The topic is also the id of the acknowledgement, which distinguishes it from others. */
const subscribeTo = (topic: string) =>
  JSON.stringify({
    action: 'subscribe',
    topic,
    ack: true,
    id: topic,
    ...(topic === 'vote' && { options: { include_replays: 'true', include_indeterminate: 'true' } }),
  })
const TOPIC = /^\s*\{\s*"topic"\s*:\s*"(\w+)"/
const PING = JSON.stringify({ action: 'ping' })

type TopicListener = (topic: string, text: string | undefined) => void

/** One node's confirmations. A lost websocket is opened again, after pauses that grow and vary. */
export class NodeEvents {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #clock: Clock
  readonly #random: Random
  readonly #onConfirmation: (confirmation: Confirmation) => void
  readonly #onStateChange: () => void
  readonly #onVote: ((text: string) => void) | undefined
  readonly #onTopic: TopicListener
  readonly #topics = new Set<string>()
  #socket: WebSocket | undefined
  #failures = 0
  #cancelTimer: (() => void) | undefined
  #closed = false
  #receivedAt = 0
  subscribed = false

  constructor(
    { wsUrl, headers }: UpstreamOptions & { wsUrl: string },
    { clock, random }: { clock: Clock; random: Random },
    on: {
      confirmation: (confirmation: Confirmation) => void
      stateChange: () => void
      /** Receives votes as text; without it the node is not asked for votes. */
      vote?: ((text: string) => void) | undefined
      /**
       * Receives messages of followed topics as text; called without a text when the node has acknowledged the topic.
       */
      topic?: TopicListener
    },
  ) {
    this.#url = wsUrl
    this.#headers = headers
    this.#clock = clock
    this.#random = random
    this.#onConfirmation = on.confirmation
    this.#onStateChange = on.stateChange
    this.#onVote = on.vote
    this.#onTopic = on.topic ?? (() => undefined)
    this.#open()
  }

  follow(topic: string): void {
    if (this.#topics.has(topic)) return
    this.#topics.add(topic)
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(subscribeTo(topic))
  }

  unfollow(topic: string): void {
    if (!this.#topics.delete(topic) || this.#socket?.readyState !== WebSocket.OPEN) return
    // Votes may still be needed to prove payments.
    if (topic !== 'vote' || !this.#onVote) this.#socket.send(JSON.stringify({ action: 'unsubscribe', topic }))
  }

  close(): void {
    this.#closed = true
    this.#cancelTimer?.()
    this.#socket?.terminate()
  }

  #open(): void {
    const socket = new WebSocket(this.#url, {
      headers: this.#headers,
      maxPayload: FRAME_BYTES_MAX,
      handshakeTimeout: 5_000,
    })
    this.#socket = socket
    socket.on('open', () => {
      this.#receivedAt = this.#clock.now()
      socket.send(SUBSCRIBE)
      if (this.#onVote) socket.send(SUBSCRIBE_VOTES)
      for (const topic of this.#topics) socket.send(subscribeTo(topic))
      this.#watch(socket)
    })
    socket.on('message', (data) => this.#receive(data))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => this.#lost())
  }

  /**
   * Sends pings, and closes the connection if the node stays silent: half-open connections can look alive for hours.
   */
  #watch(socket: WebSocket): void {
    this.#cancelTimer = this.#clock.after(PING_EVERY, () => {
      if (this.#clock.now() - this.#receivedAt > SILENCE_MAX) socket.terminate()
      else {
        socket.send(PING)
        this.#watch(socket)
      }
    })
  }

  #lost(): void {
    this.#cancelTimer?.()
    const wasSubscribed = this.subscribed
    this.subscribed = false
    if (wasSubscribed) this.#onStateChange()
    if (this.#closed) return
    const ceiling = Math.min(RETRY_MAX, RETRY_MIN * 2 ** Math.min(this.#failures++, 10))
    const jitter = this.#random.bytes(1)[0]! / 255
    this.#cancelTimer = this.#clock.after(ceiling * (0.5 + jitter / 2), () => this.#open())
  }

  #receive(data: RawData): void {
    this.#receivedAt = this.#clock.now()
    const text = (data as Buffer).toString()
    const topic = this.#topics.size === 0 ? undefined : TOPIC.exec(text.slice(0, 64))?.[1]
    const isFollowed = topic !== undefined && this.#topics.has(topic)
    if (isFollowed) this.#onTopic(topic, text)
    const isVote = isVoteFrame(text)
    if (isVote) this.#onVote?.(text)
    if (isVote || isFollowed) return
    const message = parse(text)
    if (message?.ack === 'subscribe' && typeof message.id === 'string') {
      if (this.#topics.has(message.id)) this.#onTopic(message.id, undefined)
    } else if (message?.ack === 'subscribe') {
      // A repeated acknowledgement is not a new connection. Otherwise listeners would drop and read everything again.
      if (this.subscribed) return
      this.#failures = 0
      this.subscribed = true
      this.#onStateChange()
    } else if (message?.topic === 'confirmation') {
      const confirmation = toConfirmation(message)
      if (confirmation) this.#onConfirmation(confirmation)
    }
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    // Not JSON, so it is ignored.
    return undefined
  }
}

/** Nodes are not trusted: a message without the necessary members is dropped. */
function toConfirmation({ message, time }: Record<string, unknown>): Confirmation | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const {
    account,
    amount,
    hash,
    block,
    confirmation_type: type,
    election_info,
    sideband,
  } = message as Record<string, unknown>
  if (typeof account !== 'string' || typeof amount !== 'string') return undefined
  if (typeof hash !== 'string' || !isHex(hash, 64)) return undefined
  return {
    hash: hash.toUpperCase(),
    account,
    amount,
    block: textsOf(block),
    type: typeof type === 'string' ? type : 'active_quorum',
    time: typeof time === 'string' ? time : '',
    ...(election_info !== undefined && { election: textsOf(election_info) }),
    ...(sideband !== undefined && { sideband: textsOf(sideband) }),
  }
}

/**
 * Only the members that are text, as all should be. This drops a list of votes, which another listener may have
 * requested.
 */
function textsOf(block: unknown): Record<string, string> {
  if (typeof block !== 'object' || block === null) return {}
  if (isTexts(block)) return block
  return Object.fromEntries(Object.entries(block).filter(([, value]) => typeof value === 'string'))
}

/** Most blocks contain only text and need no copy. A node reports thousands that matter to nobody here. */
function isTexts(block: object): block is Record<string, string> {
  if (Array.isArray(block)) return false
  for (const name in block) if (typeof (block as Record<string, unknown>)[name] !== 'string') return false
  return true
}

import type { WebSocket } from 'ws'
import type { AppError } from '../kernel/errors.ts'
import { writeNodeAnswer } from '../kernel/nano/node-answer.ts'
import type { Clock } from '../kernel/ports.ts'
import type { SocketForm, Subscription } from './socket-subscription.ts'

/** Frames that a client may send in ten seconds. */
const FRAMES_MAX = 200
const FRAMES_WINDOW = 10_000
const TOO_MUCH = 1008
/**
 * A client that has stopped reading is disconnected at this size. It can connect again; a stream with gaps would
 * mislead it.
 */
const QUEUE_BYTES_MAX = 1024 * 1024
const TRY_AGAIN_LATER = 1013

/** The client of a connection. */
export const clientOf = new WeakMap<WebSocket, Client>()

export class Client {
  readonly #socket: WebSocket
  readonly #clock: Clock
  readonly address: string
  readonly form: SocketForm
  readonly releases = new Map<string, () => void>()
  subscription: Subscription | undefined
  /** The topics it follows other than confirmations, each with the function that ends it. */
  readonly followed = new Map<string, () => void>()
  alive = true
  #window = 0
  #frames = 0

  constructor(socket: WebSocket, { address, form }: { address: string; form: SocketForm }, clock: Clock) {
    this.#socket = socket
    this.address = address
    this.form = form
    this.#clock = clock
    clientOf.set(socket, this)
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** False when the client sends too many frames; it is then disconnected. */
  maySpeak(): boolean {
    const window = Math.floor(this.#clock.now() / FRAMES_WINDOW)
    if (window !== this.#window) {
      this.#window = window
      this.#frames = 0
    }
    if (++this.#frames <= FRAMES_MAX) return true
    this.#socket.close(TOO_MUCH, 'Too many messages.')
    return false
  }

  push(frame: string): void {
    if (this.#socket.bufferedAmount > QUEUE_BYTES_MAX) this.#socket.close(TRY_AGAIN_LATER, 'Too slow.')
    else this.#socket.send(frame)
  }

  /** At the node's own path, messages are formatted as a node formats them. */
  send(message: Record<string, unknown>): void {
    this.push(this.form === 'node' ? writeNodeAnswer(message) : JSON.stringify(message))
  }

  /** For a frame that is not a message. A node ends the connection without an answer. */
  refuseFrame(): void {
    if (this.form === 'node') this.#socket.terminate()
    else this.send({ error: 'Unable to parse JSON' })
  }

  /** Sends the reason for a refusal; at the node's path nothing is sent. */
  complain({ message: error, body }: AppError, id: unknown): void {
    if (this.form === 'service') this.send({ error, ...body, id })
  }

  acknowledge(ack: string, id: unknown): void {
    this.send({ ack, time: `${this.#clock.now()}`, id })
  }
}

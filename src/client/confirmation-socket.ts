import { GatewayError } from './gateway-error.ts'

/** The members of the standard WebSocket that are used here. Node 20 has none, so callers pass an implementation. */
interface SocketLike {
  send(text: string): void
  close(): void
  addEventListener(type: 'open' | 'close' | 'error' | 'message', listener: (event: { data?: unknown }) => void): void
}
export type SocketClass = new (url: string) => SocketLike

/** One confirmation as the gateway's websocket sends it. */
export interface Frame {
  account: string
  amount: string
  hash: string
  confirmation_type: string
  block?: Record<string, string>
}

const PING_EVERY = 30_000
const SILENCE_MAX = 75_000
/** A reader who falls further behind gets later confirmations from the ledger instead. */
const QUEUE_MAX = 10_000

/** A subscription to confirmations on one connection; it ends when the connection ends. */
export class ConfirmationSocket {
  readonly #socket: SocketLike
  readonly #frames: Frame[] = []
  readonly #watch: ReturnType<typeof setInterval>
  #acknowledged = false
  #ended = false
  #receivedAt = Date.now()
  #refusal: GatewayError | undefined
  #wake: () => void = () => {}

  constructor(Socket: SocketClass, url: string, accounts: readonly string[] | undefined) {
    this.#socket = new Socket(url)
    const options = accounts === undefined ? {} : { accounts }
    this.#socket.addEventListener('open', () =>
      this.#socket.send(JSON.stringify({ action: 'subscribe', topic: 'confirmation', ack: true, options })),
    )
    this.#socket.addEventListener('message', ({ data }) => this.#receive(String(data)))
    this.#socket.addEventListener('close', () => this.#end())
    this.#socket.addEventListener('error', () => this.#end())
    this.#watch = setInterval(() => this.#look(), PING_EVERY)
  }

  /** Waits until the subscription is acknowledged; false if the connection ended before. */
  async ready(): Promise<boolean> {
    await this.#until(() => this.#acknowledged)
    if (this.#refusal) throw this.#refusal
    return this.#acknowledged
  }

  /** The next confirmation; undefined at the end. */
  async next(): Promise<Frame | undefined> {
    await this.#until(() => this.#frames.length > 0)
    return this.#frames.shift()
  }

  close(): void {
    this.#end()
    this.#socket.close()
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo() && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #receive(text: string): void {
    this.#receivedAt = Date.now()
    const said = readMessage(text)
    // Not a message of a gateway. Close: the next connection may reach one.
    if (!said) return this.close()
    const { ack, error, frame } = said
    if (ack === 'subscribe') this.#acknowledged = true
    if (typeof error === 'string' && !this.#acknowledged) {
      this.#refusal = new GatewayError(error, { code: 'invalid_request' })
      this.#end()
    }
    if (frame) this.#frames.push(frame)
    if (this.#frames.length >= QUEUE_MAX) this.close()
    this.#wake()
  }

  #look(): void {
    if (Date.now() - this.#receivedAt > SILENCE_MAX) this.close()
    else if (this.#acknowledged) this.#socket.send('{"action":"ping"}')
  }

  #end(): void {
    this.#ended = true
    clearInterval(this.#watch)
    this.#wake()
  }
}

/** Undefined for a message that no gateway sends. */
function readMessage(text: string): { ack?: unknown; error?: unknown; frame?: Frame } | undefined {
  try {
    const { topic, ack, error, message } = JSON.parse(text) as Record<string, unknown>
    if (topic !== 'confirmation') return { ack, error }
    const frame = message as Frame
    const isFrame = /^[0-9A-F]{64}$/.test(frame.hash) && /^\d+$/.test(frame.amount) && typeof frame.account === 'string'
    return isFrame ? { frame } : undefined
  } catch {
    // Neither JSON nor an object.
    return undefined
  }
}

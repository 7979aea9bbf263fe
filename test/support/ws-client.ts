import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { WebSocket } from 'ws'

/** A client of the ledger's websocket that collects all frames. */
export class WsClient {
  /** Resolves with the close code; 1006 means that there was no closing frame. */
  readonly closed: Promise<number>
  readonly #socket: WebSocket
  #frames: string[] = []
  #wake: () => void = () => undefined
  #pings = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    this.closed = new Promise((resolve) => {
      socket.on('close', (code) => resolve(code))
    })
    socket.on('error', () => undefined)
    socket.on('close', () => this.#wake())
    socket.on('message', (data) => {
      this.#frames.push((data as Buffer).toString())
      this.#wake()
    })
  }

  static async connect(t: TestContext, url: string): Promise<WsClient> {
    const socket = new WebSocket(url)
    t.after(() => socket.terminate())
    const client = new WsClient(socket)
    await once(socket, 'open')
    return client
  }

  send(message: string | object): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** The frames since the last call. A ping marks the end: frames arrive in order, so everything sent earlier has arrived by the pong. */
  async settle(): Promise<string[]> {
    const id = `settle-${++this.#pings}`
    this.send({ action: 'ping', id })
    const isPong = (frame: string) => (JSON.parse(frame) as { id?: string }).id === id
    while (!this.#frames.some(isPong)) await this.#frameOrEnd()
    const frames = this.#frames.filter((frame) => !isPong(frame))
    this.#frames = []
    return frames
  }

  /** Waits for the next frame. */
  async next<T>(): Promise<T> {
    return JSON.parse(await this.nextText()) as T
  }

  /** The same, unparsed. */
  async nextText(): Promise<string> {
    while (this.#frames.length === 0) await this.#frameOrEnd()
    return this.#frames.shift()!
  }

  close(): void {
    this.#socket.terminate()
  }

  async #frameOrEnd(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) throw new Error('The ledger ended the connection')
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }
}

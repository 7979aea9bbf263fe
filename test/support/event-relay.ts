import { type Server, createServer } from 'node:http'
import type { TestContext } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { closeServer, listen } from '../../src/devnet/server.ts'
import { freePort } from './free-port.ts'

/** A proxy for a node's websocket that a test can cut, restore and send frames through. */
export class EventRelay {
  readonly #target: string
  readonly #server: Server = createServer()
  readonly #sockets = new WebSocketServer({ server: this.#server })
  #port = 0
  /** Connections so far. */
  connections = 0
  /** Frames passed on so far. */
  relayed = 0
  /** While set, connections stay open and nothing gets through. */
  muted = false

  private constructor(target: string) {
    this.#target = target
    this.#sockets.on('connection', (client) => this.#relay(client))
  }

  static async start(t: TestContext, target: string): Promise<EventRelay> {
    const relay = new EventRelay(target)
    // Not any port: nobody else is to have it when this one has been cut and comes back.
    relay.#port = await freePort()
    await listen(relay.#server, '127.0.0.1', relay.#port)
    t.after(() => relay.cut())
    return relay
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`
  }

  /** Terminates every connection without a closing frame and refuses new ones. */
  async cut(): Promise<void> {
    for (const client of this.#sockets.clients) client.terminate()
    if (this.#server.listening) await closeServer(this.#server)
  }

  async restore(): Promise<void> {
    await listen(this.#server, '127.0.0.1', this.#port)
  }

  /** Sends a frame to all clients, as the node would. */
  say(frame: string | Buffer): void {
    for (const client of this.#sockets.clients) client.send(frame)
  }

  #relay(client: WebSocket): void {
    this.connections++
    const waiting: string[] = []
    const ledger = new WebSocket(this.#target)
    ledger.on('open', () => {
      for (const frame of waiting) ledger.send(frame)
    })
    ledger.on('message', (data) => {
      if (this.muted) return
      client.send((data as Buffer).toString())
      this.relayed++
    })
    ledger.on('error', () => client.terminate())
    ledger.on('close', () => client.terminate())
    client.on('message', (data) => {
      const frame = (data as Buffer).toString()
      if (this.muted) return
      if (ledger.readyState === WebSocket.OPEN) ledger.send(frame)
      else waiting.push(frame)
    })
    client.on('error', () => client.terminate())
    client.on('close', () => ledger.terminate())
  }
}

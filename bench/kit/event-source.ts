import { hash } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { addressOf } from '../../test/support/many-checkouts.ts'

const TICK = 10
const STRANGERS = 1_000

/** A node's websocket that sends confirmations on request. */
export class EventSource {
  readonly url: string
  readonly #server: WebSocketServer
  readonly #strangers = Array.from({ length: STRANGERS }, (_, at) => addressOf(`stranger ${at}`))
  #told = 0

  constructor(port: number) {
    this.url = `ws://127.0.0.1:${port}`
    this.#server = new WebSocketServer({ port, host: '127.0.0.1', perMessageDeflate: false })
    this.#server.on('connection', (socket: WebSocket) => {
      socket.on('message', () => socket.send(JSON.stringify({ ack: 'subscribe', time: '0' })))
      socket.on('error', () => socket.terminate())
    })
  }

  async untilReceivedBy(count: number): Promise<void> {
    while (this.#server.clients.size < count) await once(this.#server, 'connection')
    // Wait for the subscription to arrive.
    await delay(200)
  }

  /** Reports a send to an account, or between two unrelated accounts. */
  tell(to?: string): void {
    const at = this.#told++
    const account = this.#strangers[at % STRANGERS]!
    const block = {
      type: 'state',
      account,
      previous: hash('sha256', `previous ${at}`, 'hex').toUpperCase(),
      representative: account,
      balance: '1000000000000000000000000000000',
      link: hash('sha256', `link ${at}`, 'hex').toUpperCase(),
      link_as_account: to ?? this.#strangers[(at + 1) % STRANGERS]!,
      signature: '0'.repeat(128),
      work: '0'.repeat(16),
      subtype: 'send',
    }
    const message = {
      account,
      amount: '1000000000000000000000000000000',
      hash: hash('sha256', `block ${at}`, 'hex').toUpperCase(),
      confirmation_type: 'active_quorum',
      block,
    }
    const frame = JSON.stringify({ topic: 'confirmation', time: String(Date.now()), message })
    for (const client of this.#server.clients) client.send(frame)
  }

  /** Sends confirmations at a steady rate; `pick` returns the account that one concerns, if any. Returns how many were sent. */
  async stream(
    rate: number,
    seconds: number,
    pick: (at: number) => string | undefined = () => undefined,
  ): Promise<number> {
    const started = performance.now()
    let told = 0
    for (let passed = 0; passed < seconds; passed = (performance.now() - started) / 1_000) {
      for (const due = Math.floor(passed * rate); told < due; told++) this.tell(pick(told))
      await delay(TICK)
    }
    return told
  }

  close(): void {
    for (const client of this.#server.clients) client.terminate()
    this.#server.close()
  }
}

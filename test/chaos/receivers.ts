import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { readMail } from '../support/mail-server.ts'
import type { SeededRandom } from '../support/random.ts'

/** An event received by a shop, with the number of deliveries. */
export interface ToldEvent {
  id: string
  type: string
  checkoutId: string
  body: string
  tellings: number
  /** How often it was sent after the shop had acknowledged it. */
  repeats: number
}

/** Each failure delays the next attempt further, and a gateway that pauses may add a failure. */
const FAILURES_MAX = 1
const ANSWER_LATE = 1_500

/** A shop's webhook receiver: it checks signatures and sometimes fails, is slow or closes the connection before it accepts an event. */
export class Receiver {
  readonly events = new Map<string, ToldEvent>()
  readonly complaints: string[] = []
  readonly #random: SeededRandom
  readonly #secret: string
  readonly #taken = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const signature = String(request.headers['nano-signature'])
      const answer = this.#hear(body, signature)
      if (answer === 'hang up') request.socket.destroy()
      else setTimeout(() => response.writeHead(answer.status).end(), answer.after)
    })
  })

  constructor(random: SeededRandom, secret: string) {
    this.#random = random
    this.#secret = secret
  }

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/paid`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** The received events of one type, by checkout. */
  told(type: string): Map<string, ToldEvent[]> {
    const taken = [...this.events.values()].filter((event) => event.type === type && this.#taken.has(event.id))
    return Map.groupBy(taken, ({ checkoutId }) => checkoutId)
  }

  #hear(body: string, signature: string): { status: number; after: number } | 'hang up' {
    const { id, type, checkout_id: checkoutId } = JSON.parse(body) as Record<string, string>
    const expected = createHmac('sha256', this.#secret).update(body).digest('hex')
    if (signature !== expected) this.complaints.push(`event ${id} has a wrong signature`)
    const known = this.events.get(id!)
    if (known && known.body !== body) this.complaints.push(`event ${id} was told in other bytes the second time`)
    const event = known ?? { id: id!, type: type!, checkoutId: checkoutId!, body, tellings: 0, repeats: 0 }
    event.tellings++
    if (this.#taken.has(id!)) event.repeats++
    this.events.set(id!, event)
    const failures = this.#failures.get(id!) ?? 0
    if (failures < FAILURES_MAX && this.#random.below(8) === 0) {
      this.#failures.set(id!, failures + 1)
      return this.#random.below(2) === 0 ? 'hang up' : { status: 500, after: 0 }
    }
    this.#taken.add(id!)
    return { status: 204, after: this.#random.below(10) === 0 ? ANSWER_LATE : 0 }
  }
}

/** A mail server that sometimes asks for a retry. */
export class Mailbox {
  /** Deliveries by message id. */
  readonly received = new Map<string, number>()
  /** Claim codes by the recipient's address. */
  readonly codes = new Map<string, string>()
  readonly #random: SeededRandom
  readonly #refused = new Set<string>()
  readonly #server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { messageId, text } = readMail({ from: '', to: [], data: Buffer.concat(chunks).toString('latin1') })
        const [, id = ''] = /^<([^@>]+)/.exec(messageId) ?? []
        if (!this.#refused.has(id) && this.#random.below(5) === 0) {
          this.#refused.add(id)
          done(Object.assign(new Error('Try again later'), { responseCode: 451 }))
          return
        }
        this.received.set(id, (this.received.get(id) ?? 0) + 1)
        const [, code] = /#([\w-]{43})$/m.exec(text) ?? []
        if (code !== undefined) for (const { address } of envelope.rcptTo) this.codes.set(address, code)
        done()
      })
    },
  })

  constructor(random: SeededRandom) {
    this.#random = random
    this.#server.on('error', () => undefined)
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve))
    return `smtp://127.0.0.1:${(this.#server.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close(() => undefined)
  }
}

import type { Db } from '../../../src/kernel/db.ts'
import type { WorkThresholds } from '../../../src/kernel/nano/work.ts'
import type { SeededRandom } from '../../support/random.ts'
import type { Answer, Client, Outcome } from '../client.ts'
import type { Made } from '../made.ts'
import type { Money } from '../money.ts'
import type { Payer } from '../payer.ts'
import type { Market } from '../market.ts'
import type { Mailbox } from '../receivers.ts'
import type { Staff } from '../staff.ts'

export interface LoadOptions {
  client: Client
  random: SeededRandom
  payer: Payer
  /** Pays for requests. A gateway publishes its blocks, so it is used for nothing else meanwhile. */
  buyer: Payer
  money: Money
  mailbox: Mailbox
  market: Market
  staff: Staff
  thresholds: WorkThresholds
  webhookUrl: string
  webhookSecret: string
  db: Db
  made: Made
  /** Makes the keys of callers unique. */
  name: string
  ending: AbortSignal
  /** The run has failed: unfinished activities are dropped. */
  over: AbortSignal
}

/** An activity of several requests that waits for others in between. */
export interface Errand {
  what: string
  /** Makes one step; true if it was the last. */
  step(): Promise<boolean>
}

export const PRICES = ['0.00005', '0.0001', '0.000125', '0.0002', '0.0003', '0.0007']
/** How often an unclear request is repeated before the client gives up for now. */
const TRIES_MAX = 12
/** Without faults everything must end; what does not is reported. */
const ERRANDS_MAX = 600_000
const IN_FLIGHT = 'idempotency_in_flight'
/** Temporary refusals. */
const TRANSIENT = new Set([IN_FLIGHT, 'too_many_requests'])

/** Whether the outcome of the request is unknown, so that it must be repeated. */
export const isUnclear = (answer: Outcome): boolean =>
  !answer || answer.status >= 500 || TRANSIENT.has(String(answer.body.code))

/** What all activities of a caller share. */
export class Caller {
  readonly options: LoadOptions
  readonly #errands: Errand[] = []
  #keys = 0

  constructor(options: LoadOptions) {
    this.options = options
  }

  nextKey(what: string): string {
    return `${this.options.name}-${what}-${++this.#keys}`
  }

  later(errand: Errand): void {
    this.#errands.push(errand)
  }

  /** Makes a step of a random activity. */
  async goOn(): Promise<void> {
    if (this.#errands.length > 0) await this.#step(this.options.random.below(this.#errands.length))
  }

  /** Completes every activity. */
  async finish(): Promise<void> {
    const { client, over } = this.options
    const end = performance.now() + ERRANDS_MAX
    while (this.#errands.length > 0 && performance.now() < end) {
      over.throwIfAborted()
      for (let at = this.#errands.length - 1; at >= 0; at--) await this.#step(at)
      await client.pause()
    }
    for (const { what } of this.#errands) client.violations.push(`it never came to its end: ${what}`)
  }

  /** Repeats the request with the same key until its outcome is known; undefined after too many tries. */
  async untilClear(request: object, key: string): Promise<Answer | undefined> {
    const { client, made } = this.options
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const answer = await client.post(request, key)
      if (answer?.status === 200) return answer
      if (answer && !isUnclear(answer)) {
        this.complain('a refusal of what was right', answer)
        return undefined
      }
      await client.pause()
    }
    made.givenUp++
    return undefined
  }

  /** Checks that the same request gets the same answer again, from any instance. */
  async repeat(request: object, key: string, member: string, expected: string): Promise<void> {
    const answer = await this.options.client.post(request, key)
    if (answer?.status === 200 && answer.body[member] !== expected) {
      this.complain(`${key} was ${expected} the first time`, answer)
    }
  }

  complain(what: string, { from, status, text }: Answer): void {
    this.options.client.violations.push(`${what}: ${from} answered ${status} ${text.slice(0, 300)}`)
  }

  async #step(at: number): Promise<void> {
    const errand = this.#errands[at]!
    if (await errand.step()) this.#errands.splice(this.#errands.indexOf(errand), 1)
  }
}

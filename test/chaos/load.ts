import { setTimeout as sleep } from 'node:timers/promises'
import { formatNano, toRaw } from '../../src/kernel/money.ts'
import { type WorkThresholds, workValue } from '../../src/kernel/nano/work.ts'
import type { Account } from '../support/purse.ts'
import type { SeededRandom } from '../support/random.ts'
import type { Answer, Client } from './client.ts'
import type { Payer } from './payer.ts'

/** A payment that was asked for, and what the client knows of it. */
export interface AskedCheckout {
  id: string
  address: string
  amountRaw: bigint
  mode: string
  notify: boolean
  /** The block that pays it; unset where nobody has paid. */
  paidBy: string | undefined
}

export interface AskedSend {
  key: string
  amountRaw: bigint
  /** The hash that a client was told; unset while it was told nothing it can rely on. */
  hash: string | undefined
}

export interface Made {
  checkouts: AskedCheckout[]
  sends: AskedSend[]
  /** Credits that answers said were spent on work. */
  workAnswers: number
  workAttempts: number
  reads: number
  /** Checkouts and sends whose key stayed taken by a process that died. */
  givenUp: number
  /** Checkouts that nobody paid because the money was spent. */
  unaffordable: number
}

export interface LoadOptions {
  client: Client
  random: SeededRandom
  payer: Payer
  wallets: readonly string[]
  merchants: readonly Account[]
  friend: Account
  thresholds: WorkThresholds
  webhookUrl: string
  webhookSecret: string
  made: Made
  /** Distinguishes the keys of one caller from those of others. */
  name: string
  ending: AbortSignal
  /** The run has failed: nothing is brought to its end any more. */
  over: AbortSignal
}

const PRICES = ['0.00005', '0.0001', '0.000125', '0.0002', '0.0003', '0.0007']
/** How often an unclear request is repeated before the client lets it be. */
const TRIES_MAX = 12
const IN_FLIGHT = 'idempotency_in_flight'
/** Refusals that end with time. */
const TRANSIENT = new Set([IN_FLIGHT, 'too_many_requests'])

/** One caller that does this and that, one thing after another, until it is told to end; each thing is brought to its end. */
export async function runLoad(options: LoadOptions): Promise<void> {
  const { random, ending } = options
  const caller = new Caller(options)
  while (!ending.aborted) {
    const dice = random.below(100)
    if (dice < 30) await caller.read()
    else if (dice < 65) await caller.checkOut()
    else if (dice < 85) await caller.send()
    else await caller.work()
    await sleep(random.below(120))
  }
}

class Caller {
  readonly #options: LoadOptions
  #keys = 0

  constructor(options: LoadOptions) {
    this.#options = options
  }

  async read(): Promise<void> {
    const { client, payer, random, made } = this.#options
    const account = payer.account.address
    const question = random.below(3)
    if (question === 0) {
      const answer = await client.post({ action: 'block_count' })
      if (answer?.status === 200 && !/^\d+$/.test(String(answer.body.count))) this.#complain('no block count', answer)
    } else if (question === 1) {
      // Blocks are built on this answer: it must never be older than what its owner has published.
      const answer = await client.post({ action: 'account_info', account })
      if (answer?.status === 200 && answer.body.frontier !== payer.frontier) this.#complain('an old frontier', answer)
    } else {
      const answer = await client.post({ action: 'accounts_balances', accounts: [account] })
      if (answer?.status === 200 && answer.body.balances === undefined) this.#complain('no balances', answer)
    }
    made.reads++
  }

  async checkOut(): Promise<void> {
    const { client, random, merchants, webhookUrl, webhookSecret, made, payer, over } = this.#options
    const mode = random.below(4) === 0 ? 'generated_wallet' : 'unique_amount'
    const notify = random.below(3) === 0
    const request = {
      action: 'checkout',
      address: random.pick(merchants).address,
      amount: random.pick(PRICES),
      mode,
      webhook_url: webhookUrl,
      webhook_secret: webhookSecret,
      ...(notify && { notify: 'shop@example.com' }),
    }
    const key = this.#nextKey('checkout')
    const answer = await this.#untilClear(request, key)
    if (!answer) return
    const { id, address, amount_raw: amount } = answer.body as Record<string, string>
    if (id === undefined || address === undefined || amount === undefined) {
      this.#complain('no checkout', answer)
      return
    }
    const checkout: AskedCheckout = { id, address, amountRaw: BigInt(amount), mode, notify, paidBy: undefined }
    made.checkouts.push(checkout)
    if (random.below(3) === 0) await this.#repeat(request, key, 'id', id)
    const before = await client.get(`/check/${id}`)
    if (before?.status === 404) this.#complain(`checkout ${id} was acknowledged and is not there`, before)
    if (before?.status === 200 && before.body.success !== false) this.#complain('paid before anybody paid', before)
    // Some are never paid, and must never look as if they were.
    if (random.below(8) === 0) return
    const through = random.below(2) === 0 ? client : undefined
    if (payer.balance < checkout.amountRaw) made.unaffordable++
    else checkout.paidBy = await payer.pay(address, checkout.amountRaw, { through, over })
  }

  async send(): Promise<void> {
    const { random, wallets, friend, made } = this.#options
    const wallet = random.pick(wallets)
    // Everybody's amount is another, so that the friend can tell one send from the next.
    const amountRaw = (random.bigint(56) << 24n) + BigInt(made.sends.length + 1)
    const key = this.#nextKey('send')
    const send: AskedSend = { key, amountRaw, hash: undefined }
    made.sends.push(send)
    const amount = formatNano(toRaw(amountRaw))
    const request = { action: 'cloud_wallet', account: wallet, send: friend.address, amount }
    const answer = await this.#untilClear(request, key)
    if (!answer) return
    const { hash } = answer.body as Record<string, string>
    if (hash === undefined) {
      this.#complain('no hash', answer)
      return
    }
    send.hash = hash
    if (random.below(3) === 0) await this.#repeat(request, key, 'hash', hash)
  }

  async work(): Promise<void> {
    const { client, random, made, thresholds } = this.#options
    const root = random.hex(64)
    made.workAttempts++
    const answer = await client.post({ action: 'work_generate', hash: root })
    if (answer?.status !== 200) return
    const { work, credits } = answer.body
    if (typeof work !== 'string' || workValue(root, work) < thresholds.send) {
      this.#complain('work that is none', answer)
    }
    if (credits === 1) made.workAnswers++
  }

  #nextKey(what: string): string {
    return `${this.#options.name}-${what}-${++this.#keys}`
  }

  /** Asks with the same key until the answer says what happened; undefined when nobody can say for now. */
  async #untilClear(request: object, key: string): Promise<Answer | undefined> {
    const { client, made } = this.#options
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const answer = await client.post(request, key)
      if (answer?.status === 200) return answer
      if (answer && answer.status < 500 && !TRANSIENT.has(String(answer.body.code))) {
        this.#complain('a refusal of what was right', answer)
        return undefined
      }
      await client.pause()
    }
    made.givenUp++
    return undefined
  }

  /** The same request again must tell the same, from whichever instance. */
  async #repeat(request: object, key: string, member: string, expected: string): Promise<void> {
    const answer = await this.#options.client.post(request, key)
    if (answer?.status === 200 && answer.body[member] !== expected) {
      this.#complain(`${key} was ${expected} the first time`, answer)
    }
  }

  #complain(what: string, { from, status, text }: Answer): void {
    this.#options.client.violations.push(`${what}: ${from} answered ${status} ${text.slice(0, 300)}`)
  }
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { parseNano } from '../../src/kernel/money.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Payer } from '../../test/chaos/payer.ts'
import { Purse, patienceOf } from '../../test/support/purse.ts'
import type { SeededRandom } from '../../test/support/random.ts'

/** Requests started each second, by kind. */
const RATES = {
  'remembered read': 20,
  'distinct read': 5,
  'bad request': 2,
  checkout: 1,
  payment: 0.5,
  'wallet send': 0.5,
  'dashboard page': 0.5,
  'websocket client': 0.5,
} as const
type Kind = keyof typeof RATES

const KNOWN = 50
const WALLETS = 4
const PAYERS = 4
const SOCKETS_MAX = 20
/** A request without an answer by then has failed. At most `WAITING_MAX` of a kind are in flight. */
const ANSWER_MAX = 30_000
const WAITING_MAX = 20
const PAGES = ['', '/checkouts', '/wallets', '/webhooks', '/keys', '/links', '/credits', '/emails', '/pos', '/admin']
const never = new AbortController().signal

interface Due {
  id: string
  address: string
  amountRaw: bigint
}

export interface LoadCounts {
  done: Record<string, number>
  /** Failures by kind: how many, and the last reason. */
  failed: Record<string, { count: number; last: string }>
  /** Requests not sent, because too many of their kind were in flight. */
  left: number
  webhooks: number
  frames: number
}

/** All kinds of users of a gateway, at a fixed rate. */
export class SoakLoad {
  readonly counts: LoadCounts = { done: {}, failed: {}, left: 0, webhooks: 0, frames: 0 }
  /** Response times since the last sample, in milliseconds. */
  #times: number[] = []
  readonly #url: string
  readonly #random: SeededRandom
  readonly #purse: Purse
  readonly #idle: Payer[] = []
  readonly #free: string[] = []
  readonly #due: Due[] = []
  readonly #sockets = new Set<WebSocket>()
  readonly #hashes: string[] = []
  readonly #timers: NodeJS.Timeout[] = []
  readonly #waiting: Record<string, number> = {}
  #key = ''
  #cookie = ''
  #webhookUrl = ''
  #distinct = 0
  readonly #receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      this.counts.webhooks++
      response.writeHead(204).end()
    })
  })

  constructor(url: string, random: SeededRandom) {
    this.#url = url
    this.#random = random
    const funds = DEV_NETWORK.genesisPrivateKey
    const firstAccount = random.below(2 ** 31)
    this.#purse = new Purse({ funds, firstAccount, rpcUrl: () => url, patience: patienceOf('dev') })
  }

  async open(key: string): Promise<void> {
    this.#key = key
    this.#receiver.listen(0, '127.0.0.1')
    await once(this.#receiver, 'listening')
    this.#webhookUrl = `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}/`
    for (let at = 0; at < PAYERS; at++) {
      const payer = new Payer(this.#purse, { rpcUrl: this.#url, wsUrl: '' })
      await payer.open(parseNano('10000')!)
      this.#hashes.push(payer.frontier)
      this.#idle.push(payer)
    }
    for (let at = 0; at < WALLETS; at++) {
      const { address } = await this.#post({ action: 'cloud_wallet', refund_address: this.#purse.source.address })
      await this.#purse.send(this.#purse.source, address!, parseNano('1000')!)
      await this.#post({ action: 'cloud_wallet', account: address, receive: true })
      this.#free.push(address!)
    }
    const body = new URLSearchParams({ key })
    const entered = await this.#fetch('/dashboard/sign-in/key', {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { origin: this.#url, 'sec-fetch-site': 'same-origin' },
    })
    this.#cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
    if (this.#cookie === '') throw new Error(`No session: ${entered.status} ${await entered.text()}`)
  }

  begin(): void {
    for (const [kind, rate] of Object.entries(RATES) as [Kind, number][]) {
      this.#timers.push(setInterval(() => void this.#do(kind), 1_000 / rate))
    }
  }

  /** Stops starting requests and waits for those in flight. */
  async rest(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    const end = performance.now() + ANSWER_MAX
    while (Object.values(this.#waiting).some((count) => count > 0) && performance.now() < end) await delay(50)
  }

  close(): void {
    for (const socket of this.#sockets) socket.terminate()
    this.#receiver.closeAllConnections()
    this.#receiver.close()
  }

  takeTimes(): number[] {
    const times = this.#times
    this.#times = []
    return times
  }

  async #do(kind: Kind): Promise<void> {
    const waiting = this.#waiting[kind] ?? 0
    if (waiting >= WAITING_MAX) {
      this.counts.left++
      return
    }
    this.#waiting[kind] = waiting + 1
    const begun = performance.now()
    try {
      if (!(await this.#run(kind))) return
      this.#times.push(performance.now() - begun)
      this.counts.done[kind] = (this.counts.done[kind] ?? 0) + 1
    } catch (error) {
      const last = error instanceof Error ? error.message : String(error)
      this.counts.failed[kind] = { count: (this.counts.failed[kind]?.count ?? 0) + 1, last: last.slice(0, 200) }
    } finally {
      this.#waiting[kind]--
    }
  }

  /** Returns false if there was nothing to do. */
  async #run(kind: Kind): Promise<boolean> {
    switch (kind) {
      case 'remembered read': {
        const at = this.#random.below(KNOWN)
        if (at < this.#hashes.length) await this.#post({ action: 'block_info', hash: this.#hashes[at]! })
        else await this.#post({ action: 'account_balance', account: accountOf(at) })
        return true
      }
      case 'distinct read':
        await this.#post({ action: 'account_balance', account: accountOf(1_000 + this.#distinct++) })
        return true
      case 'bad request':
        await this.#ask(this.#random.pick(BAD), 400)
        return true
      case 'checkout':
        return this.#checkOut()
      case 'payment':
        return this.#pay()
      case 'wallet send':
        return this.#send()
      case 'dashboard page':
        await this.#look()
        return true
      case 'websocket client':
        return this.#comeAndGo()
    }
  }

  async #checkOut(): Promise<boolean> {
    const asked = { action: 'checkout', address: this.#purse.source.address, amount: '0.01' }
    const mode = this.#random.below(4) === 0 ? 'generated_wallet' : 'unique_amount'
    const made = await this.#post({ ...asked, mode, webhook_url: this.#webhookUrl })
    const { id, address, amount_raw: amountRaw } = made as Record<'id' | 'address' | 'amount_raw', string>
    // Half of the checkouts are never paid.
    if (this.#random.below(2) === 0) this.#due.push({ id, address, amountRaw: BigInt(amountRaw) })
    return true
  }

  async #pay(): Promise<boolean> {
    const payer = this.#idle.shift()
    const checkout = payer && this.#due.shift()
    if (payer && !checkout) this.#idle.push(payer)
    if (!payer || !checkout) return false
    try {
      await payer.pay(checkout.address, checkout.amountRaw, { through: undefined, over: never })
      for (;;) {
        const check = await this.#fetch(`/check/${checkout.id}`)
        const { success } = (await check.json()) as { success: boolean }
        if (success) return true
        await delay(200)
      }
    } finally {
      this.#idle.push(payer)
    }
  }

  async #send(): Promise<boolean> {
    const wallet = this.#free.shift()
    if (wallet === undefined) return false
    try {
      await this.#post({ action: 'cloud_wallet', account: wallet, send: this.#purse.source.address, amount: '0.001' })
      return true
    } finally {
      this.#free.push(wallet)
    }
  }

  async #look(): Promise<void> {
    const page = await this.#fetch(`/dashboard${this.#random.pick(PAGES)}`, { headers: { cookie: this.#cookie } })
    const text = await page.text()
    if (page.status !== 200) throw new Error(`${page.url} answered ${page.status}: ${text.slice(0, 100)}`)
  }

  /** Adds one websocket client, and closes the oldest if there are many. */
  async #comeAndGo(): Promise<boolean> {
    const socket = new WebSocket(`${this.#url.replace('http', 'ws')}/ws`)
    socket.on('error', () => this.#sockets.delete(socket))
    socket.on('message', () => this.counts.frames++)
    await once(socket, 'open')
    socket.send(JSON.stringify({ action: 'subscribe', topic: 'confirmation' }))
    this.#sockets.add(socket)
    if (this.#sockets.size > SOCKETS_MAX) {
      const [oldest] = this.#sockets
      this.#sockets.delete(oldest!)
      if (this.#random.below(2) === 0) oldest!.terminate()
      else oldest!.close()
    }
    return true
  }

  #post(body: object): Promise<Record<string, string>> {
    return this.#ask(JSON.stringify(body), 200)
  }

  async #ask(body: string, expected: number): Promise<Record<string, string>> {
    const headers = { authorization: `Bearer ${this.#key}` }
    const response = await this.#fetch('/', { method: 'POST', headers, body })
    const text = await response.text()
    if (response.status !== expected) throw new Error(`${response.status} in place of ${expected}: ${text}`)
    return JSON.parse(text) as Record<string, string>
  }

  #fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#url}${path}`, { ...init, signal: AbortSignal.timeout(ANSWER_MAX) })
  }
}

const BAD = [
  '{',
  '{}',
  '[1,2',
  '{"action":"account_balance"}',
  '{"action":"account_balance","account":"nano_1"}',
  '\u0000',
]

const accountOf = (at: number) => toAddress((at + 1).toString(16).padStart(64, '0').toUpperCase())

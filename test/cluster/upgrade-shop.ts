import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import type { TestContext } from 'node:test'
import { verifyWebhook } from '../../docs/examples/verify-webhook.ts'
import type { LedgerNode } from '../../src/devnet/index.ts'
import { parseNano, toRaw } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, fundsOf, give } from '../support/blocks.ts'
import { serveWhole } from '../support/serve.ts'
import { until } from '../support/until.ts'

/* A shop that only uses the API of the last release. */

const merchant = new Signer(61).address
const friend = new Signer(62).address
const heir = new Signer(63).address
const NAME = 'upgradedshop'
const SENT = '0.000000000000000000000000000007'

export interface Answer {
  status: number
  text: string
}

/** One request on a new connection. */
export function ask(url: string, method: string, headers: Record<string, string>, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, agent: false, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() }))
    })
    request.on('error', reject)
    request.end(body)
  })
}

type Fields = Record<string, string>

export class Shop {
  /** Bodies of received webhooks with a valid signature. */
  readonly #heard = new Map<string, string[]>()
  readonly #node: LedgerNode
  readonly #url: string
  #receiver = ''
  #secret = ''
  #admin = ''
  #key = ''
  #keys = 0
  /** Acknowledged sends to the friend, and the wallet's balance before them. */
  #sends = 0
  #left = 0n
  /** Amounts paid for orders, in raw. */
  readonly #sold: bigint[] = []
  /** Objects made before the upgrade, by kind. */
  #made: Fields = {}

  private constructor(node: LedgerNode, url: string) {
    this.#node = node
    this.#url = url
  }

  static async open(t: TestContext, node: LedgerNode, url: string): Promise<Shop> {
    const shop = new Shop(node, url)
    shop.#receiver = await serveWhole(t, (body, { headers }, response) => {
      const { type, checkout_id: checkout } = verifyWebhook(body, headers, shop.#secret) as Fields
      shop.#heard.set(`${type} ${checkout}`, [...(shop.#heard.get(`${type} ${checkout}`) ?? []), body])
      response.writeHead(204).end()
    })
    return shop
  }

  /** Uses all features of the last release. Some objects are finished; some are left for the new version. */
  async fill(adminKey: string): Promise<void> {
    this.#admin = adminKey
    this.#key = (await this.#rest('POST', '/api/keys', { name: 'Shop' }, adminKey)).key!
    this.#secret = (await this.#rest('POST', '/api/webhooks/secret/rotate', {})).webhook_secret!
    const made = this.#made
    const wallet = (made.wallet = (await this.call('cloud_wallet', { refund_address: heir })).address!)
    await this.#give(wallet, '50')
    made.open = (await this.order()).id!
    made.paid = await this.sell()
    made.cancelled = (await this.order()).id!
    await this.#rest('DELETE', `/api/checkouts/${made.cancelled}`)
    const name = await this.call('get_name', { name: NAME })
    await this.#buy(name, wallet)
    await this.#buy(await this.call('buy_rpc', {}), wallet)
    const send = { account: wallet, send: friend, amount: '1.5' }
    made.sent = (await this.call('cloud_wallet', send, 'before the upgrade')).hash!
    this.#left = fundsOf(this.#node, wallet)
    const share = { emails: ['alice@example.com'], amount: '0.5', from: 'Bob', refund_address: heir }
    const payment = await this.call('nano_email', share)
    made.mailed = payment.id!
    await this.#give(payment.address!, '0.5')
    await until(async () => (await this.#findClaim()) !== undefined)
  }

  /** Everything the owner sees; none of it may change in the upgrade. */
  async look(): Promise<Record<string, unknown>> {
    const { open, paid, cancelled, mailed } = this.#made
    const seen: Record<string, unknown> = {}
    for (const id of [open, paid, cancelled]) seen[`check ${id}`] = await this.#rest('GET', `/check/${id}`)
    seen.events = await this.#listEvents(paid!)
    seen.name = (await this.call('account_balance', { account: `@${NAME}` })).address
    seen.credits = (await this.call('rpc_credits', {})).credits
    const { status, amount_raw: raw, block } = await this.#rest('GET', `/email/${mailed}/check`)
    seen.mailed = { status, raw, block }
    const { keys } = (await this.#rest('GET', '/api/keys')) as unknown as { keys: Fields[] }
    seen.keys = keys.map(({ id, name, kind }) => ({ id, name, kind }))
    return seen
  }

  /** After the upgrade, completes what was begun before it, with the ids and codes issued then. */
  async finish(): Promise<void> {
    const { open, paid, wallet, sent } = this.#made
    const again = { account: wallet, send: friend, amount: '1.5' }
    const before = fundsOf(this.#node, friend)
    const { hash } = await this.call('cloud_wallet', again, 'before the upgrade')
    assert.equal(hash, sent, 'a send is the same one when it is asked for again')
    assert.equal(fundsOf(this.#node, friend), before)

    const order = await this.#rest('GET', `/check/${open}`)
    await this.#pay(open!, order)

    const completed = (await this.#listEvents(paid!)).find(({ type }) => type === 'payment.completed')!
    await this.#rest('POST', `/api/events/${completed.id}/redeliver`, {})
    const told = () => this.#heard.get(`payment.completed ${paid}`)!
    await until(() => told().length > 1)
    assert.equal(told().at(-1), told()[0], 'an event is told again in the same bytes')

    const code = await this.#findClaim()
    const address = new Signer(64).address
    const share = await this.#rest('POST', '/claim', { code: code!, address })
    assert.equal(share.status, 'claimed')
    await until(() => fundsOf(this.#node, address) === parseNano('0.5')!)
  }

  /** A sale from order to webhook; returns the checkout. */
  async sell(): Promise<string> {
    const order = await this.order()
    await this.#pay(order.id!, order)
    return order.id!
  }

  order(key?: string): Promise<Fields> {
    const fields = { address: merchant, amount: '1.25', webhook_url: this.#receiver, metadata: { order: 'A-1' } }
    return this.call('checkout', fields, key)
  }

  /** The usual requests of a busy shop. */
  async askAround(url: string, again: (send: () => Promise<Answer>) => Promise<Answer>): Promise<void> {
    const { wallet, paid } = this.#made
    const turn = String(++this.#keys)
    const read = (path: string) => this.#expect(again(() => ask(`${url}${path}`, 'GET', {})))
    const post = (action: string, fields: object, headers = {}) =>
      this.#expect(again(() => ask(url, 'POST', headers, JSON.stringify({ action, ...fields }))))
    const own = { authorization: `Bearer ${this.#key}` }
    await post('account_balance', { account: merchant })
    await post('account_info', { account: wallet }, own)
    const order = { address: merchant, amount: '3.5', webhook_url: this.#receiver }
    const { id } = await post('checkout', order, { ...own, 'idempotency-key': `order ${turn}` })
    await read(`/check/${id}`)
    await read(`/check/${paid}`)
    const send = { account: wallet, send: friend, amount: SENT }
    await post('cloud_wallet', send, { ...own, 'idempotency-key': `send ${turn}` })
    this.#sends++
    await post('cloud_wallet', { account: wallet, balance: true }, own)
  }

  /** Every acknowledged send must have arrived once with the exact amount, and every payment must be recorded, whichever version wrote it. */
  async assertMoney(): Promise<void> {
    const sent = BigInt(this.#sends) * parseNano(SENT)!
    assert.equal(fundsOf(this.#node, friend), parseNano('1.5')! + sent)
    const { balance, receivable } = await this.call('cloud_wallet', { account: this.#made.wallet, balance: true })
    assert.equal(BigInt(balance!) + BigInt(receivable!), this.#left - sent)
    const { revenue, summary } = (await this.call('checkout_report', { limit: 1 })) as unknown as {
      summary: { by_status: Record<string, number> }
      revenue: Record<string, { count: number; amount_raw: string }>
    }
    const { count, amount_raw: raw } = revenue.NANO!
    assert.deepEqual([count, BigInt(raw)], [this.#sold.length, this.#sold.reduce((sum, each) => sum + each, 0n)])
    assert.deepEqual([summary.by_status.complete, summary.by_status.cancelled], [this.#sold.length, 1])
  }

  async call(action: string, fields: object, once?: string): Promise<Fields> {
    const headers = { ...this.#own(), ...(once !== undefined && { 'idempotency-key': once }) }
    return this.#expect(ask(this.#url, 'POST', headers, JSON.stringify({ action, ...fields })))
  }

  #rest(method: string, path: string, body?: object, key = this.#key): Promise<Fields> {
    const headers = { ...this.#own(key), accept: 'application/json', 'content-type': 'application/json' }
    return this.#expect(ask(`${this.#url}${path}`, method, headers, body && JSON.stringify(body)))
  }

  #own = (key = this.#key) => ({ authorization: `Bearer ${key}` })

  async #expect(asked: Promise<Answer>): Promise<Fields> {
    const { status, text } = await asked
    const answer = JSON.parse(text) as Fields
    if (status > 201 || answer.error !== undefined) throw new Error(`${status} ${text.slice(0, 300)}`)
    return answer
  }

  async #pay(id: string, { address, amount_raw: amount }: Fields): Promise<void> {
    await give(this.#node, fromAddress(address!)!, toRaw(BigInt(amount!)))
    await until(async () => (await this.#rest('GET', `/check/${id}`)).status === 'complete')
    await until(() => this.#heard.has(`payment.completed ${id}`))
    this.#sold.push(BigInt(amount!))
  }

  /** Pays an x402 offer from the wallet. */
  async #buy(offer: Fields, wallet: string): Promise<void> {
    const { address, id, plans } = offer as unknown as { address: string; id: string; plans: { value: string }[] }
    await this.call('cloud_wallet', { account: wallet, send: address, amount: plans[0]!.value })
    await until(async () => (await this.#rest('GET', `/check/${id}`)).status === 'complete')
  }

  #give(address: string, nano: string): Promise<string> {
    return give(this.#node, fromAddress(address)!, parseNano(nano)!)
  }

  /** The account's events about a checkout. */
  async #listEvents(id: string): Promise<{ id: string; type: string }[]> {
    const { events } = (await this.#rest('GET', '/api/events?limit=100')) as unknown as { events: Fields[] }
    return events.filter((event) => JSON.stringify(event).includes(id)) as { id: string; type: string }[]
  }

  async #findClaim(): Promise<string | undefined> {
    const { mails } = (await this.#rest('GET', '/api/mails', undefined, this.#admin)) as unknown as { mails: Fields[] }
    const mail = mails.find(({ recipient }) => recipient === 'alice@example.com')
    return /\/claim#(\S+)/.exec(mail?.text ?? '')?.[1]
  }
}

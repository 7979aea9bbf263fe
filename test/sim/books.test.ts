import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { formatNano, toRaw } from '../../src/kernel/money.ts'
import { hastenScans } from '../../src/modules/checkout/scans-store.ts'
import { turnUntil } from '../support/checkout-steps.ts'
import type { Customer } from '../support/customer.ts'
import { forEachEngine } from '../support/engines.ts'
import { idIn, sendForm } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { type Refund, openRefundShop } from '../support/refund-steps.ts'
import { isThorough } from '../support/thorough.ts'

/*
 * Two merchants share one address. Orders with unique amounts and with wallets, payment links, a till, refunds by send and by link (claimed and declined),
 * and misdirected payments happen in an order chosen by the seed. Then an oracle compares all books with the payers' sends: every raw counts at most once
 * for each owner, and internal transfers count nowhere.
 */

const STEPS = isThorough ? 30 : 14

interface Open {
  id: string
  address: string
  amountRaw: bigint
  owner: Customer
}

/** A payer's send. */
interface Sent {
  hash: string
  amountRaw: bigint
  to: string
}

type Opened = Awaited<ReturnType<typeof openRefundShop>>

interface Till {
  id: string
  token: string
}

class Market {
  readonly #random: SeededRandom
  readonly #opened: Opened
  readonly #other: Customer
  readonly #till: Till
  readonly #open: Open[] = []
  readonly #paid: string[] = []
  readonly #sent: Sent[] = []
  /** What has left the shared wallet for good. */
  #given = 0n
  #refunds = 0

  private constructor(random: SeededRandom, opened: Opened, other: Customer, till: Till) {
    this.#random = random
    this.#opened = opened
    this.#other = other
    this.#till = till
  }

  static async start(t: TestContext, engine: StoreEngine, random: SeededRandom): Promise<Market> {
    const opened = await openRefundShop(t, engine)
    const { shop, merchant, wallet } = opened
    const other = await shop.join()
    const pos = await shop.rest('POST', '/api/pos', merchant.key, { address: wallet, title: 'Counter' })
    const { id, link } = pos.json<{ id: string; link: string }>()
    const market = new Market(random, opened, other, { id, token: link.split('#')[1]! })
    // Both have an open-amount order at the address from the beginning, so that any amount sent there pays something.
    for (const owner of [merchant, other]) await market.#order(owner, { amount: '50' })
    return market
  }

  async run(): Promise<void> {
    const steps = [
      () => this.#order(this.#owner(), { amount: this.#price() }),
      () => this.#order(this.#owner(), { amount: this.#price(), mode: 'generated_wallet' }),
      () => this.#buy(),
      () => this.#ring(),
      () => this.#pay(),
      () => this.#pay(),
      () => this.#payAstray(),
      () => this.#payAstray(),
      () => this.#pay(this.#opened.wallet, 10n ** 30n + BigInt(this.#random.below(1_000))),
      () => this.#refund('send'),
      () => this.#refund('link'),
    ]
    // Every run needs at least these steps; the seed chooses those in between.
    await this.#order(this.#opened.merchant, { amount: '2', mode: 'generated_wallet' })
    await this.#order(this.#opened.merchant, { amount: '3' })
    await this.#payAstray()
    for (let step = 0; step < STEPS; step++) await this.#random.pick(steps)()
    await this.#pay()
    await this.#refund('link')
  }

  #owner = () => (this.#random.below(3) === 0 ? this.#other : this.#opened.merchant)
  #price = () => `${1 + this.#random.below(9)}`

  async #order(owner: Customer, fields: object): Promise<void> {
    const { shop, wallet } = this.#opened
    const made = await shop.open({ address: wallet, ...fields }, owner.headers)
    this.#open.push({ id: made.id, address: made.address, amountRaw: BigInt(made.amount_raw), owner })
  }

  async #note(id: string): Promise<void> {
    const { address, amount_raw: raw } = await this.#opened.shop.check(id)
    this.#open.push({ id, address, amountRaw: BigInt(raw), owner: this.#opened.merchant })
  }

  async #buy(): Promise<void> {
    const { shop, merchant, wallet } = this.#opened
    const mode = this.#random.pick(['unique_amount', 'generated_wallet'])
    const fields = { address: wallet, title: 'Mug', amount: this.#price(), mode }
    const link = await shop.rest('POST', '/api/links', merchant.key, fields)
    await this.#note(idIn(await sendForm(link.json<{ url: string }>().url)))
  }

  async #ring(): Promise<void> {
    const amount = this.#price()
    const key = `tap-${this.#random.below(2 ** 32)}-${this.#open.length}`.padEnd(20, '0')
    const headers = { 'pos-token': this.#till.token, accept: 'application/json' }
    const body = JSON.stringify({ key, amount, total: amount })
    const sale = await ask(`${this.#opened.shop.url}/pos/${this.#till.id}/sales`, { headers, body })
    await this.#note(sale.json<{ id: string }>().id)
  }

  /** Pays an order its amount, or the given amount. */
  async #pay(to?: string, amountRaw?: bigint): Promise<void> {
    const order = this.#random.pick(this.#open)
    const sent = { to: to ?? order.address, amountRaw: amountRaw ?? order.amountRaw }
    const hash = await this.#opened.world.pay(sent.to, `${sent.amountRaw}`)
    this.#sent.push({ hash, ...sent })
    if (to === undefined) this.#paid.push(order.id)
    await this.#rest()
  }

  /** Pays the amount of one order into the wallet of another. */
  async #payAstray(): Promise<void> {
    const { wallet } = this.#opened
    const ofWallets = this.#open.filter(({ address }) => address !== wallet)
    const waiting = this.#open.filter(({ address }) => address === wallet)
    if (ofWallets.length > 0 && waiting.length > 0)
      await this.#pay(this.#random.pick(ofWallets).address, this.#random.pick(waiting).amountRaw)
  }

  async #refund(as: 'send' | 'link'): Promise<void> {
    const { world, shop, wallet, refund, list } = this.#opened
    if (this.#paid.length === 0) return
    const id = this.#random.pick(this.#paid)
    // At most one nano, which the shared wallet has after its first payment; a merchant cannot refund others' orders. Amounts differ, because the same
    // amount within a minute would be the same refund.
    const amount = `0.${500 + ++this.#refunds}`
    const reply = await refund(id, { amount, as, from: wallet })
    if (reply.status !== 200) return
    const { id: refundId, amount_raw: raw, claim_url: url } = reply.json<Refund>()
    const amountRaw = BigInt(raw)
    const untilRefund = (wanted: string) =>
      turnUntil(world, 2_500, async () =>
        (await list(id)).refunds.some((one) => one.id === refundId && one.status === wanted),
      )
    if (as === 'send') {
      await untilRefund('sent')
      this.#given += amountRaw
      return
    }
    const code = url!.split('#')[1]!
    const post = (path: string, fields: object) =>
      ask(`${shop.url}${path}`, { body: JSON.stringify({ code, ...fields }) })
    await untilRefund('waiting_for_claim')
    const isFunded = async () => {
      const rows = shop.app.store.db.selectFrom('email_payments').select('status')
      return (await rows.where('status', '=', 'waiting').execute()).length === 0
    }
    await turnUntil(world, 6_000, isFunded)
    if (this.#random.below(2) === 0) {
      assert.equal((await post('/claim/decline', {})).status, 200)
      await untilRefund('failed')
    } else {
      // The recipient claims it to the shared address, where it counts as a payment like any other.
      await turnUntil(world, 6_000, async () => (await post('/claim', { address: wallet })).status === 200)
      await untilRefund('claimed')
      const claims = shop.app.store.db.selectFrom('wallet_blocks').select(['hash']).where('purpose', '=', 'claim')
      const known = new Set(this.#sent.map(({ hash }) => hash))
      const claimed = (await claims.execute()).filter(({ hash }) => !known.has(hash!))
      for (const { hash } of claimed) this.#sent.push({ hash: hash!, to: wallet, amountRaw })
    }
    await this.#rest()
  }

  /** Nothing is in progress, and all arrivals have been processed. */
  async #rest(): Promise<void> {
    const { world, shop } = this.#opened
    const { db } = shop.app.store
    const isQuiet = async () => {
      const blocks = db
        .selectFrom('wallet_blocks')
        .select('id')
        .where('status', 'in', ['queued', 'signed', 'broadcast'])
      const ending = db.selectFrom('wallets').select('id').where('status', '=', 'expiring')
      return (await blocks.execute()).length + (await ending.execute()).length === 0
    }
    const addresses = [...new Set(this.#sent.map(({ to }) => to)), this.#opened.wallet]
    for (let looks = 0; looks < 2; looks++) {
      await turnUntil(world, 1_000, isQuiet)
      const now = world.clock.now()
      await hastenScans(db, addresses, now)
      const unseen = db
        .selectFrom('watched_addresses')
        .select('address')
        .where('address', 'in', addresses)
        .where('scanned_at', '<=', now)
      await turnUntil(world, 1_000, async () => (await unseen.execute()).length === 0)
    }
  }

  async judge(): Promise<void> {
    await this.#rest()
    const { shop, merchant, wallet, fundsOf } = this.#opened
    const { db } = shop.app.store
    const payments = await db.selectFrom('checkout_payments').selectAll().execute()
    const sentBy = new Map(this.#sent.map((sent) => [sent.hash, sent]))
    for (const { block_hash: hash, amount_raw: raw, owner } of payments) {
      assert.ok(sentBy.has(hash), `${owner} was paid ${formatNano(toRaw(BigInt(raw)))} nano that no payer has sent`)
      assert.equal(BigInt(raw), sentBy.get(hash)!.amountRaw)
    }
    const wallets = new Map(this.#open.map(({ address, owner }) => [address, owner.accountId]))
    for (const { accountId } of [merchant, this.#other]) {
      const own = payments.filter(({ owner }) => owner === accountId).map(({ block_hash: hash }) => hash)
      const due = this.#sent.filter(({ to }) => to === wallet || wallets.get(to) === accountId).map(({ hash }) => hash)
      assert.deepEqual(own.sort(), due.sort(), 'whatever a person has sent is in the books once, and nothing else')
    }
    const checkouts = await db.selectFrom('checkouts').selectAll().execute()
    for (const { id, paid_raw: paid, refunded_raw: refunded } of checkouts) {
      const counted = payments.filter(({ checkout_id: of, kind }) => of === id && kind !== 'unmatched')
      assert.equal(
        BigInt(paid),
        counted.reduce((sum, { amount_raw: raw }) => sum + BigInt(raw), 0n),
        id,
      )
      assert.ok(BigInt(refunded) <= BigInt(paid), `${id} was refunded beyond what was paid`)
    }
    // A claim to the shared address left it before as a refund, and a wallet's forward is a payment that was already counted.
    const came = this.#sent.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
    const refunds = await db.selectFrom('checkout_refunds').selectAll().where('status', '<>', 'failed').execute()
    const claimed = refunds.filter(({ status }) => status === 'claimed')
    const left = claimed.reduce((sum, { amount_raw: raw }) => sum + BigInt(raw), this.#given)
    // A partial payment stays in the order's wallet, because the customer may still pay the rest.
    const kept = checkouts
      .filter(({ status, address }) => status === 'partial' && address !== wallet)
      .reduce((sum, { paid_raw: paid }) => sum + BigInt(paid), 0n)
    assert.equal(fundsOf(wallet), came - left - kept, 'the ledger has what the books say')
  }
}

forEachEngine((engine) => {
  test(`on an address that merchants, links and a till share, every payment is in the books once and no errand is (SEED=${SEED})`, async (t) => {
    const market = await Market.start(t, engine, new SeededRandom(SEED))
    await market.run()
    await market.judge()
  })
})

import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { NodePort } from '../../src/kernel/ports.ts'
import type { Db } from '../../src/kernel/db.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { AUTHORIZE_WITHIN, type Settlement, giveUpWaiting } from '../../src/modules/billing/domain/settle.ts'
import { listWaiting, releasePayment } from '../../src/modules/billing/index.ts'
import { describeOrder } from '../../src/modules/billing/domain/describe.ts'
import { type Checkout, type CheckoutContext } from '../../src/modules/checkout/index.ts'
import { creditSend } from '../../src/modules/checkout/domain/credit.ts'
import { readOverview } from '../../src/modules/checkout/domain/report.ts'
import { takeSends } from '../../src/modules/checkout/domain/scan.ts'
import { findLease, insertLease, statusAt } from '../../src/modules/names/index.ts'
import { remindOwners } from '../../src/modules/usernames/domain/remind.ts'
import { insertWallet } from '../../src/modules/wallets/store.ts'
import { Signer } from '../support/blocks.ts'
import { assertCreditsBalance } from '../support/credits.ts'
import { forEachEngine } from '../support/engines.ts'
import { offerChange, offerCredits, offerName, payment, toSales } from '../support/market.ts'
import { toCheckoutCtx } from '../support/checkout-context.ts'

/* The store's guarantees about the service's own sales, on each engine and under concurrency. */

const treasury = new Signer(1).address
const YEAR = 2
const DAY = 86_400_000

const toShop = (store: StoreCtx, engine: StoreEngine, exchanges: string[] = []) =>
  toCheckoutCtx(store, engine, { sales: toSales(treasury, { exchanges }) })

async function openTreasury({ db }: StoreCtx): Promise<void> {
  const encrypted = { version: 1 as const, masterKeyId: 'key-1', wrappedDataKey: 'AA==', encryptedKey: 'AA==' }
  const terms = { refundAddress: null, metadata: null, expiresAt: null }
  const wallet = { id: 'wal_treasury', accountId: null, purpose: 'treasury', address: treasury, createdAt: 1 }
  await insertWallet(db, { ...wallet, ...terms }, encrypted)
}

const refundsOf = async (db: Db) =>
  (await db.selectFrom('wallet_blocks').selectAll().orderBy('reference').execute()).map((row) => ({
    to: row.destination,
    amount: BigInt(row.amount_raw!),
    reference: row.reference,
  }))

/** For all accounts together: how many paid orders were returned, and what is left of the others. */
async function returnedIn(shop: CheckoutContext) {
  const overview = (await readOverview(shop)) as {
    by_additional_status?: { refunded: number; partly_refunded: number }
    revenue: { NANO: { count: number; net_raw: string } }
  }
  const { count, net_raw: net } = overview.revenue.NANO
  return { ...overview.by_additional_status, count, net: BigInt(net) }
}

forEachEngine((engine, openFresh) => {
  /** A shop with a treasury, and a function that opens another instance of it. */
  const openShop = async (t: TestContext, exchanges?: string[]) => {
    const { ctx: store, clock, openAnother } = await openFresh(t)
    await openTreasury(store)
    const openOther = async () => toShop((await openAnother()).ctx, engine)
    return { store, clock, shop: toShop(store, engine, exchanges), openOther }
  }

  test('twenty concurrent payments for one name: one lease, and each other amount goes back once', async (t) => {
    const { store, shop, openOther } = await openShop(t)
    const shops = [shop, await openOther()]
    const payers = Array.from({ length: 20 }, (_, at) => new Signer(100 + at).address)
    const sends = []
    for (const [at, from] of payers.entries()) {
      const checkout = await offerName(shop, 'Prize')
      sends.push(payment(checkout, YEAR, { hash: `A${at}`, from, at: store.clock.now() }))
    }
    // Each is reported to both instances, and twice to one.
    const heard = [...sends, ...sends, ...sends]
    await Promise.all(heard.map((send, at) => creditSend(shops[at % 2]!, send)))
    const lease = (await findLease(store.db, 'prize'))!
    const winner = sends.find(({ from }) => from === lease.owner)!
    const refunds = await refundsOf(store.db)
    const lost = sends.filter((send) => send !== winner)
    const owed = lost.map(({ hash, from, amountRaw }) => [`payment:refund:${hash}`, from, amountRaw])
    assert.deepEqual(refunds.map(({ reference, to, amount }) => [reference, to, amount]).sort(), owed.sort())
    assert.equal(lease.address, winner.from)
    // One of them pays a second time: that is refunded as well, and its order stays returned once.
    await creditSend(shop, { ...lost[0]!, hash: 'AF'.padStart(64, '0') })
    const { amountRaw } = winner
    assert.deepEqual(await returnedIn(shop), { refunded: 19, partly_refunded: 0, count: 20, net: amountRaw })
  })

  test('one owner’s extensions at once are all added', async (t) => {
    const { store, clock, shop } = await openShop(t)
    const from = new Signer(2).address
    const sends = []
    for (let at = 0; at < 8; at++) {
      sends.push(payment(await offerName(shop, 'mine'), YEAR, { hash: `B${at}`, from, at: clock.now() }))
    }
    await Promise.all(sends.map((send) => creditSend(shop, send)))
    const lease = (await findLease(store.db, 'mine'))!
    assert.equal(new Date(lease.expiresAt).toISOString(), '2034-11-15T00:00:00.000Z')
    assert.deepEqual(await refundsOf(store.db), [])
  })

  test('credits are added once, however often and wherever the payment is learned of', async (t) => {
    const { store, shop, openOther } = await openShop(t)
    const shops = [shop, await openOther()]
    const { id } = await createAccount(store, { email: null, role: 'user', actor: OPERATOR })
    const checkout = await offerCredits(shop, id)
    const send = payment(checkout, 1, { hash: 'C', from: new Signer(3).address, at: store.clock.now() })
    await Promise.all(Array.from({ length: 50 }, (_, at) => creditSend(shops[at % 2]!, send)))
    const { available } = await store.db.selectFrom('credit_balances').selectAll().executeTakeFirstOrThrow()
    assert.equal(available, 10_000)
    await assertCreditsBalance(store.db)
    const payments = await store.db.selectFrom('service_payments').select(['account_id', 'what', 'outcome']).execute()
    assert.deepEqual(payments, [{ account_id: id, what: '10,000 Credits', outcome: 'applied' }])
  })

  test('a failure in the middle leaves neither payment nor name, and the next try makes both', async (t) => {
    const { ctx: store, clock } = await openFresh(t)
    // Without a treasury no refund can be queued, which is the last step of the transaction.
    const shop = toShop(store, engine)
    const [alice, bob] = [new Signer(4).address, new Signer(5).address]
    const [first, second] = [await offerName(shop, 'torn'), await offerName(shop, 'torn')]
    await creditSend(shop, payment(first, YEAR, { hash: 'D1', from: alice, at: clock.now() }))
    const late = payment(second, YEAR, { hash: 'D2', from: bob, at: clock.now() })
    await assert.rejects(creditSend(shop, late), /no treasury/)
    const settled = () => store.db.selectFrom('service_payments').select('outcome').orderBy('block_hash').execute()
    const payments = () => store.db.selectFrom('checkout_payments').select('block_hash').execute()
    assert.deepEqual([(await settled()).length, (await payments()).length], [1, 1])
    await openTreasury(store)
    await creditSend(shop, late)
    assert.deepEqual(
      (await settled()).map(({ outcome }) => outcome),
      ['applied', 'refunded'],
    )
    assert.equal((await refundsOf(store.db)).length, 1)
  })

  test('one order that cannot be sent back does not keep the others from it, and the round is a failure', async (t) => {
    const { store, clock, shop } = await openShop(t)
    const [owner, first, second] = [14, 15, 16].map((at) => new Signer(at).address) as [string, string, string]
    await creditSend(shop, payment(await offerName(shop, 'kept'), YEAR, { hash: 'F0', from: owner, at: clock.now() }))
    for (const [hash, from] of [
      ['F1', first],
      ['F2', second],
    ] as const) {
      clock.advance(1_000)
      const offer = await offerChange(shop, 'kept', { address: from })
      await creditSend(shop, payment(offer, 0, { hash, from, at: clock.now() }))
    }
    clock.advance(AUTHORIZE_WITHIN)
    let isAway = true
    const settlement: Settlement = {
      fulfil: () => undefined,
      isExchange(address) {
        if (isAway && address === first) throw new Error('the list of exchanges is away')
        return false
      },
      onRefund: () => undefined,
    }
    await assert.rejects(giveUpWaiting(settlement, store), /the list of exchanges is away/)
    const returned = async () => (await refundsOf(store.db)).map(({ to }) => to)
    assert.deepEqual(await returned(), [second])
    isAway = false
    await giveUpWaiting(settlement, store)
    assert.deepEqual((await returned()).sort(), [first, second].sort())
  })

  test('money from an exchange waits until somebody says where to, and then goes there once', async (t) => {
    const [alice, exchange, home] = [6, 7, 8].map((at) => new Signer(at).address) as [string, string, string]
    const { store, clock, shop } = await openShop(t, [exchange])
    const [first, second] = [await offerName(shop, 'taken'), await offerName(shop, 'taken')]
    const kept = payment(first, YEAR, { hash: 'E1', from: alice, at: clock.now() })
    await creditSend(shop, kept)
    const send = payment(second, YEAR, { hash: 'E2', from: exchange, at: clock.now() })
    await creditSend(shop, send)
    // And a wrong amount that matches no plan.
    const wrong = { ...send, hash: 'E3'.padStart(64, '0'), from: alice, amountRaw: (send.amountRaw - 1n) as never }
    await creditSend(shop, wrong)
    assert.deepEqual(
      (await listWaiting(store.db, 10)).map(({ blockHash, payer, reason }) => [blockHash, payer, reason]),
      [
        [send.hash, exchange, 'name_taken'],
        [wrong.hash, alice, 'unmatched'],
      ],
    )
    assert.deepEqual(await refundsOf(store.db), [])
    // Money waiting for a refund is not income, and the wrong amount never was.
    const sold = { refunded: 1, partly_refunded: 0, count: 2, net: kept.amountRaw }
    assert.deepEqual(await returnedIn(shop), sold)
    const release = (blockHash: string, destination: string | undefined) =>
      releasePayment(store, { blockHash, destination, isExchange: (address) => address === exchange, actor: OPERATOR })
    // The exchange could keep a refund.
    await assert.rejects(release(send.hash, undefined), /came from an exchange/)
    assert.equal((await listWaiting(store.db, 10)).length, 2)
    const results = await Promise.allSettled([1, 2, 3].map(() => release(send.hash, home)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    await release(wrong.hash, undefined)
    await assert.rejects(release(wrong.hash, undefined), /No payment/)
    await assert.rejects(release('F'.repeat(64), undefined), /No payment/)
    assert.deepEqual(await listWaiting(store.db, 10), [])
    assert.deepEqual(
      (await refundsOf(store.db)).map(({ to, amount }) => [to, amount]),
      [
        [home, send.amountRaw],
        [alice, wrong.amountRaw],
      ],
    )
    assert.deepEqual(await returnedIn(shop), sold)
  })

  test('a stranger who pays an owner’s extension first is refunded and does not use the offer up; a fee may be paid by anybody', async (t) => {
    const { store, clock, shop } = await openShop(t)
    const [alice, mallory, savings] = [11, 12, 13].map((at) => new Signer(at).address) as [string, string, string]
    const credit = (checkout: Checkout, plan: number, hash: string, from: string) =>
      creditSend(shop, payment(checkout, plan, { hash, from, at: clock.now() }))
    await credit(await offerName(shop, 'alice'), YEAR, '1A', alice)
    const extension = await offerName(shop, 'alice')
    const change = await offerChange(shop, 'alice', { address: savings, owner: alice })
    for (const [at, from] of [mallory, alice, alice].entries()) {
      await credit(extension, YEAR, `2${at}`, from)
      await credit(change, 0, `3${at}`, from)
    }
    const lease = (await findLease(store.db, 'alice'))!
    assert.equal(new Date(lease.expiresAt).toISOString(), '2028-11-15T00:00:00.000Z', 'extended once')
    assert.equal(lease.address, savings)
    for (const [{ id }, ...expected] of [
      [extension, 'name_taken', 'already_paid'],
      [change, 'already_paid', 'already_paid'],
    ] as const) {
      const order = (await describeOrder(store.db, id))!.shown
      const reasons = (order.refunds as { reason: string }[]).map((refund) => refund.reason)
      assert.deepEqual([order.status, reasons], ['applied', expected])
    }
    assert.deepEqual((await refundsOf(store.db)).map(({ to }) => to).sort(), [mallory, alice, alice, alice].sort())
  })

  test('repeated payments of one offer do not hide other payments from the operator', async (t) => {
    const { store, clock, shop } = await openShop(t)
    const [alice, mallory] = [new Signer(14).address, new Signer(15).address]
    const offered = await offerName(shop, 'busy')
    const exact = payment(offered, YEAR, { hash: '4A', from: mallory, at: clock.now() })
    const wrong = { ...exact, hash: '4B'.padStart(64, '0'), from: alice, amountRaw: (exact.amountRaw - 1n) as never }
    await creditSend(shop, wrong)
    for (let at = 0; at < 12; at++) {
      clock.advance(1_000)
      await creditSend(shop, { ...exact, hash: `4C${at}`.padStart(64, '0'), at: clock.now(), knownAt: clock.now() })
    }
    assert.deepEqual(
      (await listWaiting(store.db, 10)).map(({ blockHash }) => blockHash),
      [wrong.hash],
    )
  })

  test('a payment that cannot be settled keeps nobody else’s from being found by the poller', async (t) => {
    const { store, clock, shop } = await openShop(t)
    const [broken, sound] = [await offerName(shop, 'broken'), await offerName(shop, 'sound')]
    await store.db.deleteFrom('service_orders').where('checkout_id', '=', broken.id).execute()
    const payer = new Signer(17)
    const from = payer.address
    const send = { from, to: new Signer(1).address, height: 2, seconds: Math.floor(clock.now() / 1_000) }
    const sent = [broken, sound].map(({ plans }, at) => {
      const hash = `${5 + at}A`.padStart(64, '0')
      return [hash, { ...send, hash, amountRaw: plans[YEAR]!.amountRaw!, isFinal: true, waits: true }] as const
    })
    const node = { readSends: () => Promise.resolve(new Map(sent)) } as unknown as NodePort
    const tools = { node, settled: new Set<string>(), receivesEvents: () => true }
    await assert.rejects(takeSends(shop, tools, new Map(sent.map(([hash]) => [hash, null]))), /sells nothing/)
    assert.equal((await findLease(store.db, 'sound'))!.owner, payer.address)
  })

  test('an owner is warned of the end of a name although many others wait in their grace period', async (t) => {
    const { ctx: store, clock } = await openFresh(t)
    const { id: accountId } = await createAccount(store, { email: 'a@example.com', role: 'user', actor: OPERATOR })
    const address = new Signer(16).address
    const now = clock.now()
    const times = { createdAt: now - 30 * DAY, changedAt: now }
    const lease = { owner: address, address, accountId, ...times, profile: {}, indexed: false }
    await store.db.transaction().execute(async (tx) => {
      for (let at = 0; at < 501; at++) {
        const key = `grace${at}`
        await insertLease(tx, { ...lease, key, name: key, expiresAt: now - DAY, graceUntil: now + 9 * DAY })
      }
    })
    await remindOwners(store)
    await insertLease(store.db, { ...lease, key: 'z', name: 'z', expiresAt: now + DAY, graceUntil: now + 11 * DAY })
    const jobs = async () => (await store.db.selectFrom('jobs').select('key').execute()).length
    assert.equal(await jobs(), 501, 'each of them is told')
    await remindOwners(store)
    assert.equal(await jobs(), 502)
  })

  test('a clock that is set back takes nothing from a lease', async (t) => {
    const { store, clock, shop } = await openShop(t)
    const from = new Signer(10).address
    const back = { ...store, clock: { now: () => clock.now() - 30 * DAY, after: () => () => undefined } }
    const behind = toShop(back, engine)
    const first = await offerName(shop, 'steady')
    await creditSend(shop, payment(first, YEAR, { hash: 'AA1', from, at: clock.now() }))
    const before = (await findLease(store.db, 'steady'))!
    const second = await offerName(behind, 'steady')
    await creditSend(behind, payment(second, YEAR, { hash: 'AA2', from, at: back.clock.now() }))
    const after = (await findLease(store.db, 'steady'))!
    assert.equal(new Date(after.expiresAt).toISOString(), '2028-11-15T00:00:00.000Z')
    assert.ok(after.changedAt > before.changedAt, 'whoever reads both knows which is newer')
    assert.equal(statusAt(after, clock.now()), 'leased')
  })
})

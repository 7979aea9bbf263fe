import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type NewPayment,
  dropClaim,
  findPayment,
  findUnderWay,
  insertClaim,
  isOffered,
  markState,
  releaseAbandoned,
  renewClaim,
  saveOffer,
  takeOver,
} from '../../src/modules/x402/store.ts'
import { workGenerate } from '../../src/modules/work/actions/work-generate.ts'
import { agreedTerms, offerTerms } from '../../src/modules/x402/domain/offer.ts'
import { keepClaim } from '../../src/modules/x402/domain/claim.ts'
import type { Seller } from '../../src/modules/x402/index.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'

const NOW = 1_700_000_000_000
const HELD = { now: NOW, leaseUntil: NOW + 15_000 }
const LATER = { now: NOW + 15_000, leaseUntil: NOW + 30_000 }

const payment = (hash: string, previous = `before ${hash}`): NewPayment => ({
  hash,
  blockJson: '{}',
  network: 'nano:mainnet',
  payer: 'nano_payer',
  previous,
  amount: String(2n ** 128n - 1n),
  payTo: 'nano_shop',
  action: 'work_generate',
  fingerprint: 'f',
})

forEachEngine((_engine, open) => {
  test('of forty claims on one block, from two instances, one is granted; of many blocks on one frontier one is under way, until it is settled or rejected', async (t) => {
    const { ctx, openAnother } = await open(t)
    const { db } = ctx
    const stores = [db, (await openAnother()).ctx.db]
    const claimAll = async (payments: NewPayment[]) => {
      const claims = await Promise.all(payments.map((each, at) => insertClaim(stores[at % 2]!, each, HELD)))
      return claims.filter((granted) => granted !== undefined)
    }
    assert.deepEqual(await claimAll(Array.from({ length: 40 }, () => payment('1'))), [{ hash: '1', fence: 1 }])
    assert.equal((await findPayment(db, '1'))!.amount, String(2n ** 128n - 1n))
    const [claim, ...others] = await claimAll(['A', 'B', 'C', 'D'].map((hash) => payment(hash, 'F')))
    assert.deepEqual(others, [])
    assert.equal((await findUnderWay(db, 'nano_payer', 'F'))!.hash, claim!.hash)
    assert.equal(await insertClaim(db, payment('E', 'F'), HELD), undefined)
    assert.ok(await markState(db, claim!, { from: ['claimed'], to: 'rejected', now: NOW }))
    const next = await insertClaim(db, payment('E', 'F'), HELD)
    assert.ok(next)
    // The rejected one cannot return in parallel.
    await dropClaim(db, claim!)
    assert.equal(await takeOver(db, (await findPayment(db, claim!.hash))!, HELD), undefined)
  })

  test('a claim that is held cannot be taken, one that has lapsed is taken once, and its first holder is out', async (t) => {
    const { ctx, openAnother } = await open(t)
    const { db } = ctx
    const another = (await openAnother()).ctx.db
    const first = (await insertClaim(db, payment('A'), HELD))!
    const seen = (await findPayment(db, 'A'))!
    assert.equal(await takeOver(db, seen, { ...HELD, now: NOW + 14_999 }), undefined)
    const takes = await Promise.all([db, another, db, another].map((store) => takeOver(store, seen, LATER)))
    assert.deepEqual(
      takes.filter((claim) => claim !== undefined),
      [{ hash: 'A', fence: 2 }],
    )
    assert.equal(await renewClaim(db, first, NOW + 60_000), false)
    assert.equal(await markState(db, first, { from: ['claimed'], to: 'settled', now: NOW }), false)
    await dropClaim(db, first)
    assert.equal((await findPayment(db, 'A'))!.leaseUntil, LATER.leaseUntil, 'nor can it end the lease of the second')
    const second = { hash: 'A', fence: 2 }
    assert.ok(await renewClaim(db, second, NOW + 60_000))
    assert.ok(await markState(db, second, { from: ['claimed'], to: 'settled', now: NOW }))
    assert.equal(await markState(db, second, { from: ['claimed'], to: 'rejected', now: NOW }), false)
  })

  test('a process keeps its claim on a payment as long as it works, and then releases it', async (t) => {
    const { ctx } = await open(t)
    const { db } = ctx
    // A separate clock: it advances only while a renewal waits for it, however slow the store is.
    const clock = new TestClock(NOW)
    const claim = (await insertClaim(db, payment('A'), HELD))!
    const release = keepClaim({ store: { ...ctx, clock } }, claim)
    const leaseOf = async () => (await findPayment(db, 'A'))!.leaseUntil
    for (let renewals = 0; renewals < 12; renewals++) {
      const kept = (await leaseOf())!
      while (clock.waiting > 0) clock.advance(200)
      assert.ok(clock.now() < kept, 'it is renewed before it lapses')
      await until(() => clock.waiting > 0)
      assert.ok((await leaseOf())! > kept)
    }
    await release()
    assert.equal(await leaseOf(), null)
    clock.advance(60_000)
    assert.equal(await leaseOf(), null)
  })

  test('only what nobody works on is released', async (t) => {
    const { ctx } = await open(t)
    const { db } = ctx
    await insertClaim(db, payment('A'), HELD)
    const seen = (await findPayment(db, 'A'))!
    assert.equal(await releaseAbandoned(db, seen, NOW), false)
    const [one, two] = await Promise.all([releaseAbandoned(db, seen, LATER.now), takeOver(db, seen, LATER)])
    assert.notEqual(one, two !== undefined, 'released or taken over, never both')
  })

  test('an offer lasts as long as it was last reported', async (t) => {
    const { ctx } = await open(t)
    const offer = { action: 'work_generate', payTo: 'nano_shop', amount: String(10n ** 38n) }
    await Promise.all([1, 2, 3].map((at) => saveOffer(ctx.db, offer, NOW + at)))
    await saveOffer(ctx.db, offer, NOW + 10)
    assert.equal(await isOffered(ctx.db, offer, NOW + 9), true)
    assert.equal(await isOffered(ctx.db, offer, NOW + 10), false)
    assert.equal(await isOffered(ctx.db, { ...offer, amount: '1' }, NOW), false)
  })

  // The rate changes between the offer and the payment; the payer signed the offered amount.
  test('a price in a currency is converted at the rate of the moment, and what was reported may be paid for five minutes', async (t) => {
    const { ctx, clock } = await open(t)
    let rate = '4'
    const shop: Seller = {
      store: ctx,
      own: undefined!,
      remote: undefined,
      network: 'nano:mainnet',
      threshold: 0n,
      timeoutSeconds: 60,
      payTo: new Signer(900).address,
      goods: new Map([['work_generate', { action: workGenerate, price: { currency: 'USD', value: '0.01' } }]]),
      rates: { currencies: ['USD'], rate: async () => ({ rate, source: 'test', at: 0 }) },
      resourceUrl: () => 'https://rpc.example/',
    }
    const told = await offerTerms(shop, 'work_generate')
    assert.equal(told.amount, (25n * 10n ** 26n).toString())
    rate = '5'
    assert.deepEqual(await agreedTerms(shop, 'work_generate', told), told)
    assert.equal((await offerTerms(shop, 'work_generate')).amount, (2n * 10n ** 27n).toString())
    clock.advance(5 * 60_000)
    assert.equal(await agreedTerms(shop, 'work_generate', told), 'invalid_payment_requirements')
    rate = 'a lot'
    await assert.rejects(offerTerms(shop, 'work_generate'), { code: 'payment_unavailable' })
  })
})

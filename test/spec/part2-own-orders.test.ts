import assert from 'node:assert/strict'
import { type TestContext, describe, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { Signer } from '../support/blocks.ts'
import { ENGINES } from '../support/engines.ts'
import type { Reply } from '../support/gateway.ts'
import {
  type Made,
  type Shop,
  bearer,
  merchant,
  nano,
  openWorld,
  show,
  turnUntil,
  untilExpired,
  untilStatus,
} from '../support/checkout-steps.ts'
import { row } from './row.ts'

/* Money that was meant for one order must not pay another (contract 2, rules 25 to 27). */

const PAGE = 'https://shop.example'
const DAY = 86_400_000

/** A merchant with a secret key, and with a public one that anybody can read in the shop's page. */
async function openOn(t: TestContext, engine: StoreEngine) {
  const world = await openWorld(t, engine)
  // Each customer has a network address.
  const shop = await world.start({ TRUSTED_PROXIES: '127.0.0.1' })
  const { key, headers, issue } = await shop.join()
  const public_key = await issue('public', [PAGE])
  return {
    ...{ world, shop, key, headers },
    asMerchant: (fields: object) => shop.call('checkout', fields, headers),
    fromPage: (fields: object, from = '203.0.113.1') =>
      shop.call('checkout', { ...fields, public_key }, { origin: PAGE, 'x-forwarded-for': from }),
  }
}

const refusal = ({ status, json }: Reply) => [status, json().field]

const listUnmatched = async (shop: Shop, key: string) =>
  (await shop.rest('GET', '/api/checkouts/unmatched', key)).json<{ payments: { block_hash: string }[] }>().payments

const isBare = (amount: string) => /^\d+$/.test(amount)

for (const engine of ENGINES) {
  describe(`orders on other people’s money, ${engine}`, () => {
    test('a visitor’s checkout with the public key of the page does not count other money at the shop’s address', async (t) => {
      const { world, shop, key, headers, fromPage } = await openOn(t, engine)
      const { address } = merchant
      const summing = await fromPage({ address, amount: '2', mode: 'unique_address' })
      row('2, rule 25', () => assert.deepEqual(refusal(summing), [403, 'mode']))
      const visitor = (await fromPage({ address, amount: '2', random: false })).json<Made>()
      const digit = (await fromPage({ address, amount: 'X' })).json<Made>()
      const tenth = (await fromPage({ address, amount: '1.X' })).json<Made>()
      const tail = (await fromPage({ address, amount: '2.00XXX' })).json<Made>()
      row('2, rule 26', () => {
        assert.deepEqual([visitor.mode, isBare(visitor.amount)], ['unique_amount', false])
        assert.match(tail.amount, /^2\.00\d\d[1-9]$/)
      })
      row('2, rule 27', () => {
        assert.match(digit.amount, /^[1-9]\.\d{3,}$/)
        assert.match(tenth.amount, /^1\.[1-9]\d{3,}$/)
      })
      const customer = await shop.open({ address, amount: '2' }, headers)
      // A customer who leaves out the unique digits, and other income of the shop.
      await world.pay(address, nano('2'))
      await world.pay(address, nano('7'))
      await turnUntil(world, 1_000, async () => (await listUnmatched(shop, key)).length === 2)
      for (const { id } of [visitor, digit, tenth, tail, customer]) {
        const { status, amount_paid_raw: paid } = await shop.check(id)
        assert.deepEqual([status, paid], ['pending', '0'])
      }
    })

    test('a checkout without a key does not count money at an address that others have used', async (t) => {
      const { world, shop, key, asMerchant } = await openOn(t, engine)
      const alone = (address: string, fields: object = {}) =>
        shop.call('checkout', { address, amount: '2', mode: 'unique_address', ...fields })
      const refused = [400, 'address']
      const at = (seed: number) => new Signer(seed).address
      const [waiting, ofOrder, fresh, shared] = [at(82), at(83), at(85), at(86)]
      await world.pay(waiting, nano('1'))
      const cloud = (await shop.call('cloud_wallet', { expire: '1 day' }, bearer(key))).json<{ address: string }>()
      assert.equal((await asMerchant({ address: ofOrder, amount: '2' })).status, 200)
      for (const address of [waiting, ofOrder, cloud.address]) {
        assert.deepEqual(refusal(await alone(address)), refused, address)
      }
      const first = await alone(fresh)
      assert.deepEqual([first.status, first.json<Made>().mode], [200, 'unique_address'])
      assert.deepEqual(refusal(await alone(fresh)), refused)
      // Of many parallel requests, one gets the address.
      const racing = await Promise.all(Array.from({ length: 5 }, () => alone(shared)))
      assert.equal(racing.filter(({ status }) => status === 200).length, 1)
      assert.equal((await asMerchant({ address: fresh, amount: '2', mode: 'unique_address' })).status, 200)
    })

    test('orders of visitors do not block an address for a secret key; another order of the shop does, while it is watched', async (t) => {
      const { world, shop, key, headers, asMerchant, fromPage } = await openOn(t, engine)
      const [address, next] = [new Signer(87).address, new Signer(88).address]
      const whole = { amount: '3', mode: 'unique_address' }
      assert.equal((await fromPage({ address, amount: '3' })).status, 200)
      assert.equal((await shop.call('checkout', { address, amount: '3' })).status, 200)
      const own = await shop.open({ address, ...whole }, headers)
      const refused = [400, 'address']
      assert.deepEqual(refusal(await asMerchant({ address, ...whole })), refused)
      const plain = await shop.open({ address: next, amount: '1' }, headers)
      assert.deepEqual(refusal(await asMerchant({ address: next, ...whole })), refused)
      // From the page an address can only be used through the shop's own template, and never if another order of the shop uses it.
      assert.deepEqual(refusal(await fromPage({ template: own.id })), refused)
      assert.equal((await shop.rest('DELETE', `/api/checkouts/${plain.id}`, key)).status, 200)
      assert.deepEqual(refusal(await asMerchant({ address: next, ...whole })), refused, 'cancelled, and still watched')
      world.clock.leap(9 * DAY)
      assert.equal((await asMerchant({ address: next, ...whole })).status, 200)
      // Changing the address follows the same rules.
      const moving = await shop.open({ address: merchant.address, amount: '1' }, headers)
      const put = await shop.rest('PUT', `/api/checkouts/${moving.id}`, key, { address: next, mode: 'unique_address' })
      assert.deepEqual(refusal(put), [409, 'address'])
      const racing = await Promise.all(
        Array.from({ length: 5 }, () => asMerchant({ address: new Signer(89).address, ...whole })),
      )
      assert.equal(racing.filter(({ status }) => status === 200).length, 1)
    })

    test('a finished order does not count money for the next one at its address', async (t) => {
      const { world, shop, key, headers } = await openOn(t, engine)
      const address = new Signer(90).address
      const order = (fields: object) => shop.open({ address, amount: '1', ...fields }, headers)
      const done = await order({ mode: 'unique_address' })
      await world.pay(address, nano('1'))
      await untilStatus(shop, done.id, 'complete')
      // Nobody else uses the address, so a second payment belongs to the order too.
      await world.pay(address, nano('0.25'))
      await turnUntil(world, 1_000, async () => (await shop.check(done.id)).additional_status === 'overpaid')
      const next = await order({})
      const slip = await world.pay(address, nano('1'))
      await turnUntil(world, 1_000, async () => (await listUnmatched(shop, key)).length === 1)
      assert.equal((await shop.check(done.id)).amount_paid_raw, `${nano('1.25')}`)
      const marked = await shop.rest('POST', `/api/checkouts/${next.id}/mark`, key, { block_hash: slip })
      assert.equal(marked.status, 200, marked.text)
      assert.equal((await show(shop, done.id, key)).payments.length, 2)
      assert.equal((await shop.check(next.id)).status, 'complete')
    })

    test('an expired order accepts late money at its address, but not once another order was there', async (t) => {
      const { world, shop, key, headers } = await openOn(t, engine)
      const [lonely, shared] = [new Signer(91).address, new Signer(92).address]
      const open = (address: string, mode: string) => shop.open({ address, amount: '1', mode }, headers)
      const [late, over] = [await open(lonely, 'unique_address'), await open(shared, 'unique_address')]
      await untilExpired(world, shop, late.id)
      await untilExpired(world, shop, over.id)
      await open(shared, 'unique_amount')
      await world.pay(lonely, nano('1'))
      await world.pay(shared, nano('1'))
      await turnUntil(world, 1_000, async () => (await shop.check(late.id)).additional_status === 'paid_late')
      await turnUntil(world, 1_000, async () => (await listUnmatched(shop, key)).length === 1)
      assert.equal((await shop.check(over.id)).additional_status, 'none')
    })

    test('a shop that asks for the bare price gets it once at a time, as one send of exactly that', async (t) => {
      const { world, shop, key, headers } = await openOn(t, engine)
      const { address } = merchant
      const plans = [
        { title: 'Small', value: '5' },
        { title: 'Large', value: '6' },
      ]
      const open = (fields: object) => shop.open({ address, random: false, ...fields }, headers)
      const first = await open({ amount: '2' })
      const second = await open({ amount: '2' })
      const named = await open({ amount: '4', mode: 'unique_amount' })
      const choice = await open({ plans })
      row('2, Checkout request fields: random', () => {
        assert.deepEqual([first.mode, first.amount, named.amount], ['unique_amount', '2', '4'])
        assert.deepEqual([second.mode, isBare(second.amount)], ['unique_amount', false])
        assert.deepEqual(
          choice.plans.map(({ value_raw: raw }) => raw),
          [`${nano('5')}`, `${nano('6')}`],
        )
      })
      // Payments are not added up: the merchant decides about two halves.
      await world.pay(address, nano('1'))
      await world.pay(address, nano('1'))
      await turnUntil(world, 1_000, async () => (await listUnmatched(shop, key)).length === 2)
      assert.equal((await shop.check(first.id)).status, 'pending')
      await world.pay(address, nano('2'))
      await untilStatus(shop, first.id, 'complete')
      assert.equal((await shop.check(second.id)).status, 'pending')
      assert.equal(isBare((await open({ amount: '2' })).amount), false, 'closed a moment ago')
      // An order of a template is paid as the template was; a page that uses it does not get the round price.
      const template = await open({ amount: '8' })
      assert.equal(isBare((await shop.open({ template: template.id, amount: '9' }, headers)).amount), true)
    })

    test('fifty customers at once with random: false each pay their own order', async (t) => {
      const { world, shop, fromPage } = await openOn(t, engine)
      const { address } = merchant
      const order = { address, amount: 2, random: false }
      const all = await Promise.all(Array.from({ length: 50 }, (_, at) => fromPage(order, `203.0.113.${at}`)))
      const orders = all.map((reply) => {
        assert.equal(reply.status, 200, reply.text)
        return reply.json<Made>()
      })
      assert.equal(new Set(orders.map(({ amount_raw: raw }) => raw)).size, 50)
      const [paying, waiting] = [orders.filter((_, at) => at % 2 === 0), orders.filter((_, at) => at % 2 === 1)]
      for (const { amount_raw: raw } of paying) await world.pay(address, raw)
      for (const { id } of paying) await untilStatus(shop, id, 'complete')
      for (const { id } of waiting) assert.equal((await shop.check(id)).status, 'pending')
    })
  })
}

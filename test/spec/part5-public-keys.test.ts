import assert from 'node:assert/strict'
import { type TestContext, describe, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { Signer } from '../support/blocks.ts'
import { type EventBody, type Made, merchant, openWorld, turnUntil } from '../support/checkout-steps.ts'
import { ENGINES } from '../support/engines.ts'
import { enter, sendForm } from '../support/form-steps.ts'
import { type Reply, ask } from '../support/gateway.ts'
import { type Receiver, openReceiver, readerOf } from '../support/webhook-steps.ts'
import { row } from './row.ts'

/* What somebody else makes with a shop's public key does not belong to the shop (contract 5, rules 39 to 41). */

const PAGE = 'https://shop.example'
const { address } = merchant
const strangers = new Signer(71).address

type Key = Record<'id' | 'key', string> & Record<'addresses' | 'templates', string[]>
type Told = EventBody & Partial<Record<'made_with' | 'key_id', string>> & { key_bound?: boolean }

/** A shop with a name, a secret key, and endpoints with different subscriptions. */
async function openOn(t: TestContext, engine: StoreEngine) {
  const world = await openWorld(t, engine)
  const shop = await world.start({ WEBHOOK_ALLOW_PRIVATE: 'true' })
  const { key, headers } = await shop.join()
  assert.equal((await shop.rest('PUT', '/api/account/profile', key, { name: 'Blue Mug Coffee' })).status, 200)
  const makeKey = async (fields: object = {}) => {
    const body = { name: 'Page', kind: 'public', origins: [PAGE], ...fields }
    const reply = await shop.rest('POST', '/api/keys', key, body)
    assert.equal(reply.status, 201, reply.text)
    return reply.json<Key>()
  }
  return {
    ...{ world, shop, key, headers, makeKey, ...readerOf(shop, key) },
    fromPage: ({ key: public_key }: Key, fields: object) =>
      shop.call('checkout', { ...fields, public_key }, { origin: PAGE }),
    listen: async (filter?: object) => {
      const receiver = await openReceiver(t)
      const body = { url: receiver.url, events: ['payment.completed'], ...(filter && { filter }) }
      const { id } = (await shop.rest('POST', '/api/webhook-endpoints', key, body)).json()
      return { ...receiver, id: id! }
    },
    pay: async ({ id, address: to, amount_raw: raw }: Made) => {
      await world.pay(to, raw)
      await turnUntil(world, 1_000, async () => (await shop.check(id)).success)
    },
    heard: (...by: [Receiver, number][]) =>
      turnUntil(world, 100, () => Promise.resolve(by.every(([{ requests }, count]) => requests.length >= count))),
    recordOf: async (id: string) => (await shop.rest('GET', `/checkout/${id}`)).json<Record<string, unknown>>(),
  }
}

const toldTo = ({ requests }: Receiver) => requests.map(({ body }) => JSON.parse(body) as Told)
const idsTold = (receiver: Receiver) => toldTo(receiver).map((event) => event.checkout_id)
const made = (reply: Reply) => {
  assert.equal(reply.status, 200, reply.text)
  return reply.json<Made>()
}
const refusal = ({ status, json }: Reply) => [status, json().field]

for (const engine of ENGINES) {
  describe(`objects that others make with a page’s public key, ${engine}`, () => {
    test('a stranger sold under the shop’s name at an address of his own, and the shop’s server was notified that it was paid', async (t) => {
      const { shop, key, headers, get, post, ...steps } = await openOn(t, engine)
      const { makeKey, fromPage, listen, heard, pay, recordOf } = steps
      const open = await makeKey()
      const [quiet, all, only] = [
        await listen(),
        await listen({ made_with: 'any' }),
        await listen({ made_with: 'public_key' }),
      ]
      const metadata = { order: '1001' }
      const forged = made(await fromPage(open, { address: strangers, amount: '1', metadata }))
      const own = await shop.open({ address, amount: '1', metadata }, headers)
      const page = await ask(forged.browser as string, { method: 'GET' })
      row('5, rule 41', () => assert.doesNotMatch(page.text, /Blue Mug Coffee/))
      const bare = await recordOf(forged.id)
      assert.equal(bare.merchant, undefined)
      assert.match((await ask(own.browser as string, { method: 'GET' })).text, /Blue Mug Coffee/)
      await pay(forged)
      await pay(own)
      await heard([quiet, 1], [all, 2], [only, 1])
      row('6, rule 20', () => {
        assert.deepEqual(idsTold(quiet), [own.id])
        assert.deepEqual(idsTold(all).sort(), [forged.id, own.id].sort())
        assert.deepEqual(idsTold(only), [forged.id])
      })
      const maker = { made_with: 'public_key', key_id: open.id, key_bound: false }
      const [told] = toldTo(only)
      row('6, Body: made_with, key_id, key_bound', () => {
        const { made_with, key_id, key_bound } = told!
        assert.deepEqual({ made_with, key_id, key_bound }, maker)
        assert.equal('made_with' in toldTo(quiet)[0]!, false)
      })
      const { made_with, key_id, key_bound } = await recordOf(forged.id)
      row('2, Checkout record: made_with, key_id, key_bound', () =>
        assert.deepEqual({ made_with, key_id, key_bound }, maker),
      )
      const listed = (await get('/checkouts')).json<{ checkouts: Record<string, unknown>[] }>().checkouts
      const makers = Object.fromEntries(listed.map(({ id, key_id }) => [id, key_id]))
      assert.deepEqual(makers, { [own.id]: undefined, [forged.id]: open.id })
      // A replay follows the same rules.
      assert.equal((await post(`/webhook-endpoints/${quiet.id}/replay`, { from_unix: 0 })).status, 201)
      await heard([quiet, 2])
      assert.deepEqual(idsTold(quiet), [own.id, own.id])
      // It is in the list of events for those who look there.
      const { events } = (await get('/events')).json<{ events: { subject: string }[] }>()
      assert.ok(events.some(({ subject }) => subject === forged.id))
      // A checkout to the shop's own address pays the shop.
      const honest = made(await fromPage(open, { address, amount: '2' }))
      assert.deepEqual((await recordOf(honest.id)).merchant, { name: 'Blue Mug Coffee' })
      const cookie = await enter(shop, key)
      // An attacker paid himself and asks the shop for a refund.
      const refundOf = async ({ id }: Made) =>
        (await ask(`${shop.url}/dashboard/checkouts/${id}/refund`, { method: 'GET', headers: { cookie } })).text
      assert.match(await refundOf(forged), /You may never have received this money/)
      assert.doesNotMatch(await refundOf(own), /never have received/)
      // A stranger's last address must not become the default.
      made(await fromPage(open, { address: strangers, amount: '2' }))
      for (const path of ['/checkouts/new', '/links/new', '/pos/new', '/keys']) {
        const { text } = await ask(`${shop.url}/dashboard${path}`, { method: 'GET', headers: { cookie } })
        assert.ok(text.includes(address) && !text.includes(strangers), path)
      }
      // A checkout without an address goes to the shop's payout address.
      assert.equal(
        (await shop.rest('PUT', '/api/account/payout', key, { address: new Signer(72).address })).status,
        200,
      )
      const unnamed = made(await fromPage(open, { amount: '3' }))
      assert.deepEqual((await recordOf(unnamed.id)).merchant, { name: 'Blue Mug Coffee' })
    })

    test('a restricted key makes checkouts only for the addresses and templates that its merchant named', async (t) => {
      const { shop, key, headers, ...steps } = await openOn(t, engine)
      const { makeKey, fromPage, listen, heard, pay, recordOf } = steps
      const [plan, other] = [
        await shop.open({ address: new Signer(72).address, amount: '3' }, headers),
        await shop.open({ address: new Signer(73).address, amount: '3' }, headers),
      ]
      const bound = await makeKey({ addresses: [address] })
      const both = await makeKey({ addresses: [address], templates: [plan.id.toUpperCase()] })
      row('5, rule 39', () => {
        assert.deepEqual([both.addresses, both.templates], [[address], [plan.id]])
        assert.deepEqual(bound.templates, [])
      })
      for (const [given, fields, field] of [
        [bound, { address: strangers, amount: '1' }, 'address'],
        [bound, { template: plan.id }, 'template'],
        [both, { address: new Signer(72).address, amount: '1' }, 'address'],
        [both, { template: other.id }, 'template'],
      ] as const) {
        assert.deepEqual(refusal(await fromPage(given, fields)), [403, field], JSON.stringify(fields))
      }
      const quiet = await listen()
      const one = made(await fromPage(bound, { address, amount: '1' }))
      const ordered = made(await fromPage(both, { template: plan.id, amount: '2' }))
      assert.equal(ordered.address, new Signer(72).address)
      assert.deepEqual((await recordOf(one.id)).merchant, { name: 'Blue Mug Coffee' })
      await pay(one)
      await heard([quiet, 1])
      const [told] = toldTo(quiet)
      row('5, rule 40', () =>
        assert.deepEqual([told!.made_with, told!.key_id, told!.key_bound], ['public_key', bound.id, true]),
      )
      // Rotating the key keeps it bound.
      const rotated = (await shop.rest('POST', `/api/keys/${bound.id}/rotate`, key, {})).json<Key>()
      assert.deepEqual(rotated.addresses, [address])
      assert.deepEqual(refusal(await fromPage(rotated, { address: strangers, amount: '1' })), [403, 'address'])
      made(await fromPage(rotated, { address, amount: '1' }))
      for (const [wrong, field] of [
        [{ addresses: ['nano_wrong'] }, 'addresses'],
        [{ addresses: address }, 'addresses'],
        [{ templates: ['order'] }, 'templates'],
        [{ templates: Array.from({ length: 21 }, () => plan.id) }, 'templates'],
        [{ kind: 'secret', origins: [], addresses: [address] }, 'addresses'],
      ] as const) {
        const reply = await shop.rest('POST', '/api/keys', key, {
          name: 'x',
          kind: 'public',
          origins: [PAGE],
          ...wrong,
        })
        assert.deepEqual(refusal(reply), [400, field], JSON.stringify(wrong))
      }
    })

    test('a stranger who guessed an Idempotency-Key or took the digits of a price kept the shop’s server from selling', async (t) => {
      const { shop, headers, makeKey } = await openOn(t, engine)
      const { key: public_key } = await makeKey()
      const ask = (fields: object, once = '', from = {}) =>
        shop.call('checkout', { address, ...fields }, { ...(once && { 'idempotency-key': once }), ...from })
      const fromPage = (fields: object, once?: string) => ask({ ...fields, public_key }, once, { origin: PAGE })
      const theirs = made(await fromPage({ amount: '9' }, 'order-1001'))
      const own = made(await ask({ amount: '1' }, 'order-1001', headers))
      row('5, rule 20', () => assert.notEqual(own.id, theirs.id))
      const foreign = await fromPage({ amount: '1' }, 'order-1001')
      assert.deepEqual([foreign.status, foreign.json().code], [409, 'idempotency_conflict'], 'its own one is taken')
      assert.equal(made(await fromPage({ amount: '9' }, 'order-1001')).id, theirs.id, 'and repeated')
      for (let digit = 0; digit < 20; digit++) made(await fromPage({ amount: '2.000X' }))
      assert.match(made(await ask({ amount: '2.000X' }, '', headers)).amount, /^2\.0/)
    })

    test('a public key made in the dashboard could be used by anybody for any address', async (t) => {
      const { shop, key, headers, fromPage } = await openOn(t, engine)
      const cookie = await enter(shop, key)
      const form = async (fields: Record<string, string>) => {
        const { text } = await ask(`${shop.url}/dashboard/keys`, { method: 'GET', headers: { cookie } })
        const tokenOf = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
        const tokens = { csrf: tokenOf('csrf'), form_token: tokenOf('form_token') }
        const usual = { name: 'Page', kind: 'public', 'origins[0]': PAGE }
        const sent = { ...tokens, ...usual, ...fields }
        const reply = await sendForm(`${shop.url}/dashboard/keys`, sent, { cookie, origin: shop.url })
        return { id: '', key: /rpc_pk_\w{38}/.exec(reply.text)![0], addresses: [], templates: [] }
      }
      const toOthers = async (made: Key) => (await fromPage(made, { address: strangers, amount: '1' })).status
      // Nothing is known about the account yet, so its keys stay unbound.
      assert.equal(await toOthers(await form({})), 200)
      await shop.open({ address, amount: '1' }, headers)
      assert.equal(await toOthers(await form({})), 403)
      const shown = await ask(`${shop.url}/dashboard/keys`, { method: 'GET', headers: { cookie } })
      assert.match(shown.text, new RegExp(`name="addresses\\[0\\]"[^>]*value="${address}"`))
      assert.match(shown.text, /not bound/)
      assert.equal(await toOthers(await form({ 'addresses[0]': address, 'addresses[3]': strangers })), 200)
      assert.equal(await toOthers(await form({ 'addresses[0]': '' })), 200, 'its merchant has taken the address away')
    })
  })
}

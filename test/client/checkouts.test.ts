import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Check, createGateway, nano, raw, verifyWebhook } from '../../src/client/index.ts'
import { signBody } from '../../src/modules/webhooks/domain/sign-body.ts'
import { Signer } from '../support/blocks.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { TcpRelay } from '../support/tcp-relay.ts'
import { BODY, NON_ASCII, TIMESTAMP, VECTORS } from '../support/webhook-vectors.ts'

/* A shop that makes a checkout, waits for the payment, and verifies webhooks. */

const shop = new Signer(61)

test('a shop asks for an amount of raw and is notified when it is paid, also over a line that breaks', async (t) => {
  const { url, app } = await openGateway(t)
  const relay = await TcpRelay.start(Number(new URL(url).port))
  t.after(() => relay.close())
  const gateway = createGateway({ url: `http://127.0.0.1:${relay.port}`, key: app.createdKey! })
  const price = raw('1.5')
  const order = { address: shop.address, amount: price, random: false }
  const { id, amount_raw: asked } = await gateway.checkouts.create(order)
  assert.equal(asked, price)
  const seen: Check['status'][] = []
  const paid = gateway.checkouts.waitFor(id, {
    onStatus({ status }) {
      // The first message is the current state of the checkout. Then the connection breaks, and the payment comes meanwhile.
      if (seen.push(status) > 1) return
      relay.cut()
      void ask(`${url}/developer/checkouts/${id}/pay`, { body: '{}' }).then(() => relay.open())
    },
  })
  const check = await paid
  assert.deepEqual([check.status, check.amount_paid_raw, check.block?.amount_raw], ['complete', price, price])
  assert.deepEqual([seen[0], seen.at(-1)], ['pending', 'complete'])
  assert.equal((await gateway.checkouts.check(id)).status, 'complete')
})

test('who waits for a checkout that ends unpaid does not see it as paid', async (t) => {
  const { url } = await openGateway(t)
  const gateway = createGateway({ url })
  const play = (id: string, what: string) => ask(`${url}/developer/checkouts/${id}/${what}`, { body: '{}' })
  for (const [what, code] of [
    ['expire', 'checkout_expired'],
    ['cancel', 'checkout_cancelled'],
  ] as const) {
    const { id } = await gateway.checkouts.create({ address: new Signer(62).address, amount: '2' })
    const waiting = gateway.checkouts.waitFor(id)
    await Promise.all([assert.rejects(waiting, { code }), play(id, what)])
    assert.equal((await gateway.checkouts.check(id)).status, what === 'expire' ? 'expired' : 'cancelled')
  }
  await assert.rejects(gateway.checkouts.waitFor('0'.repeat(16)), { status: 404 })
  const ended = gateway.checkouts.waitFor('x', { signal: AbortSignal.abort(new Error('closed')) })
  await assert.rejects(ended, /closed/)
  const broken = new Error('the shop is broken')
  const { id } = await gateway.checkouts.create({ address: shop.address, amount: '2' })
  const onStatus = () => {
    throw broken
  }
  await assert.rejects(gateway.checkouts.waitFor(id, { onStatus }), broken)
  const dollars = async () => gateway.checkouts.create({ address: shop.address, amount: 5n, currency: 'USD' })
  await assert.rejects(dollars, { code: 'invalid_amount' })
  assert.equal(nano(raw('2')), '2')
})

test('a merchant cancels unpaid checkouts; paid ones stay paid and visible', async (t) => {
  const opened = await openGateway(t)
  const { url } = opened
  const [merchant, other] = [await opened.join(), await opened.join()]
  const gateway = createGateway({ url, key: merchant.key })
  const make = (amount: string) =>
    gateway.checkouts.create({ address: shop.address, amount, metadata: { order: amount } })
  const [unpaid, paid] = [await make('1.25'), await make('1.5')]
  await ask(`${url}/developer/checkouts/${paid.id}/pay`, { body: '{}' })
  await gateway.checkouts.waitFor(paid.id)
  const answers = [await gateway.checkouts.cancel(unpaid.id), await gateway.checkouts.cancel(paid.id)]
  const told = answers.map(({ status, metadata, hidden, amount_paid_raw: sum }) => [status, metadata, hidden, sum])
  assert.deepEqual(told, [
    ['cancelled', { order: '1.25' }, false, 0n],
    ['complete', { order: '1.5' }, false, paid.amount_raw],
  ])
  const stranger = createGateway({ url, key: other.key })
  for (const call of [stranger.checkouts.read, stranger.checkouts.cancel]) {
    await assert.rejects(call(paid.id), { status: 404 })
  }
})

const ID = 'evt_01J9Z3K8Q6T2V4W6X8Y0ZABCDE'
const now = { nowSeconds: TIMESTAMP }

test('a genuine webhook is taken in both forms, with the headers of any framework; a changed one is not', () => {
  for (const { secret } of VECTORS) {
    const signed = signBody({ id: ID, timestamp: TIMESTAMP, body: BODY, secrets: [secret] })
    const { 'Nano-Signature': simple, ...standard } = signed
    const lower = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]))
    const forms = [signed, standard, lower, new Headers(signed), Object.entries(signed), { 'nano-signature': simple }]
    for (const headers of forms) {
      assert.deepEqual(verifyWebhook(BODY, headers, secret, now), JSON.parse(BODY))
    }
    const only = { 'Nano-Signature': simple! }
    const wrong: [string, object, string, object?][] = [
      [`${BODY} `, signed, secret],
      [`${BODY} `, only, secret],
      [BODY, signed, `${secret}x`],
      [BODY, only, `${secret}x`],
      [BODY, { ...signed, 'webhook-id': 'evt_other' }, secret],
      [BODY, { ...only, 'Nano-Signature': simple!.slice(2) }, secret],
      [BODY, { ...standard, 'webhook-signature': standard['webhook-signature']!.slice(3) }, secret],
      [BODY, {}, secret],
      [BODY, only, secret, { form: 'standard' }],
    ]
    for (const [body, headers, key, options] of wrong) {
      const verify = () => verifyWebhook(body, headers as Record<string, string>, key, { ...now, ...options })
      assert.throws(verify, { code: 'webhook_invalid' })
    }
    for (const late of [-301, 301]) {
      const verify = () => verifyWebhook(BODY, signed, secret, { nowSeconds: TIMESTAMP + late })
      assert.throws(verify, { code: 'webhook_too_old' })
    }
  }
  const { body, secret } = NON_ASCII
  const signed = signBody({ id: 'evt_2', timestamp: TIMESTAMP, body, secrets: ['another', secret] })
  assert.equal(verifyWebhook(new TextEncoder().encode(body), signed, secret, now).id, 'evt_2')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
import {
  type Check,
  type Made,
  bearer,
  merchant,
  openWorld,
  turnUntil,
  untilStatus,
} from '../support/checkout-steps.ts'
import { openWorld as openMailWorld } from '../support/email-steps.ts'

/* Contract 4.6: what anybody may ask about a payment. The page and what belongs to it are in part4-pay. */

const { address } = merchant
const HOUR = 3_600_000
const ANSWERED_404 = { error: 'Checkout not found.', message: 'Checkout not found.', code: 'not_found' }
type Members = Record<string, unknown>

const get = (url: string, headers: Record<string, string> = {}) => ask(url, { method: 'GET', headers })

test('check answers GET and POST, in every spelling of path and id, with CORS and without a store (contract 4.6, Payment verification: GET or POST /check/<id>, /confirm/<id>, /checkout/<id>/check; 4.6, rules 5 and 7; 2, rule 15; 9, Synonyms: checkout check, checkout ids; 1, rule 11; 7, Texts and codes: checkout id unknown)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const { id } = await shop.open({ address, amount: '1' })
  const expected = await shop.check(id)
  const spellings = [id, id.toUpperCase(), `id_${id}`, `pay_${id}`, `inv_${id.toUpperCase()}`]
  for (const path of spellings.flatMap((one) => [`/check/${one}`, `/confirm/${one}`, `/checkout/${one}/check`])) {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: '{"note":"hi","email":"a@b.example"}' } : {}
      const reply = await ask(`${shop.url}${path}`, { method, headers: { 'content-type': 'text/plain' }, ...body })
      assert.equal(reply.status, 200, `${method} ${path}`)
      assert.deepEqual(reply.json(), expected)
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      assert.equal(reply.headers['cache-control'], 'no-store')
    }
  }
  for (const unknown of ['0123456789abcdef', 'nonsense', '../x', `x_${id}`]) {
    const written = encodeURIComponent(unknown)
    const paths = [`/check/${written}`, `/confirm/${written}`, `/checkout/${written}/check`, `/checkout/${written}`]
    for (const path of [...paths, `/pay/${written}?json=true`, `/pay/${written}/image`, `/pay/${written}/events`]) {
      const reply = await get(`${shop.url}${path}`)
      assert.deepEqual([reply.status, reply.json()], [404, ANSWERED_404], path)
    }
    for (const path of [`/pay/${written}`, `/pay/${written}/receipt`]) {
      const page = await get(`${shop.url}${path}`, { accept: 'text/html' })
      assert.equal(page.status, 404, path)
      assert.match(page.headers['content-type']!, /text\/html/)
    }
  }
})

test('check: pending, detected, complete and expired, each with exactly what it may say (contract 4.6, rules 2, 3, 4 and 8; 2, rule 16; 7, Texts and codes: expired checkout, in a check answer)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1' })
  const plans = [
    { title: 'Small', value: '1' },
    { title: 'Large', value: '5', discount: 10 },
  ]
  const offer = await shop.open({ address, plans })
  const late = await shop.open({ address, amount: '2' })
  const { id, amount, amount_raw } = made
  const asked = (one: Made): Members => ({
    id: one.id,
    additional_status: 'none',
    address,
    amount: one.amount,
    amount_raw: one.amount_raw,
    expires_unix: one.expires_unix,
    json: `${shop.url}/checkout/${one.id}`,
    browser: `${shop.url}/pay/${one.id}`,
  })
  assert.equal(made.expires_unix, Math.floor(world.clock.now() / 1_000) + 24 * 3_600)
  const unpaid = (one: Made) => ({
    ...asked(one),
    success: false,
    amount_paid: '0',
    amount_paid_raw: '0',
    amount_due_raw: one.amount_raw,
  })
  assert.deepEqual(await shop.check(id), { ...unpaid(made), status: 'pending' })

  const { node } = world.ledger
  node.hold()
  const hash = await world.pay(address, amount_raw)
  await turnUntil(world, 5_000, async () => (await shop.check(id)).status === 'detected')
  const detected = (await shop.check(id)) as Check & { detected_block: Members }
  const account = detected.detected_block.account
  assert.match(account, /^nano_[13][13-9a-km-uw-z]{59}$/)
  const block = { hash, account, amount, amount_raw }
  assert.deepEqual(detected, { ...unpaid(made), status: 'detected', detected_block: block })
  await node.release()
  await untilStatus(shop, id, 'complete')
  const complete = {
    ...asked(made),
    status: 'complete',
    success: true,
    amount_paid: amount,
    amount_paid_raw: amount_raw,
    amount_due_raw: '0',
    message: 'Payment received.',
    block,
  }
  assert.deepEqual(await shop.check(id), complete)

  const large = offer.plans[1]!
  await world.pay(address, large.value_raw)
  const bought = await untilStatus(shop, offer.id, 'complete')
  const plan = { title: 'Large', value: large.value, value_raw: large.value_raw, discount: 10 }
  assert.deepEqual([bought.plan, bought.block?.amount_raw], [plan, large.value_raw])

  await turnUntil(world, HOUR, async () => (await shop.check(late.id)).status === 'expired')
  const expired = { ...unpaid(late), status: 'expired', expired: true, error: 'Expired checkout.' }
  assert.deepEqual(await shop.check(late.id), expired)
  assert.deepEqual(await shop.check(id), complete, 'complete is final')
})

test('the record is the check answer and what the page shows; neither tells of webhooks, mail, metadata or the account (contract 4.6, Payment verification: GET /checkout/<id>; 4.6, rule 6; 2, rule 17)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const secrets = {
    webhook_url: 'https://planted-hook.example/',
    webhook_secret: 'planted secret',
    webhook_events: ['payment.partial'],
    notify: 'planted@example.com',
    metadata: { planted: 'planted metadata' },
  }
  const shown = {
    title: 'A book',
    description: 'Of two pages',
    image: 'https://shop.example/book.png',
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
  }
  const made = await shop.open({ address, amount: '1', ...shown, ...secrets }, bearer(world.key()))
  const { id, link, qrcode, amount_raw: raw, check } = made
  const expected = { check, mode: 'unique_amount', currency: 'NANO', ...shown, link, qrcode }
  const record = async () => (await get(String(made.json))).json<Members>()
  const createdUnix = Math.floor(world.clock.now() / 1_000)
  assert.deepEqual(await record(), { ...(await shop.check(id)), ...expected, created_unix: createdUnix })
  const read = async () => {
    for (const path of [
      `/check/${id}`,
      `/checkout/${id}`,
      `/pay/${id}`,
      `/pay/${id}?json=true`,
      `/pay/${id}/receipt`,
    ]) {
      const reply = await get(`${shop.url}${path}`, { accept: 'text/html' })
      assert.doesNotMatch(reply.text, /planted|acc_|webhook|notify|metadata/, path)
    }
  }
  await read()
  const hash = await world.pay(address, raw)
  await untilStatus(shop, id, 'complete')
  const paid = await record()
  assert.equal((paid.block as Members).hash, hash)
  assert.equal(paid.paid_unix, createdUnix)
  await read()
})

test('check URLs: of checkouts and names at the host for programs, of e-mail payments without their recipients (contract 4.6, rule 1)', async (t) => {
  const world = await openWorld(t)
  const apart = { BASE_URL: 'https://rpc.example', CHECKOUT_URL: 'https://pay.example', API_URL: 'https://api.example' }
  const shop = await world.start(apart)
  const made = await shop.open({ address, amount: '1' })
  assert.equal(made.check, `https://api.example/check/${made.id}`)
  assert.equal(made.json, `https://api.example/checkout/${made.id}`)
  assert.equal(made.browser, `https://pay.example/pay/${made.id}`)
  const check = (await get(`${shop.url}/check/${made.id}`)).json<Members>()
  assert.deepEqual([check.json, check.browser], [made.json, made.browser])
  const offer = (await shop.call('get_name', { name: 'Somebody' })).json<Members>()
  assert.equal(offer.check, `https://api.example/check/${String(offer.id)}`)
  const sale = (await get(`${shop.url}/check/${String(offer.id)}`)).json<Members>()
  assert.deepEqual(
    [sale.status, sale.success, sale.address, (sale.order as Members).status],
    ['pending', false, offer.address, 'waiting'],
  )

  const gift = { refund_address: address, amount: '1', emails: ['zoe@example.com'] }
  const mailed = (await shop.call('nano_email', gift, bearer(world.key()))).json()
  assert.equal(mailed.check, `https://api.example/email/${mailed.id}/check`)
  const mail = await openMailWorld(t)
  const payment = await mail.open({ emails: ['zoe@example.com', 'yan@example.com'] })
  assert.equal(payment.check, `${mail.gateway.url}/email/${payment.id}/check`)
  for (const method of ['GET', 'POST']) {
    const reply = await ask(payment.check, { method })
    assert.equal(reply.status, 200)
    assert.doesNotMatch(reply.text, /zoe|yan|@/)
    const answer = reply.json<Members>()
    const { id, address: at, amount_raw, browser } = payment
    assert.deepEqual(
      { ...answer, id, address: at, amount_raw, browser, success: false, amount_paid_raw: '0' },
      { ...answer, amount_due_raw: amount_raw },
    )
    assert.equal(answer.json, payment.check)
    assert.equal(answer.amount, '2.1', 'an amount is a text, as in every check')
    for (const name of ['status', 'amount', 'expires_unix']) assert.ok(name in answer, name)
    assert.equal('block' in answer || 'message' in answer, false)
  }
})

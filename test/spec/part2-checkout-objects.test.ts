import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { readQr } from '../support/read-qr.ts'
import {
  bearer,
  earned,
  type Made,
  merchant,
  nano,
  openShop,
  openWorld,
  type Shop,
  show,
  turnUntil,
  untilStatus,
} from '../support/checkout-steps.ts'
import { row } from './row.ts'

/* Contract 2, checkout: response, status, record and report, each field with its type. */

const { address } = merchant
const DAY = 86_400
type Members = Record<string, unknown>

/** Pays in these tests. */
const PAYER = toAddress(DEV_NETWORK.genesisAccount)

const readStatus = async (shop: Shop, id: string) => (await shop.check(id)) as unknown as Members
const readRecord = async ({ json }: Made) => (await ask(String(json), { method: 'GET' })).json<Members>()

test('a response has every member, and amount, raw amount, link and QR code come from one integer (contract 2, rules 2 and 8; 8, Checkout: lifetime, tail of a unique amount; 4.1, Payments, wallets, faucet, swap: checkout)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({
    BASE_URL: 'https://gateway.example',
    CHECKOUT_URL: 'https://pay.example',
    API_URL: 'https://api.example',
  })
  const expires_unix = world.clock.now() / 1000 + DAY
  const always = ({ id, link, qrcode }: Made, mode: string) => ({
    id,
    browser: `https://pay.example/pay/${id}`,
    check: `https://api.example/check/${id}`,
    json: `https://api.example/checkout/${id}`,
    address,
    link,
    qrcode,
    mode,
    status: 'pending',
    expires_unix,
  })
  const price = await shop.open({ address, amount: 0.1 })
  const { amount, amount_raw } = price
  row('2, Checkout response: id, browser, check, json, address, mode, status, expires_unix', () => {
    assert.deepEqual(price, { ...always(price, 'unique_amount'), amount, amount_raw })
    assert.match(price.id, /^[0-9a-f]{16}$/)
  })
  row('2, Checkout response: amount, amount_raw, link, qrcode', () => {
    assert.equal(`${nano(amount)}`, amount_raw)
    assert.ok(nano(amount) > nano('0.1') && nano(amount) < nano('0.1005'), amount)
    assert.equal(price.link, `nano:${address}?amount=${amount_raw}`)
    assert.equal(readQr(price.qrcode), price.link)
  })

  const fresh = new Signer(61).address
  const own = await shop.open({ address: fresh, amount: '2', mode: 'unique_address' })
  const exact = { amount: '2', amount_raw: `${nano('2')}` }
  assert.deepEqual(own, { ...always(own, 'unique_address'), address: fresh, ...exact })
  assert.equal(readQr(own.qrcode), `nano:${fresh}?amount=${nano('2')}`)

  const open = await shop.open({ address })
  const { link: none, ...unpriced } = always(open, 'unique_amount')
  row('2, Checkout response: amount, amount_raw, link, qrcode', () => {
    assert.deepEqual([open, none], [unpriced, undefined], 'no price, no amount, and no link that could not be matched')
    assert.equal(readQr(open.qrcode), open.browser)
  })

  const offered = [
    { title: 'Small', value: '1' },
    { name: 'Large', price: 10, discount: 15 },
  ]
  const { plans, ...choice } = await shop.open({ address, plans: offered })
  const { value, value_raw } = plans[0]!
  assert.deepEqual(choice, { ...always(choice as Made, 'unique_amount'), amount: value, amount_raw: value_raw })
  row('2, Checkout response: plans[]', () => {
    const told = (plans as (Made['plans'][number] & { link: string; qrcode: string })[]).map(
      ({ link, qrcode, value, value_raw, ...rest }) => {
        assert.equal(`${nano(value)}`, value_raw)
        assert.equal(link, `nano:${address}?amount=${value_raw}`)
        assert.equal(readQr(qrcode), link)
        return rest
      },
    )
    const small = { title: 'Small', discount: false }
    assert.deepEqual(told, [small, { title: 'Large', discount: 15 }])
  })
})

test('a price in dollars is reported with its rate, and is paid with the amount it was converted to', async (t) => {
  const { world, shop } = await openShop(t)
  const made = await shop.open({ address, amount: '10', currency: 'usd' }, bearer(world.key()))
  const { currency, fiat_amount, note, rate, rate_source } = made
  const plain = await shop.open({ address, amount: '10' })
  row('2, Checkout response: currency, fiat_amount, note, rate', () => {
    assert.deepEqual([currency, fiat_amount, rate, rate_source], ['USD', '10', '1.00', 'sandbox'])
    assert.equal(note, 'Converted to nano when the page is opened; a quote lives 15 minutes.')
    assert.ok(BigInt(made.amount_raw) > nano('10') && BigInt(made.amount_raw) < nano('10.06'))
    assert.equal(`${nano(made.amount)}`, made.amount_raw)
    for (const name of ['currency', 'fiat_amount', 'note', 'rate']) assert.equal(name in plain, false, name)
  })
  await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  const stats = (await shop.rest('GET', '/api/checkouts/stats', world.key())).json<{ revenue: object }>()
  assert.deepEqual(stats.revenue, { USD: earned(1, '10.00', made.amount_raw) })
})

test('a status has the same members at all times, and a proof of payment only when it is complete (contract 2, rules 15 and 16; 4.6, rules 2, 3, 4 and 8; 7, Texts and codes: expired checkout, in a check answer)', async (t) => {
  const { world, shop } = await openShop(t)
  const headers = bearer(world.key())
  const plans = [
    { title: 'Small', value: '1' },
    { title: 'Large', value: '5', discount: 10 },
  ]
  const made = await shop.open({ address, plans }, headers)
  const [, large] = made.plans
  const { id, amount, amount_raw } = made
  const expires_unix = world.clock.now() / 1000 + DAY
  const always = { id, address, expires_unix, json: made.json, browser: made.browser, additional_status: 'none' }
  const nothingYet = { amount_paid: '0', amount_paid_raw: '0', amount_due_raw: amount_raw }
  const unpaid = { success: false, amount, amount_raw, ...nothingYet }
  for (const form of [id, `id_${id}`, `pay_${id}`, `inv_${id}`, `INV_${id.toUpperCase()}`]) {
    const pending = await readStatus(shop, form)
    row(
      '2, Checkout status: id, status, success, address, amount, amount_raw, amount_paid, amount_paid_raw, amount_due_raw, additional_status, expires_unix, json, browser',
      () => assert.deepEqual(pending, { ...always, ...unpaid, status: 'pending' }, form),
    )
  }
  // Detected but not final: none of the fields that clients take as proof may be set.
  world.ledger.node.hold()
  const hash = await world.pay(address, large!.value_raw)
  await turnUntil(world, 1_000, async () => (await shop.check(id)).status === 'detected')
  const bought = { amount: large!.value, amount_raw: large!.value_raw }
  const block = { hash, account: PAYER, ...bought }
  const detected = await readStatus(shop, id)
  row('2, Checkout status: detected_block, status, success', () =>
    assert.deepEqual(detected, { ...always, ...unpaid, status: 'detected', detected_block: block }),
  )
  await world.ledger.node.release()
  await untilStatus(shop, id, 'complete')
  const complete = await readStatus(shop, id)
  row(
    '2, Checkout status: status, success, amount, amount_raw, amount_paid, amount_paid_raw, amount_due_raw, block, message, plan',
    () =>
      assert.deepEqual(complete, {
        ...{ ...always, ...bought, status: 'complete', success: true, block, message: 'Payment received.' },
        ...{ amount_paid: large!.value, amount_paid_raw: large!.value_raw, amount_due_raw: '0' },
        plan: { title: 'Large', value: large!.value, value_raw: large!.value_raw, discount: 10 },
      }),
  )

  const open = await shop.open({ address }, headers)
  const suppressed = { amount: null, amount_raw: null, amount_paid: '0', amount_paid_raw: '0', amount_due_raw: '0' }
  const nothing = await readStatus(shop, open.id)
  row('2, Checkout status: amount, amount_raw', () =>
    assert.deepEqual(nothing, { ...nothing, ...suppressed, status: 'pending', success: false }),
  )

  const fresh = new Signer(62).address
  const parts = await shop.open({ address: fresh, amount: '3', mode: 'unique_address' }, headers)
  for (const part of ['1', '0.5']) await world.pay(fresh, nano(part))
  await turnUntil(world, 1_000, async () => (await shop.check(parts.id)).amount_paid_raw === `${nano('1.5')}`)
  const partial = await readStatus(shop, parts.id)
  const half = `${nano('1.5')}`
  const sum = { amount: '3', amount_raw: `${nano('3')}` }
  const due = { ...sum, amount_paid: '1.5', amount_paid_raw: half, amount_due_raw: half }
  row('2, Checkout status: amount_paid, amount_paid_raw, amount_due_raw', () =>
    assert.deepEqual(partial, { ...partial, ...due, status: 'partial', success: false }),
  )
  for (const proof of ['block', 'message', 'plan', 'expired', 'error']) assert.equal(proof in partial, false, proof)

  await turnUntil(world, 2 * 3_600_000, async () => (await shop.check(parts.id)).status === 'expired')
  const expired = await readStatus(shop, parts.id)
  row('2, Checkout status: expired, error', () =>
    assert.deepEqual(expired, { ...partial, status: 'expired', expired: true, error: 'Expired checkout.' }),
  )
  assert.deepEqual(await readStatus(shop, id), complete, 'complete is final')
})

test('page and record show the texts and links of the request, and never a webhook, a mail address or metadata (contract 1, Product areas: 2. Checkout; 2, rule 17; 4.6, Payment verification: GET /checkout/<id>; 4.6, rule 6)', async (t) => {
  const { world, shop } = await openShop(t)
  const shown = {
    title: 'A book',
    description: 'Bound',
    image: 'https://shop.example/book.png',
    success_url: 'https://shop.example/thanks',
    cancel_url: 'https://shop.example/cart',
  }
  const hidden = {
    webhook_url: 'https://planted-hook.example/',
    webhook_secret: 'planted secret',
    webhook_events: ['payment.partial'],
    notify: 'planted@example.com',
    note: 'planted note',
    metadata: { planted: 'planted metadata' },
  }
  const created_unix = world.clock.now() / 1000
  const headers = bearer(world.key())
  const fields = { address, plans: [{ title: 'Paper', value: '1' }], ...shown, ...hidden }
  const suppressed = await ask(shop.url, { body: JSON.stringify(fields), headers })
  const made = await shop.open(fields, headers)
  row('2, Checkout request fields: action', () => {
    assert.deepEqual([suppressed.status, suppressed.json().error], [400, 'Action not provided'])
    assert.equal(made.status, 'pending')
  })
  const { check, mode, link, qrcode } = made
  const own = { check, mode, link, qrcode, ...shown, currency: 'NANO', plans: made.plans, created_unix }
  const [before, status] = [await readRecord(made), await readStatus(shop, made.id)]
  row(
    '2, Checkout record: fields of the checkout status, check, mode, qrcode, title, description, image, success_url, cancel_url, plans[], created_unix',
    () => assert.deepEqual(before, { ...status, ...own }),
  )
  /** The page's data, which must hide the private fields as well. */
  const readPage = async () => {
    const pages: string[] = []
    for (const path of [`/pay/${made.id}`, `/check/${made.id}`, `/checkout/${made.id}`, `/pay/${made.id}/receipt`]) {
      const { text } = await ask(`${shop.url}${path}`, { method: 'GET', headers: { accept: 'text/html' } })
      assert.doesNotMatch(text, /planted|acc_|webhook|notify|metadata/, path)
      pages.push(text)
    }
    return pages[0]!
  }
  const page = await readPage()
  row('2, Checkout request fields: title, description, image', () => {
    for (const part of ['A book', 'Bound', `src="/pay/${made.id}/image"`]) assert.ok(page.includes(part), part)
  })
  const { checkout } = await show(shop, made.id, world.key())
  row('2, Checkout request fields: metadata, notify', () =>
    assert.deepEqual([checkout.metadata, checkout.notify], [hidden.metadata, hidden.notify]),
  )
  const fiat = await shop.open({ address, amount: '12.50', currency: 'EUR' }, headers)
  const inEuro = await readRecord(fiat)
  row('2, Checkout record: currency; 2, Checkout request fields: currency', () => {
    const { currency, fiat_amount, note } = inEuro
    assert.deepEqual([before.currency, currency, fiat_amount, note], ['NANO', 'EUR', '12.50', fiat.note])
    assert.deepEqual([fiat.currency, fiat.fiat_amount], ['EUR', '12.50'])
    assert.match(String(note), /converted/i)
  })
  for (const name of ['plans', ...Object.keys(shown)]) assert.equal(name in inEuro, false, name)
  world.clock.advance(5_000)
  const hash = await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  const [record, paid] = [await readRecord(made), await readStatus(shop, made.id)]
  row('2, Checkout record: fields of the checkout status, created_unix, paid_unix', () => {
    assert.equal((record.block as Members).hash, hash)
    assert.deepEqual(record, { ...paid, ...own, paid_unix: created_unix + 5 })
  })
  const after = await readPage()
  row('2, Checkout request fields: success_url, cancel_url', () => {
    const leads = (to: string) => [page, after].map((text) => text.includes(`href="${to}"`)).join()
    assert.deepEqual([leads(shown.cancel_url), leads(shown.success_url)], ['true,false', 'false,true'])
  })
})

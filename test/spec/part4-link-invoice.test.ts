import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { merchant, openWorld, payFor, turnUntil } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { bare, idIn, sendForm } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { assertNamed } from '../support/wrong-fields.ts'
import { row } from './row.ts'

/* Contract 4.12, rule 10: invoices of a link's orders. */

const { address } = merchant
const TAX = [
  { title: 'VAT 20 %', amount: '1.60' },
  { title: 'Deposit', amount: '0.40' },
]
const BUYER = { buyer_name: 'Anna <b>Berg', buyer_address: 'Main Street 1\r\n1010 Vienna', buyer_tax_id: 'ATU1' }

async function open(t: TestContext, engine?: StoreEngine) {
  const world = await openWorld(t, engine)
  const shop = await world.start()
  const { key } = await shop.join()
  const form = (path: string, fields: Record<string, string>) => sendForm(shop.url + path, { lang: 'en', ...fields })
  const make = (terms: object) => shop.rest('POST', '/api/links', key, { address, title: 'Mug', ...terms })
  return {
    ...{ world, shop, key, form, make },
    linkOf: async (terms: object) => {
      const made = await make(terms)
      assert.equal(made.status, 201, made.text)
      return made.json<{ id: string; slug: string; invoice: object }>()
    },
    paper: async (id: string) => bare((await ask(`${shop.url}/pay/${id}/invoice?lang=en`, { method: 'GET' })).text),
    pay: (id: string) => payFor(world, shop, id),
  }
}

forEachEngine((engine) => {
  test('buyers at a link give the details of their invoice, which is numbered when paid and has the paid sum (contract 4.12, rule 10)', async (t) => {
    const { shop, key, form, linkOf, paper, pay } = await open(t, engine)
    const invoice = { buyer: 'required', seller: 'Mugs Ltd\nUID 7', tax: TAX }
    const terms = { amount: '9.60', currency: 'EUR', quantity: { max: 5 }, invoice }
    const link = await linkOf(terms)
    assert.deepEqual(link.invoice, { ...invoice, tax: TAX })
    const offer = await ask(`${shop.url}/buy/${link.slug}?lang=en`, { method: 'GET' })
    assert.match(offer.text, /name="buyer_name"[^>]*required[^]*name="buyer_address"[^>]*required/)
    for (const [wrong, fields] of [
      ['buyer_name', { ...BUYER, buyer_name: ' ' }],
      ['buyer_address', { ...BUYER, buyer_address: '' }],
      ['buyer_name', { ...BUYER, buyer_name: 'a'.repeat(121) }],
      ['buyer_tax_id', { ...BUYER, buyer_tax_id: '1'.repeat(41) }],
    ] as const) {
      const refused = await form(`/buy/${link.slug}`, { quantity: '3', ...fields })
      assert.equal(refused.status, 400)
      assert.match(refused.text, new RegExp(`id="wrong-${wrong}"`))
      assert.match(refused.text, /value="3"[^]*ATU1|value="3"[^]*111/, 'nothing typed is lost')
    }
    const token = 'a'.repeat(22)
    const id = idIn(await form(`/buy/${link.slug}`, { quantity: '3', token, ...BUYER }))
    assert.equal(idIn(await form(`/buy/${link.slug}`, { quantity: '3', token, ...BUYER })), id, 'sent twice it is one')
    const other = await form(`/buy/${link.slug}`, { quantity: '3', token, ...BUYER, buyer_name: 'Bo' })
    assert.notEqual(idIn(other), id, 'another buyer is another order')
    assert.match(await paper(id), /Pro forma invoice/)
    await pay(id)
    const paid = await paper(id)
    row('4.12, rule 10', () => {
      assert.match(paid, /INV-000001/)
      assert.match(paid, /Mugs Ltd UID 7/)
      assert.match(paid, /Anna &lt;b>Berg .*Main Street 1 1010 Vienna .*ATU1/)
      // 3 × (9.60 − 2.00), and three times each tax: the lines must add up to what is paid, to the cent.
      assert.match(paid, /Mug.* 3 .*7\.60.*22\.80.*VAT 20 %.*4\.80.*Deposit.*1\.20.*28\.80/)
    })
    const { checkout } = (await shop.rest('GET', `/api/checkouts/${id}`, key)).json<{ checkout: { price: string } }>()
    assert.equal(Number(checkout.price), 28.8)

    const renamed = await shop.rest('PUT', `/api/links/${link.id}`, key, { title: 'Cup' })
    assert.deepEqual(renamed.json<{ invoice: object }>().invoice, invoice, 'a change of something else keeps it')
    await shop.rest('PUT', `/api/links/${link.id}`, key, { invoice: null })
    const without = idIn(await form(`/buy/${link.slug}`, { quantity: '1' }))
    assert.equal((await ask(`${shop.url}/pay/${without}/invoice`, { method: 'GET' })).status, 404)
  })
})

test('invoices of plans, donations and renewals: the buyer may say nothing, and who has subscribed is asked once (contract 4.12, rule 10)', async (t) => {
  const { world, shop, form, linkOf, paper, pay } = await open(t)
  const plans = [
    { title: 'Small', value: '1' },
    { title: 'Large', value: '2.5' },
  ]
  const club = await linkOf({ plans, every: 'month', invoice: true })
  const first = idIn(await form(`/buy/${club.slug}`, { plan: '1', email: 'payer@example.com', ...BUYER }))
  await pay(first)
  assert.match(await paper(first), /INV-000001.*Anna.*Mug · Large.*2\.5/)
  const { db } = shop.app.store
  const read = () => db.selectFrom('subscriptions').selectAll().executeTakeFirstOrThrow()
  assert.equal((await read()).plan, 'Large')
  world.clock.leap(28.5 * 86_400_000)
  const mail = () => db.selectFrom('mails').select('text').where('subject', 'like', '%Mug').executeTakeFirst()
  await turnUntil(world, 30_000, async () => (await mail()) !== undefined)
  const page = /\/subscriptions\/sub_\w+\/\w+/.exec((await mail())!.text)![0]
  const again = idIn(await form(`${page}/renew`, {}))
  await pay(again)
  assert.match(await paper(again), /INV-000002.*Anna.*Main Street 1/)

  const gift = await linkOf({ suggested: ['1', '5'], invoice: { buyer: 'optional' } })
  const given = idIn(await form(`/buy/${gift.slug}`, { own: '0,50' }))
  assert.match(await paper(given), /Pro forma.*Mug.* 1 .*0\.5/)
  assert.equal((await form(`/buy/${gift.slug}`, { own: 'much' })).status, 400)
})

test('taxes in percent are taken out of every price of a link, to a cent and beside amounts (contract 4.12, rule 10)', async (t) => {
  const { form, linkOf, paper } = await open(t)
  const tax = [
    { title: 'VAT', percent: '5.5' },
    { title: 'Local', percent: '2' },
  ]
  const plans = [
    { title: 'One', value: '9.99' },
    { title: 'Two', value: '0.01' },
  ]
  const link = await linkOf({ plans, currency: 'EUR', invoice: { tax } })
  assert.deepEqual(link.invoice, { buyer: 'optional', seller: null, tax })
  const [dear, cheap] = [
    idIn(await form(`/buy/${link.slug}`, { plan: '0' })),
    idIn(await form(`/buy/${link.slug}`, { plan: '1' })),
  ]
  const mixed = await linkOf({
    amount: '3',
    quantity: { max: 3 },
    invoice: { tax: [{ title: 'Deposit', amount: '0.6' }, tax[0]] },
  })
  const three = idIn(await form(`/buy/${mixed.slug}`, { quantity: '3' }))
  assert.match(await paper(dear), /\b9\.29.*VAT.*\b0\.51.*Local.*\b0\.19.*\b9\.99/)
  assert.match(await paper(cheap), /\b0\.01.*VAT.*\b0\.00.*Local.*\b0\.00.*\b0\.01/)
  assert.match(await paper(three), /\b2\.274882.*\b6\.824646.*Deposit.*\b1\.8\b.*VAT.*\b0\.375354\b.*\b9\b/)
})

test('invalid invoice fields of a link are refused by name (contract 4.12, rule 10)', async (t) => {
  const { make } = await open(t)
  const plans = [{ title: 'Small', value: '1' }]
  const tax = (amount: string, title?: string) => ({ invoice: { tax: [{ title, amount }] } })
  await assertNamed(
    (terms) => make({ amount: '1', ...terms }),
    [
      ['invoice', { invoice: 'yes' }, { amount: '1.XXX', invoice: true }],
      ['invoice.buyer', { invoice: { buyer: 'maybe' } }],
      ['invoice.lines', { invoice: { lines: [{ title: 'A', price: '1' }] } }],
      ['invoice.number', { invoice: { number: '7' } }],
      ['invoice.seller', { invoice: { seller: 'a'.repeat(501) } }],
      ['invoice.tax[0].title', tax('0.1')],
      ['invoice.tax[0].amount', tax('-0.1', 'VAT')],
      [
        'invoice.tax[0].percent',
        ...['100.1', '-1', '1.2345', ''].map((percent) => ({ invoice: { tax: [{ title: 'VAT', percent }] } })),
      ],
      ['invoice.tax[0].percent', { invoice: { tax: [{ title: 'VAT', percent: '20', amount: '0.1' }] } }],
      ['invoice.tax', tax('1.1', 'VAT')],
      ['invoice.tax', { plans, amount: undefined, ...tax('0.1', 'VAT') }, { amount: undefined, ...tax('0.1', 'VAT') }],
    ],
  )
})

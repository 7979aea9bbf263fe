import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, type Made, merchant, openShop, openWorld, turnUntil, untilStatus } from '../support/checkout-steps.ts'
import { forEachEngine } from '../support/engines.ts'
import { bare } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { row } from './row.ts'

/* Contract 4.12: invoices. */

const { address } = merchant
const LINES = [
  { title: 'Blue mug', quantity: 2, price: '4.90' },
  { title: 'Discount', price: '-1.30' },
]
const INVOICE = { lines: LINES, tax: [{ title: 'VAT 20 %', amount: '1.70' }] }
const BUYER = { name: 'Anna <b>', address: 'Main Street 1\n1010 Vienna', tax_id: 'ATU1' }

type Numbered = { checkout: { invoice: { number: string | null } } }

forEachEngine((engine) => {
  test('numbers of invoices are taken when they are paid, one after the other and without a hole, whatever is paid at once (contract 4.12, rules 6 to 9)', async (t) => {
    const world = await openWorld(t, engine)
    const [shop, second] = [await world.start(), await world.start()]
    const [{ key }, other] = [await shop.join(), await shop.join()]
    const make = (invoice: object, as = key) =>
      shop.open({ address, amount: '10.20', currency: 'EUR', title: 'Order', invoice }, bearer(as))
    const numberOf = async ({ id }: Made, as = key) =>
      (await shop.rest('GET', `/api/checkouts/${id}`, as)).json<Numbered>().checkout.invoice.number
    const paper = async ({ id }: Made, lang = 'en') =>
      ask(`${shop.url}/pay/${id}/invoice?lang=${lang}`, { method: 'GET' })
    const never = await make(INVOICE)
    const all: Made[] = []
    for (let at = 0; at < 6; at++) all.push(await make({ ...INVOICE, buyer: BUYER }))
    const mine = await make({ ...INVOICE, number: 'A/7' })
    const elsewhere = await make(INVOICE, other.key)
    row('2, Checkout response: invoice_url; 2, Checkout request fields: invoice', () =>
      assert.equal(all[0]!.invoice_url, `${shop.url}/pay/${all[0]!.id}/invoice`),
    )
    const before = await paper(all[0]!)
    row('4.12, rule 8', () => {
      assert.equal(before.status, 200)
      assert.match(bare(before.text), /Pro forma invoice .*Unpaid/)
      assert.doesNotMatch(bare(before.text), /INV-/)
      assert.equal(before.headers['cache-control'], 'no-store')
    })

    await Promise.all([...all, mine, elsewhere].map((made) => world.pay(address, made.amount_raw)))
    for (const made of [...all, mine, elsewhere]) {
      await turnUntil(world, 1_000, async () => (await second.check(made.id)).success)
    }
    const numbers = await Promise.all(all.map((made) => numberOf(made)))
    const inOrder = all.map((_, at) => `INV-00000${at + 1}`)
    row('4.12, rule 7', () => assert.deepEqual(numbers.toSorted(), inOrder))
    assert.deepEqual([await numberOf(mine), await numberOf(never)], ['A/7', null])
    assert.equal(await numberOf(elsewhere, other.key), 'INV-000001', 'each account counts for itself')
    // A checkout that its merchant marked as paid has a paid invoice too.
    await shop.rest('DELETE', `/api/checkouts/${never.id}`, key)
    assert.equal((await shop.rest('POST', `/api/checkouts/${never.id}/mark`, key, {})).status, 200)
    assert.equal(await numberOf(never), 'INV-000007')

    const { text } = await paper(all[0]!)
    const { block } = await untilStatus(shop, all[0]!.id, 'complete')
    const shown = bare(text)
    const buyer = ['Anna &lt;b>', '1010 Vienna', 'Tax number ATU1']
    const lines = ['Blue mug 2 €4.90 €9.80', 'Discount 1 -€1.30 -€1.30']
    const sums = ['Subtotal €8.50', 'VAT 20 % €1.70', 'Total €10.20']
    for (const part of [numbers[0]!, ...buyer, ...lines, ...sums, block!.hash]) {
      assert.ok(shown.includes(part) || shown.replaceAll('&gt;', '>').includes(part), `${part} in ${shown}`)
    }
    assert.match(bare((await paper(all[0]!, 'de')).text), /Rechnung .*Gesamt 10,20 €/)
    const record = (await shop.rest('GET', `/checkout/${all[0]!.id}`)).text
    row('4.12, rule 9', () => assert.doesNotMatch(record, /Vienna|Anna/))
    const plain = await shop.open({ address, amount: '1' }, bearer(key))
    assert.equal((await paper(plain)).status, 404)
    const csv = (await shop.rest('GET', '/api/checkouts/statement.csv', key)).text
    assert.match(csv, /INV-000007/)
  })
})

test('an invoice that is not exact, too long or not the price is refused by its field (contract 4.12, rules 6 and 9)', async (t) => {
  const { shop, key } = await openShop(t)
  const refusal = async (invoice: unknown, fields: object = {}, headers: Record<string, string> = bearer(key)) => {
    const asked = { address, amount: '10.20', currency: 'EUR', invoice, ...fields }
    const { status, text } = await shop.call('checkout', asked, headers)
    assert.ok(status >= 400 && status < 500, `${JSON.stringify(invoice)}: ${text}`)
    return (JSON.parse(text) as { field: string }).field
  }
  const line = { title: 'A', price: '10.20' }
  for (const [invoice, field, fields] of [
    ['x', 'invoice'],
    [[], 'invoice'],
    [{}, 'invoice.lines'],
    [{ lines: 'x' }, 'invoice.lines'],
    [{ lines: Array.from({ length: 101 }, () => line) }, 'invoice.lines'],
    [{ lines: [null] }, 'invoice.lines[0]'],
    [{ lines: [{ price: '1' }] }, 'invoice.lines[0].title'],
    [{ lines: [{ title: '\u202e\u0000', price: '1' }] }, 'invoice.lines[0].title'],
    [{ lines: [{ title: 'A'.repeat(201), price: '1' }] }, 'invoice.lines[0].title'],
    [{ lines: [{ title: 'A', price: 'ten' }] }, 'invoice.lines[0].price'],
    [{ lines: [{ title: 'A', price: '1.123456789' }] }, 'invoice.lines[0].price'],
    [{ lines: [{ title: 'A' }] }, 'invoice.lines[0].price'],
    [{ lines: [{ ...line, quantity: 0 }] }, 'invoice.lines[0].quantity'],
    [{ lines: [{ title: 'A', quantity: '0.001', price: '0.00000001' }] }, 'invoice.lines[0].quantity'],
    [{ lines: [line], tax: [{ title: 'VAT', amount: '-1' }] }, 'invoice.tax[0].amount'],
    [{ lines: [line], tax: [{ title: 'VAT', percent: '101' }] }, 'invoice.tax[0].percent'],
    [{ lines: [line], tax: Array.from({ length: 11 }, () => ({ title: 'T', amount: '0' })) }, 'invoice.tax'],
    [{ lines: [line], number: 'inv-17' }, 'invoice.number'],
    [{ lines: [line], number: 'A'.repeat(41) }, 'invoice.number'],
    [{ lines: [line], buyer: 'Anna' }, 'invoice.buyer'],
    [{ lines: [line], buyer: { address: 'A'.repeat(501) } }, 'invoice.buyer.address'],
    [{ lines: [{ title: 'A', price: '10.19999999' }] }, 'invoice.lines'],
    [{ lines: [line] }, 'invoice', { amount: null }],
    [{ lines: [line] }, 'invoice', { amount: '1.2XXX', currency: 'NANO' }],
    [{ lines: [line] }, 'invoice', { plans: [{ title: 'P', value: '10.20' }] }],
  ] as [unknown, string, object?][]) {
    assert.equal(await refusal(invoice, fields), field, JSON.stringify(invoice))
  }
  assert.equal(await refusal({ lines: [line] }, {}, {}), 'invoice', 'numbers are an account’s')

  const raw30 = { title: 'All of it', price: '0.100000000000000000000000000001', quantity: '10' }
  const tiny = { title: 'The rest', price: '-0.00000000000000000000000000001' }
  await shop.open({ address, amount: '1', invoice: { lines: [raw30, tiny] } }, bearer(key))
  const taxed = { lines: [{ title: 'A', price: '8.57' }], tax: [{ title: 'VAT', percent: 19 }] }
  const { id } = await shop.open({ address, amount: '10.20', currency: 'EUR', invoice: taxed }, bearer(key))
  const { checkout } = (await shop.rest('GET', `/api/checkouts/${id}`, key)).json<{ checkout: { invoice: object } }>()
  assert.deepEqual((checkout.invoice as typeof INVOICE).tax, [{ title: 'VAT', amount: '1.63' }], 'rounded to a cent')
  const made = await shop.open({ address, amount: '10.20', currency: 'EUR', invoice: { lines: [line] } }, bearer(key))
  const put = async (body: object) => {
    const reply = await shop.rest('PUT', `/api/checkouts/${made.id}`, key, body)
    return [reply.status, (JSON.parse(reply.text) as { field?: string }).field]
  }
  assert.deepEqual(await put({ amount: '11' }), [400, 'invoice.lines'])
  assert.deepEqual(await put({ amount: '11', invoice: { lines: [{ title: 'A', price: 11 }] } }), [200, undefined])
  assert.deepEqual(await put({ invoice: null, amount: '12' }), [200, undefined])
})

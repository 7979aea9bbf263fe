import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask } from '../../../test/support/gateway.ts'
import { merchant, openShop, type Shop } from '../../../test/support/checkout-steps.ts'

/* Which checkouts callers may make, and what the answer contains. */

const address = merchant.address

async function refuse(shop: Shop, fields: object, headers: Record<string, string> = {}) {
  const reply = await shop.call('checkout', fields, headers)
  const { code, field } = reply.json<{ code: string; field?: string }>()
  return [reply.status, code, field]
}

test('400 the first wrong field is named (contract 2, rule 9; 8, Checkout: smallest price of unique_amount; 7, Texts and codes: malformed input)', async (t) => {
  const { shop } = await openShop(t)
  const wrong: [object, string, string?][] = [
    [{ amount: '1' }, 'address', 'invalid_request'],
    [{ address: 'nano_1', amount: '1' }, 'address', 'invalid_account'],
    [{ address, amount: '0.0000009' }, 'amount', 'invalid_amount'],
    [{ address, amount: '0' }, 'amount', 'invalid_amount'],
    [{ address, amount: '-1' }, 'amount', 'invalid_amount'],
    [{ address, amount: 1e-7 }, 'amount', 'invalid_amount'],
    [{ address, amount: 0.1 + 0.2 }, 'amount', 'invalid_amount'],
    [{ address, amount: '400000000' }, 'amount', 'invalid_amount'],
    [{ address, amount: 'X', currency: 'EUR' }, 'amount', 'invalid_amount'],
    [{ address, amount: '1', currency: 'DOGE' }, 'currency', 'invalid_currency'],
    [{ address, amount: '1', expire: { toString: 1, valueOf: null } }, 'expire', 'invalid_duration'],
    [{ address, amount: '1', mode: 'magic' }, 'mode'],
    [{ address, amount: '1', random: true, mode: 'unique_address' }, 'random'],
    [{ address, amount: '1', title: 'x'.repeat(121) }, 'title'],
    [{ address, amount: '1', title: { a: 1 } }, 'title'],
    [{ address, amount: '1', description: ['a'] }, 'description'],
    [{ address, amount: '1', description: {} }, 'description'],
    [{ address, amount: '1', image: 'data:image/svg+xml,<svg/>' }, 'image'],
    [{ address, amount: '1', success_url: 'javascript://shop.example/%0aalert(1)' }, 'success_url'],
    [{ address, amount: '1', cancel_url: 'https://user:pw@shop.example/' }, 'cancel_url'],
    [{ address, amount: '1', success_url: '//evil.example' }, 'success_url'],
    [{ address, amount: '1', success_url: 'https://a.example/\tb' }, 'success_url'],
    [{ address, amount: '1', webhook: 'nope' }, 'webhook'],
    [{ address, amount: '1', webhook_url: 'nope' }, 'webhook_url'],
    [{ address, amount: '1', webhook_secret: 'short' }, 'webhook_secret'],
    [{ address, amount: '1', webhook_events: ['payment.unknown'] }, 'webhook_events'],
    [{ address, amount: '1', notify: 'a@b.example, c@d.example' }, 'notify', 'invalid_email'],
    [{ address, amount: '1', metadata: [1] }, 'metadata'],
    [{ address, amount: '1', metadata: { a: { b: { c: { d: { e: 1 } } } } } }, 'metadata'],
    [{ address, amount: '1', metadata: { a: 'x'.repeat(5_000) } }, 'metadata'],
    [{ address, amount: '1', template: 'nonsense' }, 'template'],
    [{ address, plans: 'monthly' }, 'plans'],
    [{ address, plans: [{ value: '1' }] }, 'plans[0].title'],
    [{ address, plans: [{ title: 'A', value: '1' }, { title: 'B' }] }, 'plans[1].value', 'invalid_amount'],
    [{ address, plans: [{ title: 'A', value: '1', discount: 200 }] }, 'plans[0].discount'],
  ]
  for (const [fields, field, code = 'invalid_request'] of wrong) {
    assert.deepEqual(await refuse(shop, fields), [400, code, field], JSON.stringify(fields))
  }
  const polluted = `{"action":"checkout","address":"${address}","metadata":{"__proto__":{"a":1}}}`
  assert.equal((await ask(shop.url, { body: polluted })).status, 400)
  assert.equal((await shop.app.store.db.selectFrom('checkouts').select('id').execute()).length, 0)
})

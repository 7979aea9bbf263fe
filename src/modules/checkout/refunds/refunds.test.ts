import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer } from '../../../../test/support/checkout-steps.ts'
import { type Refund, openRefundShop } from '../../../../test/support/refund-steps.ts'
import { issueKey } from '../../accounts/index.ts'

// Whoever has the link has the money: a key that only reads must not be able to fetch it.
test('the link of a refund is shown to keys that may refund, and to no others', async (t) => {
  const { shop, merchant, sell, refund, untilRefund } = await openRefundShop(t)
  const made = await sell()
  const { claim_url: link } = (await refund(made.id, { as: 'link' })).json<Refund>()
  assert.ok(link)
  await untilRefund(made.id, 'sent')
  const key = { accountId: merchant.accountId, kind: 'secret', name: 'test', actor: 'test' } as const
  const { text } = await issueKey(shop.ctx, { ...key, wanted: { scopes: ['checkout', 'reports'] } })
  const answers = [
    await shop.rest('GET', `/api/checkouts/${made.id}`, text),
    await shop.rest('GET', '/api/checkouts', text),
    await shop.call('checkout_report', {}, bearer(text)),
    await shop.call('checkout_report', {}, merchant.headers),
  ]
  for (const answer of answers) {
    assert.equal(answer.status, 200, answer.text)
    assert.ok(!answer.text.includes(link.split('#')[1]!), answer.text)
  }
  assert.ok(answers[0]!.text.includes('"refunds"'))
})

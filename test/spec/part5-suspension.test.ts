import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientWith } from '../support/wallet-client.ts'
import { bearer, listEvents, merchant, openShop, untilStatus } from '../support/checkout-steps.ts'

/* Contract 5: a suspended account as its payers meet it, and what an operator allows a single one. */

test('a payer who pays a checkout of a suspended account has paid, and the shop is told; its key opens nothing new (contract 5, rule 37; 7, Texts and codes: anything of a suspended account)', async (t) => {
  const { world, shop, key } = await openShop(t)
  const made = await shop.open({ address: merchant.address, amount: '1' }, bearer(key))
  const { slug } = (await shop.rest('POST', '/api/links', key, { address: merchant.address, amount: '1' })).json<{
    slug: string
  }>()
  const { account } = (await shop.rest('GET', '/api/account', key)).json<{ account: { id: string } }>()
  const word = { reason: 'The invoice of May is open.' }
  const suspended = await shop.rest('POST', `/api/accounts/${account.id}/suspend`, world.key(), word)
  assert.equal(suspended.status, 200)
  const refused = await shop.call('checkout', { address: merchant.address, amount: '1' }, bearer(key))
  assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [403, 'account_suspended'])
  assert.equal((await shop.rest('POST', `/buy/${slug}`, undefined, {})).status, 409)
  const offer = await shop.rest('GET', `/buy/${slug}`)
  assert.ok(offer.status === 200 && !offer.text.includes('<form class="amount"'), 'nothing to send that is refused')
  assert.equal((await shop.rest('GET', `/pay/${made.id}`)).status, 200)
  await world.pay(merchant.address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  const kinds = (await listEvents(shop, made.id)).map(({ type }) => type)
  assert.ok(kinds.includes('payment.completed'), kinds.join())
  await shop.rest('POST', `/api/accounts/${account.id}/resume`, world.key(), word)
  const kept = (await shop.rest('GET', '/api/checkouts', key)).json<{ checkouts: { id: string }[] }>()
  assert.deepEqual(
    kept.checkouts.map(({ id }) => id),
    [made.id],
    'nothing is deleted',
  )
})

test('generated wallets are on for the one account that the operator names, without a restart', async (t) => {
  const { world, shop, key } = await openShop(t, { CHECKOUT_GENERATED_WALLETS: 'acc_none' })
  const fields = { address: merchant.address, amount: '1', mode: 'generated_wallet' }
  const refused = await shop.call('checkout', fields, bearer(key))
  assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [403, 'feature_disabled'])
  const { account } = (await shop.rest('GET', '/api/account', key)).json<{ account: { id: string } }>()
  const standing = { features: { generated_wallets: true } }
  await shop.rest('PUT', `/api/accounts/${account.id}/standing`, world.key(), standing)
  assert.equal((await shop.call('checkout', fields, bearer(key))).status, 200)
  await shop.rest('PUT', `/api/accounts/${account.id}/standing`, world.key(), {
    features: { generated_wallets: false },
  })
  assert.equal((await shop.call('checkout', fields, bearer(key))).status, 403)
})

test('403 sends of the one account whose operator has switched them off, and its wallets’ endings; receiving goes on', async (t) => {
  const { world, shop, key } = await openShop(t)
  const client = clientWith(shop, key)
  const wallet = await client.create({ refund_address: merchant.address })
  const { account } = (await shop.rest('GET', '/api/account', key)).json<{ account: { id: string } }>()
  await shop.rest('PUT', `/api/accounts/${account.id}/standing`, world.key(), { features: { wallet_sends: false } })
  for (const wish of [{ send: merchant.address, amount: '1' }, { delete: true }]) {
    const refused = await client.call({ account: wallet, ...wish })
    assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [403, 'feature_disabled'])
  }
  assert.equal((await client.call({ account: wallet, receive: true })).status, 200)
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Reply } from '../support/gateway.ts'
import { clientWith } from '../support/wallet-client.ts'
import { bearer, listEvents, merchant, openShop, untilStatus } from '../support/checkout-steps.ts'

/* Contract 5: what payers see of a suspended account, and what the operator still allows. */

async function openOperated(t: TestContext, env: Record<string, string> = {}) {
  const { world, shop } = await openShop(t, env)
  const { accountId, key } = await shop.join()
  const operate = (method: string, what: string, body: object) =>
    shop.rest(method, `/api/accounts/${accountId}/${what}`, world.key(), body)
  return { world, shop, key, operate, checkout: (fields: object) => shop.call('checkout', fields, bearer(key)) }
}

const SALE = { address: merchant.address, amount: '1' }
const outcome = (reply: Reply) => [reply.status, reply.json().code]

test('a payer who pays a checkout of a suspended account has paid, and the shop is notified; its key opens nothing new (contract 5, rule 37; 7, Texts and codes: anything of a suspended account)', async (t) => {
  const { world, shop, key, operate, checkout } = await openOperated(t)
  const made = await shop.open(SALE, bearer(key))
  const { slug } = (await shop.rest('POST', '/api/links', key, SALE)).json()
  const word = { reason: 'The invoice of May is open.' }
  assert.equal((await operate('POST', 'suspend', word)).status, 200)
  assert.deepEqual(outcome(await checkout(SALE)), [403, 'account_suspended'])
  assert.equal((await shop.rest('POST', `/buy/${slug}`, undefined, {})).status, 409)
  const offer = await shop.rest('GET', `/buy/${slug}`)
  assert.ok(offer.status === 200 && !offer.text.includes('<form class="amount"'), 'nothing to send that is refused')
  assert.equal((await shop.rest('GET', `/pay/${made.id}`)).status, 200)
  await world.pay(merchant.address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  const kinds = (await listEvents(shop, made.id)).map(({ type }) => type)
  assert.ok(kinds.includes('payment.completed'), kinds.join())
  await operate('POST', 'resume', word)
  const { checkouts } = (await shop.rest('GET', '/api/checkouts', key)).json<{ checkouts: { id: string }[] }>()
  const kept = checkouts.map(({ id }) => id)
  assert.deepEqual(kept, [made.id], 'nothing is deleted')
})

test('without a restart the operator allows one account generated wallets, and switches its sends and its wallets’ endings off; receiving goes on', async (t) => {
  const { shop, key, operate, checkout } = await openOperated(t, { CHECKOUT_GENERATED_WALLETS: 'acc_none' })
  const generated = { ...SALE, mode: 'generated_wallet' }
  const allow = (features: object) => operate('PUT', 'standing', { features })
  assert.deepEqual(outcome(await checkout(generated)), [403, 'feature_disabled'])
  await allow({ generated_wallets: true })
  assert.equal((await checkout(generated)).status, 200)
  await allow({ generated_wallets: false })
  assert.equal((await checkout(generated)).status, 403)

  const client = clientWith(shop, key)
  const wallet = await client.create({ refund_address: merchant.address })
  await allow({ wallet_sends: false })
  for (const wish of [{ send: merchant.address, amount: '1' }, { delete: true }]) {
    assert.deepEqual(outcome(await client.call({ account: wallet, ...wish })), [403, 'feature_disabled'])
  }
  assert.equal((await client.call({ account: wallet, receive: true })).status, 200)
})

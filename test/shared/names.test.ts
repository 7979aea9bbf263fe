import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { ledgerFile } from '../support/devnet.ts'
import { until } from '../support/until.ts'
import { change, lease, offer, openMarket } from '../support/username-steps.ts'

/* Two gateways on one PostgreSQL: what one sells, the other knows. */
test('a name leased or changed through one instance is known to the other at once', async (t) => {
  const market = await openMarket(t, 'postgres')
  const savings = new Signer(910)
  const file = ledgerFile(t).replace('ledger.db', 'known.json')
  const builtIn = { names: [{ name: 'library', address: savings.address }], aliases: [], reserved: ['acme'] }
  writeFileSync(file, JSON.stringify(builtIn))
  const [first, second] = [await market.start({ KNOWN_FILE: file }), await market.start({ KNOWN_FILE: file })]
  const alice = await market.person()
  const addressOn = async (shop: typeof first) =>
    (await shop.call('account_balance', { account: '@alice' })).json().address
  assert.equal(await addressOn(second), undefined)
  await lease(market, first, alice, 'alice')
  // Not a moment later: what an instance does not know it looks for.
  assert.equal(await addressOn(second), alice.address)
  assert.equal(await addressOn(first), alice.address)
  const listed = async (shop: typeof first) =>
    (await shop.call('known')).json<{ name: string }[]>().map(({ name }) => name)
  await until(async () => (await listed(second)).includes('alice'))
  assert.deepEqual(await listed(second), ['alice', 'library'])
  assert.equal((await offer(second, 'bob')).status, 'available')
  assert.equal((await first.call('get_name', { name: 'acme' })).json().status, 'reserved')

  // Both have the old address in memory, one also in remembered answers; money follows the store in any case.
  assert.equal(await addressOn(second), alice.address)
  await change(market, first, alice, { name: 'alice', address: savings.address })
  const checkout = (await second.call('checkout', { address: '@alice', amount: '1' })).json()
  assert.equal(checkout.address, savings.address)
  await until(async () => (await addressOn(second)) === savings.address)
  await until(async () => (await addressOn(first)) === savings.address)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMetrics } from '../../../test/support/gateway.ts'
import { until } from '../../../test/support/until.ts'
import { ALICE, type Answer, SHOP, openClient } from '../../../test/support/wallet-client.ts'

/* Cloud wallets beyond what the contract says, which `test/spec` covers. */

const ONE_RAW = (10n ** 30n).toString()

// Money went to whichever of the two was read first.
test('400 two different destinations in one send; nothing leaves', async (t) => {
  const client = await openClient(t, { KNOWN_NAMES: JSON.stringify({ shop: SHOP }) })
  const account = await client.create()
  await client.deposit(account, '2')
  const send = { wallet_action: 'send', account, amount: '1' }
  const pairs: [object, string][] = [
    [{ send: SHOP, to: ALICE }, 'to'],
    [{ send: SHOP, destination: ALICE }, 'destination'],
    [{ to: SHOP, destination: ALICE }, 'destination'],
    [{ send: SHOP, address: ALICE }, 'address'],
    [{ to: SHOP, address: ALICE }, 'address'],
  ]
  for (const [destinations, field] of pairs) {
    const reply = await client.call({ ...send, ...destinations })
    assert.deepEqual([reply.status, reply.json().code, reply.json().field], [400, 'invalid_request', field])
  }
  assert.equal((await client.balanceOf(SHOP)).receivable, '0')
  await client.ask({ ...send, send: SHOP, to: '@shop', destination: SHOP, address: SHOP })
  assert.equal((await client.balanceOf(SHOP)).receivable, ONE_RAW)
})

test('403 the switch stops all sends, and deletions with them; receiving goes on', async (t) => {
  const client = await openClient(t, { WALLET_SENDS: 'off' })
  const account = await client.create({ refund_address: SHOP })
  await client.deposit(account, '1')
  for (const parameters of [{ send: SHOP, amount: '1' }, { delete: true }]) {
    const refused = await client.call({ account, ...parameters })
    assert.deepEqual([refused.status, refused.json().code], [403, 'feature_disabled'])
  }
  assert.equal((await client.ask<Answer[]>({ receive: true, account })).length, 1)
})

test('many sends at once from one wallet all leave, one after another', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  await client.deposit(account, '10')
  const sends = Array.from({ length: 10 }, () => client.ask({ send: SHOP, amount: '1', account }))
  const hashes = (await Promise.all(sends)).map(({ hash }) => hash)
  assert.equal(new Set(hashes).size, 10)
  assert.equal((await client.balanceOf(SHOP)).receivable, (10n ** 31n).toString())
})

test('the treasury is funded once from the development ledger, receives by itself, and shows in the metrics (contract 4.1, rule 20)', async (t) => {
  const client = await openClient(t, { DEVNET_TREASURY_NANO: '1000' })
  const metrics = () => readMetrics(client.gateway)
  await until(async () => /^gateway_treasury_nano 1000$/m.test(await metrics()))
  assert.match(await metrics(), /^gateway_wallets\{status="active",frozen="false"\} 1$/m)
})

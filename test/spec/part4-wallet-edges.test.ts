import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyUrl } from '../support/empty-store.ts'
import { ENGINES } from '../support/engines.ts'
import { sharedKeys } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { type Answer, SHOP, openClient } from '../support/wallet-client.ts'
import { assertNamed, wrongIn } from '../support/wrong-fields.ts'

/* Contract 4.2: what a wallet shows while its blocks are pending, and malformed requests. */

const NANO = 10n ** 30n

test('the money of a wallet vanished between receive and its confirmation: its own blocks count at once (contract 4.2, rule 18)', async (t) => {
  for (const engine of ENGINES) {
    const client = await openClient(t, { ...sharedKeys(), DATABASE_URL: await emptyUrl(t, engine) })
    const { node } = client.gateway.app.devnet!
    const account = await client.create()
    const shown = async () => {
      const { balance, receivable, pending } = await client.ask({ balance: 'true', account })
      const [listed] = await client.ask<Answer[]>({ list: true })
      const info = await client.ask({ account })
      assert.deepEqual(
        [listed!.balance, info.balance, info.receivable, pending],
        [balance, balance, receivable, receivable],
      )
      return [BigInt(balance!) / NANO, BigInt(receivable!) / NANO]
    }
    await client.deposit(account, '5')
    await until(async () => (await shown())[1] === 5n)
    node.hold()
    // An unconfirmed deposit does not count yet.
    await client.deposit(account, '2')
    assert.deepEqual(await shown(), [0n, 5n])
    const [received] = await client.ask<Answer[]>({ receive: true, account })
    assert.deepEqual(await shown(), [5n, 0n], 'received, not confirmed')
    const { confirmed } = (await client.gateway.call('block_info', { hash: received!.receive_hash })).json()
    assert.equal(confirmed, 'false')
    await node.release()
    await until(async () => (await shown())[1] === 2n)
    // Here too, the next block waits until the one before it is confirmed.
    const { db } = client.gateway.app.store
    const open = () => db.selectFrom('wallet_blocks').select('id').where('status', '<>', 'confirmed').execute()
    await until(async () => (await open()).length === 0)
    node.hold()
    await client.ask({ send: SHOP, amount: '1', account })
    assert.deepEqual(await shown(), [4n, 2n], 'sent, not confirmed')
    await node.release()
    await until(async () => (await open()).length === 0)
    assert.deepEqual(await shown(), [4n, 2n])
  }
})

test('list: "True" made a wallet and receive: "all" did nothing: flags are read in any case, and what cannot be read is refused (contract 4.2, rule 19)', async (t) => {
  const client = await openClient(t)
  const account = await client.create({ expire: '2 hours' })
  const count = async () => (await client.ask<Answer[]>({ list: true })).length
  for (const yes of ['True', 'TRUE', ' true ', 1, '1', true]) {
    assert.equal((await client.ask<Answer[]>({ list: yes })).length, 1, JSON.stringify(yes))
  }
  assert.equal((await client.ask<Answer[]>({ wallet_action: 'LIST_WALLETS' })).length, 1)
  await client.deposit(account, '1')
  await until(async () => (await client.ask({ balance: 'True', account })).receivable !== '0')
  assert.equal((await client.ask<Answer[]>({ receive: 'ALL', account })).length, 1)
  for (const no of [false, 'False', 0, '0']) assert.equal((await client.ask({ delete: no, account })).address, account)

  await assertNamed(client.call, [
    wrongIn('list', 'all', 'yes', [true], { all: true }, 2),
    ['list', { receive: true, list: 'no' }],
    ['delete', { delete: 'yes', account }],
    ['receive', { receive: 'everything', account }],
    ['balance', { balance: 'please', account }],
    ['info', { info: -1, account }],
    ['update_metadata', { update_metadata: 'x', account, metadata: {} }],
    wrongIn('wallet_action', 'lst', 7, ['list']),
    ['account', { expire: true }],
    ['expire', { expire: true, list: true, account }, { expire: 7, wallet_action: 'create' }],
    ['expire', { expire: 'soon', account }, { expire: '2 hours', account }, { expire: 1, account }],
  ])
  assert.equal(await count(), 1, 'nothing was made')

  // Setting its expiry to now ends it at once.
  const other = await client.create()
  assert.deepEqual(await client.ask({ expire: 'True', account: other }), { deleted: true })
  const gone = await client.call({ balance: true, account: other })
  assert.deepEqual([gone.status, gone.json().error], [400, 'Wallet not found.'])
})

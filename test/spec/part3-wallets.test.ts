import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, give } from '../support/blocks.ts'
import { TestClock, turningWhenStuck } from '../support/clock.ts'
import { openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { row } from './row.ts'
import { another } from '../support/another.ts'

/* Contract 3: how cloud wallets end, who gets their balance, and what happens to later deposits. */

const MINUTE = 60_000
const raw = (nano: string) => parseNano(nano)!.toString()
let signers = 900
const somebody = () => new Signer(signers++).address

interface Listed {
  address: string
  status: string
  expiration: string
}

test('wallets from creation to their end by time or by wish, with and without refund address and funds, and what comes late (contract 3, rules 7 and 8; 2, Cloud wallet: status; 4.2, rule 8)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, {}, clock)
  const key = gateway.app.createdKey!
  const call = (fields: object) => turningWhenStuck(clock, gateway.call('cloud_wallet', { key, ...fields }))
  const make = async (fields: object = {}) => {
    const reply = await call({ expire: '5 minutes', ...fields })
    assert.equal(reply.status, 200, reply.text)
    return reply.json<{ address: string; expiration_unix: number }>()
  }
  const fund = (address: string, nano: string) =>
    give(gateway.app.devnet!.node, fromAddress(address)!, parseNano(nano)!)
  const waitsFor = async (address: string) =>
    (await gateway.call('account_balance', { account: address })).json().receivable
  const list = async () => {
    const wallets = (await call({ list: true })).json<Listed[]>()
    return new Map(wallets.map(({ address, status }) => [address, status]))
  }
  /** Never advances past unfinished work, or leases would expire before their holders are done. */
  const turnUntil = (isSo: () => Promise<boolean>) =>
    until(async () => {
      if (await isSo()) return true
      clock.advance(100)
      return false
    })
  const untilGone = (account: string) => turnUntil(async () => !(await list()).has(account))
  const untilHeld = (account: string) => turnUntil(async () => (await list()).get(account) === 'held')
  const assertGone = async (account: string) => {
    const calls = [{ balance: true }, { receive: true }, { delete: true }, { send: somebody(), amount: '1' }, {}]
    for (const fields of [...calls, { wallet_action: 'update_metadata', metadata: {} }]) {
      const { status, json } = await call({ account, ...fields })
      assert.deepEqual([status, json().error, json().code], [400, 'Wallet not found.', 'wallet_not_found'])
    }
  }

  const keyless = await gateway.call('cloud_wallet', {})
  const wrong = await gateway.call('cloud_wallet', { key: another(key) })
  const three = [somebody(), somebody(), somebody()]
  const shared = await make({ refund_address: three })
  assert.match(shared.address, /^nano_[13]/)
  assert.equal(shared.expiration_unix, clock.now() / 1000 + 300)
  const [only, kept, bare] = [somebody(), await make(), await make()]
  const emptyWithRefund = await make({ refund_address: only })
  for (const amount of ['0.4', '0.6']) await fund(shared.address, amount)
  await fund(kept.address, '2')
  const statuses = new Set((await list()).values())
  row('3, Cloud wallet: creation with a valid key', () => {
    assert.deepEqual([keyless.status, wrong.status], [401, 401])
    assert.deepEqual([...statuses], ['active'])
  })

  // Ended by their owner, long before their time.
  const taker = somebody()
  const [deleted, full, empty] = [await make({ refund_address: taker }), await make(), await make()]
  await fund(deleted.address, '1.5')
  await fund(full.address, '1')
  await row('3, Cloud wallet: delete with a refund address', async () => {
    assert.deepEqual((await call({ delete: 'true', account: deleted.address })).json(), { deleted: true })
    await untilGone(deleted.address)
    await turnUntil(async () => (await waitsFor(taker)) === raw('1.5'))
    await assertGone(deleted.address)
  })
  await row('3, Cloud wallet: expiry or delete of an empty one', async () => {
    assert.deepEqual((await call({ delete: true, account: empty.address })).json(), { deleted: true })
    await untilGone(empty.address)
  })
  await row('3, Cloud wallet: delete with funds and no refund address', async () => {
    const refused = await call({ delete: true, account: full.address })
    assert.deepEqual([refused.status, refused.json().code], [403, 'wallet_not_empty'])
    assert.equal((await list()).get(full.address), 'active')
    assert.equal((await call({ balance: true, account: full.address })).json().receivable, raw('1'))
  })

  // By expiry: everything is received and distributed, to the raw.
  clock.leap(5 * MINUTE)
  await untilGone(shared.address)
  const share = '3'.repeat(30)
  await row('3, Cloud wallet: expiry with a refund address', async () => {
    for (const [at, address] of three.entries()) {
      await turnUntil(async () => (await waitsFor(address)) === (at < 2 ? share : `${'3'.repeat(29)}4`))
    }
    await assertGone(shared.address)
  })
  await row('3, Cloud wallet: expiry or delete of an empty one', async () => {
    for (const { address } of [bare, emptyWithRefund]) await untilGone(address)
    await assertGone(bare.address)
    assert.equal(await waitsFor(only), '0')
  })

  // Without a refund address the balance is kept for the owner to send.
  await row('3, Cloud wallet: expiry with funds and no refund address', async () => {
    await untilHeld(kept.address)
    await untilHeld(full.address)
  })
  const ended = (await call({ list: true })).json<Listed[]>().find(({ address }) => address === kept.address)!
  row('2, Cloud wallet: expiration', () => assert.match(ended.expiration, /^\d+ (second|minute)s? ago$/))
  const stillFull = await call({ delete: true, account: kept.address })
  assert.deepEqual([stillFull.status, stillFull.json().code], [403, 'wallet_not_empty'])
  const owner = somebody()
  const sent = await call({ send: owner, amount: '0.5', account: kept.address })
  assert.match(sent.json().hash!, /^[0-9A-F]{64}$/)
  assert.equal((await list()).get(kept.address), 'held')
  await call({ send: owner, amount: 'all', account: kept.address })
  await row('3, Cloud wallet: the owner has sent everything away; 1, Product areas: 4. Cloud wallets', async () => {
    await untilGone(kept.address)
    assert.equal(await waitsFor(owner), raw('2'))
    await assertGone(kept.address)
  })

  // Later deposits go the same way, or wait for the owner if there is no refund address.
  await fund(shared.address, '3')
  await fund(deleted.address, '0.5')
  for (const { address } of [bare, empty]) await fund(address, '1')
  await row('3, Cloud wallet: new funds with a refund address', async () => {
    await turnUntil(async () => (await waitsFor(three[2]!)) === `${BigInt(`${'3'.repeat(29)}4`) + BigInt(raw('1'))}`)
    await turnUntil(async () => (await waitsFor(taker)) === raw('2'))
    for (const { address } of [shared, deleted]) await assertGone(address)
  })
  await row('3, Cloud wallet: new funds and no refund address', async () => {
    for (const { address } of [bare, empty]) {
      await untilHeld(address)
      assert.equal((await call({ send: owner, amount: 'all', account: address })).status, 200)
      await untilGone(address)
    }
    assert.equal(await waitsFor(owner), raw('4'))
  })
})

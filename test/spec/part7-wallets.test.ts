import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATOR } from '../../src/kernel/actor.ts'
import { declareRestore, settleRestore } from '../../src/modules/wallets/index.ts'
import { nano } from '../support/blocks.ts'
import { TestClock, turningWhenStuck } from '../support/clock.ts'
import { type Reply, openGateway } from '../support/gateway.ts'
import { clientWith } from '../support/wallet-client.ts'
import { assertRefusal } from './refusal.ts'
import { alice } from './ledger-world.ts'

/* Contract 7: what a wallet refuses. */

const SEND = { send: alice.address, amount: '1' }

test('503 while earlier blocks wait for their confirmation, and 409 for the same key meanwhile: nothing is sent twice (contract 7, Texts and codes: wallet busy with earlier blocks, nothing was sent, idempotency key whose first request is not over; 7, Status codes: 409, 503; 7, Body: retry_after; 7, rule 2)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, { CACHE_BYTES_MAX: '0', WALLET_WAIT_MS: '5000' }, clock)
  const { node } = gateway.app.devnet!
  const { call, create, deposit } = clientWith(gateway, gateway.app.createdKey!)
  /** Every step waits for the node and the disk, so that the clock never outruns them. */
  const turnUntilAnswered = async (asked: Promise<Reply>) => {
    const ended = { is: false }
    void asked.finally(() => (ended.is = true))
    const { db } = gateway.app.store
    while (!ended.is) {
      await gateway.call('block_count')
      await db
        .updateTable('accounts')
        .set(({ ref }) => ({ role: ref('role') }))
        .execute()
      clock.advance(100)
    }
    return asked
  }
  const account = await create()
  await deposit(account, '5')
  assert.equal((await turningWhenStuck(clock, call({ account, ...SEND }))).status, 200)
  await gateway.confirmed()
  node.hold()
  const first = await turningWhenStuck(clock, call({ account, ...SEND }))
  assert.equal(first.status, 200, first.text)

  const headers = { 'idempotency-key': 'order-1' }
  // Of two parallel requests, the second is told that the first is still in progress.
  const both = [call({ account, ...SEND }, headers), call({ account, ...SEND }, headers)]
  const [refused, at] = await Promise.race(both.map(async (asked, at): Promise<[Reply, number]> => [await asked, at]))
  assertRefusal(refused, 409, /./, 'idempotency_in_flight')
  assert.equal((await call({ account, ...SEND, amount: '2' }, headers)).status, 409, 'nor may it mean something else')
  const busy = await turnUntilAnswered(both[1 - at]!)
  assertRefusal(busy, 503, 'The wallet is busy with earlier blocks. Nothing was sent.', 'wallet_busy')
  assert.deepEqual([busy.json<Record<string, unknown>>().retry_after, busy.headers['retry-after']], [2, '2'])
  const unconfirmed = { account: alice.address, include_only_confirmed: 'false' }
  const { receivable } = (await gateway.call('account_balance', unconfirmed)).json()
  assert.equal(receivable, nano(2).toString())
})

test('after a restore the same Idempotency-Key paid twice: one that the store does not know sends nothing until the operator has settled that (contract 7, Texts and codes: after a restore: an idempotency key that the store does not know, for what moves money)', async (t) => {
  const gateway = await openGateway(t)
  const key = gateway.app.createdKey!
  const { create, deposit } = clientWith(gateway, key)
  const account = await create()
  await deposit(account, '5')
  const send = () =>
    gateway.call(
      'cloud_wallet',
      { account, ...SEND },
      { authorization: `Bearer ${key}`, 'idempotency-key': 'order-17' },
    )
  await declareRestore(gateway.ctx, OPERATOR)
  const refused = await send()
  assert.deepEqual([refused.status, refused.json().code], [409, 'restored'], refused.text)
  await settleRestore(gateway.ctx, OPERATOR)
  assert.equal((await send()).status, 200)
})

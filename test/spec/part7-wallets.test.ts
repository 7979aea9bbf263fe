import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { give, nano } from '../support/blocks.ts'
import { TestClock, turningWhenStuck } from '../support/clock.ts'
import { type Reply, openGateway } from '../support/gateway.ts'
import { assertRefusal } from './refusal.ts'
import { alice } from './ledger-world.ts'

/* Contract 7: what a wallet refuses. */

const SEND = { send: alice.address, amount: '1' }

/** A clock that leaps to the end of the first wait of half a minute, as soon as somebody begins one. */
class LeapingClock extends TestClock {
  armed = false

  override after(milliseconds: number, run: () => void): () => void {
    if (this.armed && milliseconds === 30_000) void setImmediate().then(() => this.advance(30_000))
    return super.after(milliseconds, run)
  }
}

test('400, 403 and 503: what a wallet refuses has one text, one code and its reason (contract 7, Texts and codes: wallet ended, deleted, foreign or unknown, wallet without enough, wallet that is frozen, more wallets, or larger sends, than are allowed, account or feature not allowed, vanity search out of time; 7, Status codes: 403, 503)', async (t) => {
  const clock = new LeapingClock()
  const gateway = await openGateway(t, { WALLETS_PER_ACCOUNT_MAX: '4', WALLET_SEND_MAX_NANO: '5' }, clock)
  const { app } = gateway
  const key = app.createdKey!
  const call = (fields: object, as = key) => gateway.call('cloud_wallet', { key: as, ...fields })
  const create = async (fields: object = {}) => (await call(fields)).json().address!
  const deposit = (address: string, amount: number) => give(app.devnet!.node, fromAddress(address)!, nano(amount))
  const account = await create()
  await deposit(account, 20)

  const ended = await create()
  assert.deepEqual((await call({ account: ended, delete: true })).json<unknown>(), { deleted: true })
  const { key: stranger } = await gateway.join()
  for (const fields of [{ balance: true }, { receive: true }, SEND, { delete: true }]) {
    for (const reply of [
      await call({ account: ended, ...fields }),
      await call({ account: alice.address, ...fields }),
      await call({ account, ...fields }, stranger),
    ]) {
      assertRefusal(reply, 400, 'Wallet not found.', 'wallet_not_found')
    }
  }

  const poor = await create()
  const short = await call({ account: poor, ...SEND })
  assertRefusal(short, 403, /./, 'insufficient_funds')
  assert.match(short.json().error!, /balance|funds|enough/i)
  assertRefusal(await call({ account, send: alice.address, amount: '5.1' }), 403, /5/, 'limit_reached')
  const full = await call({ account, delete: true })
  assertRefusal(full, 403, /./, 'wallet_not_empty')
  assert.match(full.json().error!, /refund/i)

  const late = call({ vanity: '1zzzz' })
  clock.armed = true
  const unfound = await late
  clock.armed = false
  assertRefusal(
    unfound,
    503,
    'No matching address was found within 30 seconds. Try a shorter prefix.',
    'vanity_not_found',
  )
  assert.deepEqual([unfound.json<Record<string, unknown>>().retry_after, unfound.headers['retry-after']], [1, '1'])

  await create()
  await create()
  assertRefusal(await call({}), 403, /4/, 'limit_reached')

  const { db } = app.store
  await db.updateTable('wallets').set({ frozen_at: 1, frozen_reason: 'Why.' }).where('address', '=', account).execute()
  const frozen = await call({ account, ...SEND })
  assertRefusal(frozen, 403, /frozen/, 'wallet_frozen')
  assert.doesNotMatch(frozen.text, /Why\./)
  const off = await openGateway(t, { WALLET_SENDS: 'off' })
  const held = (await off.call('cloud_wallet', { key: off.app.createdKey })).json().address
  const disabled = await off.call('cloud_wallet', { key: off.app.createdKey, account: held, ...SEND })
  assertRefusal(disabled, 403, /./, 'feature_disabled')
})

test('503 while earlier blocks wait for their confirmation, and 409 for the same key meanwhile: nothing is sent twice (contract 7, Texts and codes: wallet busy with earlier blocks, nothing was sent, idempotency key whose first request is not over; 7, Status codes: 409, 503; 7, Body: retry_after; 7, rule 2)', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, { CACHE_BYTES_MAX: '0', WALLET_WAIT_MS: '5000' }, clock)
  const { node } = gateway.app.devnet!
  const key = gateway.app.createdKey!
  const call = (fields: object, headers = {}) => gateway.call('cloud_wallet', { key, ...fields }, headers)
  /** Every step waits for the node and for the disk: the clock never runs away from those who wait for either. */
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
  const account = (await call({})).json().address!
  await node.fund(fromAddress(account)!, nano(5))
  await gateway.confirmed()
  assert.equal((await turningWhenStuck(clock, call({ account, ...SEND }))).status, 200)
  await gateway.confirmed()
  node.hold()
  const first = await turningWhenStuck(clock, call({ account, ...SEND }))
  assert.equal(first.status, 200, first.text)

  const headers = { 'idempotency-key': 'order-1' }
  // Two at once: whichever comes second is told that the first is not over.
  const both = [call({ account, ...SEND }, headers), call({ account, ...SEND }, headers)]
  const [refused, at] = await Promise.race(both.map(async (asked, at): Promise<[Reply, number]> => [await asked, at]))
  assertRefusal(refused, 409, /./, 'idempotency_in_flight')
  assert.equal((await call({ account, ...SEND, amount: '2' }, headers)).status, 409, 'nor may it mean something else')
  const busy = await turnUntilAnswered(both[1 - at]!)
  assertRefusal(busy, 503, 'The wallet is busy with earlier blocks. Nothing was sent.', 'wallet_busy')
  assert.deepEqual([busy.json<Record<string, unknown>>().retry_after, busy.headers['retry-after']], [2, '2'])
  const { receivable } = (
    await gateway.call('account_balance', { account: alice.address, include_only_confirmed: 'false' })
  ).json()
  assert.equal(receivable, nano(2).toString())
})

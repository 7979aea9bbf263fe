import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RAW_PER_NANO, toRaw } from '../../src/kernel/money.ts'
import { deleteWallet } from '../../src/modules/wallets/index.ts'
import { sendFromWallet } from '../../src/modules/wallets/domain/send.ts'
import { getOwnedWallet } from '../../src/modules/wallets/domain/wallets.ts'
import { nano } from '../support/blocks.ts'
import { ENGINES } from '../support/engines.ts'
import { type Scenario, always, failEverywhere, stranger } from './fail-everywhere.ts'

/** A send whose money must first be received; its client repeats it with the same key until it gets the hash. */
const send: Scenario = async (world, instance) => {
  const destination = stranger()
  const from = await world.create(instance)
  await world.deposit(from, nano(2))
  const request = { accountId: world.accountId, from, destination, amount: nano(1), idempotencyKey: from }
  let hash: string | undefined
  return {
    act: async ({ ctx }) => {
      const answered = await sendFromWallet(ctx, { ...request, actor: OPERATOR })
      assert.equal(hash ?? answered, answered, 'a repeated send is the same block')
      hash = answered
    },
    check: async () => {
      assert.equal(world.fundsOf(destination), nano(1))
      assert.equal(world.fundsOf(from), nano(1))
      const rows = await world.db
        .selectFrom('wallet_blocks')
        .selectAll()
        .where('destination', '=', destination)
        .execute()
      assert.deepEqual(
        rows.filter(({ status }) => status !== 'refused').map((row) => row.hash),
        [hash],
      )
    },
  }
}

/** A wallet that sends its balance in three equal shares. */
const sweep: Scenario = async (world, instance) => {
  const refundAddress = [stranger(), stranger(), stranger()]
  const from = await world.create(instance, { refundAddress })
  await world.deposit(from, RAW_PER_NANO)
  return {
    act: async ({ ctx }) => {
      const wallet = await getOwnedWallet(ctx.store.db, world.accountId, from).catch(() => undefined)
      if (wallet) await deleteWallet(ctx, wallet, { actor: OPERATOR })
    },
    check: async () => {
      assert.deepEqual(
        refundAddress.map((address) => world.fundsOf(address)),
        [toRaw(RAW_PER_NANO / 3n), toRaw(RAW_PER_NANO / 3n), toRaw(RAW_PER_NANO / 3n + 1n)],
      )
      const wallet = await world.db
        .selectFrom('wallets')
        .selectAll()
        .where('address', '=', from)
        .executeTakeFirstOrThrow()
      assert.equal(wallet.status, 'deleted')
      assert.equal(wallet.balance_raw, '0')
      const plans = await world.db.selectFrom('wallet_plans').selectAll().where('wallet_id', '=', wallet.id).execute()
      assert.deepEqual(
        plans.map(({ status }) => status),
        ['done'],
      )
    },
  }
}

const BOTH = { send, 'three shares': sweep }

// In memory for speed: every call, with every way to fail.
describe('one thread', () => {
  for (const [name, scenario] of Object.entries(BOTH)) {
    for (const moment of ['before', 'after'] as const) {
      test(`${name}: the same end wherever the process dies ${moment} a call`, (t) =>
        failEverywhere(t, scenario, always('memory', { moment, deadly: true })))
    }
    test(`${name}: the same result whichever reply gets lost`, (t) =>
      failEverywhere(t, scenario, always('memory', { moment: 'after', deadly: false })))
  }
})

describe('real stores', { concurrency: 2 }, () => {
  for (const engine of ENGINES) {
    test(`${engine}: the same end wherever the process dies after a call of a send`, (t) =>
      failEverywhere(t, send, always(engine, { moment: 'after', deadly: true })))
  }
  test('postgres: the same end wherever the process dies after a call of three shares', (t) =>
    failEverywhere(t, sweep, always('postgres', { moment: 'after', deadly: true })))
})

import assert from 'node:assert/strict'
import { type TestContext, describe, test } from 'node:test'
import { systemRandom } from '../../src/infra/random.ts'
import type { Engine } from '../../src/kernel/dialect.ts'
import { RAW_PER_NANO, toRaw } from '../../src/kernel/money.ts'
import { deleteWallet, sendFromWallet } from '../../src/modules/wallets/index.ts'
import { getOwnedWallet } from '../../src/modules/wallets/domain/owned-wallet.ts'
import { Signer, nano } from '../support/blocks.ts'
import { Crash, type Moment } from '../support/faults.ts'
import { type Instance, type WalletWorld, openWalletWorld } from '../wallets/world.ts'

/** Longer than any lease. */
const LEASE = 11_000
const CALLS_MAX = 1_000

interface Scenario {
  /** Prepares something new and answers what is to be done, and what must be true in the end. */
  prepare(
    world: WalletWorld,
    instance: Instance,
  ): Promise<{ act(instance: Instance): Promise<unknown>; check(): Promise<void> }>
}

let signers = 1_000
const stranger = () => new Signer(signers++).address

/** A send whose money waits to be received first; its client repeats it with the same key until it is told the hash. */
const send: Scenario = {
  async prepare(world, instance) {
    const destination = stranger()
    const from = await world.create(instance)
    await world.deposit(from, nano(2))
    const request = { accountId: world.accountId, from, destination, amount: nano(1), idempotencyKey: from }
    let hash: string | undefined
    return {
      act: async ({ ctx }) => {
        const answered = await sendFromWallet(ctx, request)
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
  },
}

/** A wallet that gives itself away in three equal shares. */
const sweep: Scenario = {
  async prepare(world, instance) {
    const refundAddress = [stranger(), stranger(), stranger()]
    const from = await world.create(instance, { refundAddress })
    await world.deposit(from, RAW_PER_NANO)
    return {
      act: async ({ ctx }) => {
        const wallet = await getOwnedWallet(ctx.store.db, world.accountId, from).catch(() => undefined)
        if (wallet) await deleteWallet(ctx, wallet)
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
  },
}

/** Lets the process die at the n-th call of a scenario, for every n, and a new one go on. */
async function dieEverywhere(
  t: TestContext,
  engine: Engine | 'memory',
  scenario: Scenario,
  moment: Moment,
): Promise<void> {
  const world = await openWalletWorld(t, { engine, random: systemRandom })
  let instance = await world.start()
  for (let call = 1; call < CALLS_MAX; call++) {
    const { act, check } = await scenario.prepare(world, instance)
    instance.faults.crashAt(call, moment)
    const died = await world.finish(act(instance)).then(
      () => instance.faults.dead,
      (error: unknown) => {
        if (error instanceof Crash || instance.faults.dead) return true
        throw error
      },
    )
    if (died) {
      world.clock.advance(LEASE)
      instance = await world.start()
    }
    instance.faults.disarm()
    await world.finish(act(instance))
    await world.finish(instance.settle())
    try {
      await check()
    } catch (cause) {
      throw new Error(`It died ${moment} call ${call}: ${(cause as Error).message}`, { cause })
    }
    if (!died) {
      t.diagnostic(`${call - 1} places to die`)
      assert.ok(call > 10)
      assert.deepEqual(world.alarms, [])
      return
    }
  }
  assert.fail('It never ended.')
}

/** A call that took effect unheard is the harder case, so that it is tried on both real stores. */
const CASES = [
  ['memory', 'before'],
  ['sqlite', 'after'],
  ['postgres', 'after'],
] as const

for (const [engine, moment] of CASES) {
  describe(engine, { concurrency: 2 }, () => {
    test(`a send ends the same wherever the process dies ${moment} a call`, (t) =>
      dieEverywhere(t, engine, send, moment))
    test(`three shares end the same wherever the process dies ${moment} a call`, (t) =>
      dieEverywhere(t, engine, sweep, moment))
  })
}

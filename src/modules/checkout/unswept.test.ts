import { OPERATOR } from '../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { unfreezeWallet } from '../wallets/index.ts'
import { fundsOf } from '../../../test/support/blocks.ts'
import { type StoreEngine } from '../../kernel/dialect.ts'
import {
  type World,
  bearer,
  merchant,
  openWorld,
  turnUntil,
  untilStatus,
} from '../../../test/support/checkout-steps.ts'
import { ENGINES } from '../../../test/support/engines.ts'

/* Payments to a generated wallet reach the merchant, however long sends were impossible. */

const HOUR = 3_600_000
const WITH_WALLETS = { CHECKOUT_GENERATED_WALLETS: 'all', WORK_THREADS: '1', WORK_NODES: 'false' }
const OFF = { ...WITH_WALLETS, WALLET_SENDS: 'off' }

/** A checkout with its own wallet that was paid while sends were off. */
async function openPaid(t: TestContext, engine: StoreEngine, env: Record<string, string> = OFF) {
  const world = await openWorld(t, engine)
  const shop = await world.start(env)
  const fields = { address: merchant.address, amount: '1', mode: 'generated_wallet' }
  const made = await shop.open(fields, bearer(world.key()))
  const { db } = shop.app.store
  const wallets = () => db.selectFrom('wallets').selectAll().where('address', '=', made.address)
  const pay = async () => {
    await world.pay(made.address, made.amount_raw)
    await untilStatus(shop, made.id, 'complete')
    await turnUntil(world, 1_000, async () => {
      const { balance_raw: balance, frozen_at: frozenAt } = await wallets().executeTakeFirstOrThrow()
      return balance === made.amount_raw || frozenAt !== null
    })
  }
  return { world, shop, made, wallets, pay, arrived: () => fundsOf(world.ledger.node, merchant.address) }
}

/** Advances the clock by days, in steps in which all due jobs run. */
async function passDays({ clock }: World, shop: Awaited<ReturnType<World['start']>>, days: number): Promise<void> {
  const { db } = shop.app.store
  for (let hour = 0; hour < 24 * days; hour++) {
    clock.leap(HOUR)
    const due = db.selectFrom('jobs').select('id').where('kind', '=', 'checkout.sweep')
    const waiting = due.where(({ or, eb }) => or([eb('run_at', '<=', clock.now()), eb('status', '=', 'running')]))
    // A runner that looked for jobs while the clock jumped looks again a moment later, by this clock.
    await turnUntil({ clock }, 100, async () => {
      return (await waiting.where('status', 'in', ['ready', 'running']).execute()).length === 0
    })
  }
}

for (const engine of ENGINES) {
  test(`${engine}: a merchant whose customer paid while sends were off gets the money when they are on again, days later`, async (t) => {
    const { world, shop, made, pay, arrived } = await openPaid(t, engine)
    await pay()
    await passDays(world, shop, 5)
    assert.equal(arrived(), 0n)
    await shop.close()
    await world.start(WITH_WALLETS)
    await turnUntil(world, 1_000, () => Promise.resolve(arrived() === BigInt(made.amount_raw)))
  })

  test(`${engine}: a merchant whose generated wallet was frozen gets the money once it is unfrozen, days later`, async (t) => {
    const { world, shop, made, wallets, pay, arrived } = await openPaid(t, engine, WITH_WALLETS)
    const { db } = shop.app.store
    const frozen = { frozen_at: world.clock.now(), frozen_reason: 'A person said so.' }
    await db.updateTable('wallets').set(frozen).where('address', '=', made.address).execute()
    await pay()
    await passDays(world, shop, 5)
    assert.equal(arrived(), 0n)
    const { id } = await wallets().executeTakeFirstOrThrow()
    await unfreezeWallet(shop.ctx, { wallet: id, actor: OPERATOR, payQueued: false })
    await turnUntil(world, 1_000, () => Promise.resolve(arrived() === BigInt(made.amount_raw)))
  })

  // Stores of earlier releases have such wallets: all attempts were used up while sends were off.
  test(`${engine}: money in the wallet of a finished checkout that no job sweeps is found`, async (t) => {
    const { world, shop, made, pay, arrived } = await openPaid(t, engine)
    await pay()
    const { db } = shop.app.store
    await db.updateTable('jobs').set({ status: 'dead' }).where('kind', '=', 'checkout.sweep').execute()
    const left = { status: 'active', ends_as: null } as const
    await db.updateTable('wallets').set(left).where('address', '=', made.address).execute()
    await shop.close()
    await world.start(WITH_WALLETS)
    world.clock.leap(HOUR)
    await turnUntil(world, 1_000, () => Promise.resolve(arrived() === BigInt(made.amount_raw)))
  })
}

// A partial payment belongs to a sale that is still open: the customer may pay the rest into the same wallet.
test('the wallet of a checkout that is paid in part keeps what it holds', async (t) => {
  const { world, shop, made, wallets, arrived } = await openPaid(t, 'sqlite', WITH_WALLETS)
  const part = BigInt(made.amount_raw) / 2n
  await world.pay(made.address, part.toString())
  await untilStatus(shop, made.id, 'partial')
  await turnUntil(world, 1_000, async () => (await wallets().executeTakeFirstOrThrow()).balance_raw === part.toString())
  const { db } = shop.app.store
  const round = () =>
    db.selectFrom('jobs').select('run_at').where('kind', '=', 'checkout.find-unswept').executeTakeFirstOrThrow()
  const { run_at: before } = await round()
  world.clock.leap(HOUR)
  await turnUntil(world, 100, async () => (await round()).run_at > before)
  const sweeps = await db.selectFrom('jobs').select('id').where('kind', '=', 'checkout.sweep').execute()
  assert.deepEqual([sweeps, arrived(), (await wallets().executeTakeFirstOrThrow()).status], [[], 0n, 'active'])
})

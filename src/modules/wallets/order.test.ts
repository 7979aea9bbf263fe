import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRaw } from '../../kernel/money.ts'
import { findPayment, queuePayment, treasury } from './index.ts'
import { readDeposits } from './domain/chain.ts'
import { queueReceives } from './domain/queue-receives.ts'
import { findWalletByAddress } from './store.ts'
import { assertAtRest } from '../../../test/sim/invariants.ts'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { testRandom } from '../../../test/support/random.ts'
import { ALICE, SHOP, codeOf, openUsedWallet, openWallet, send, statusOf } from '../../../test/support/wallet-steps.ts'
import { type Instance, type WalletWorld, openWalletWorld } from '../../../test/support/wallet-world.ts'

const DUST = 20
const ONE = toRaw(1n)

/** Tiny deposits for a wallet that is queued to be received. */
async function queueDust(world: WalletWorld, { ctx }: Instance, wallet: string): Promise<void> {
  for (let count = 0; count < DUST; count++) await world.deposit(wallet, ONE)
  const deposits = await readDeposits(ctx.node, wallet, { count: DUST, threshold: 1n })
  const { id } = (await findWalletByAddress(world.db, wallet))!
  assert.equal(await queueReceives(ctx.store, id, deposits), DUST)
}

const countQueued = async ({ db }: WalletWorld) =>
  (await db.selectFrom('wallet_blocks').select('id').where('status', '=', 'queued').execute()).length

forEachEngine((engine) => {
  // One large refund must not stop the faucet and every smaller refund after it.
  test('a payment that the treasury cannot make lets the ones after it go, in the order they were asked for', async (t) => {
    const world = await openWalletWorld(t, { engine, random: testRandom })
    const instance = await world.start()
    const { id: walletId, address } = await treasury(instance.ctx)
    await world.deposit(address, nano(10))
    const references = Array.from({ length: 8 }, (_, at) => `small:${at}`)
    const queue = (reference: string, destination: string, amount: bigint) =>
      world.db.transaction().execute((db) => {
        const payment = { walletId, destination, amount: toRaw(amount), reference, purpose: 'faucet' as const }
        return queuePayment({ db, store: instance.ctx.store }, payment)
      })
    await queue('large', ALICE, nano(100))
    for (const reference of references) await queue(reference, SHOP, nano(1))
    await world.finish(instance.settle())
    assert.equal(world.fundsOf(SHOP), nano(8))
    const paid = await Promise.all(references.map(async (reference) => (await findPayment(world.db, reference))!))
    const balances = paid.map(({ balance }) => balance!)
    assert.deepEqual(balances, [9, 8, 7, 6, 5, 4, 3, 2].map(nano))
    assert.equal((await findPayment(world.db, 'large'))!.status, 'queued')
    await world.deposit(address, nano(98))
    await world.finish(instance.settle())
    assert.equal(world.fundsOf(ALICE), nano(100))
  })
})

test('a send that the balance covers leaves before any amount of dust is received', async (t) => {
  const { world, instance, wallet } = await openUsedWallet(t)
  await queueDust(world, instance, wallet)
  world.ledger.hold()
  await world.finish(send(world, instance, wallet))
  assert.equal(await countQueued(world), DUST)
})

test('a send beyond all that a wallet can get is refused before any dust is received', async (t) => {
  const { world, instance, wallet } = await openUsedWallet(t)
  await queueDust(world, instance, wallet)
  world.ledger.hold()
  assert.equal(await world.finish(codeOf(send(world, instance, wallet, nano(5)))), 'insufficient_funds')
  assert.equal(await countQueued(world), DUST)
})

test('a send that needs a deposit receives the large one first, whatever dust was queued before it', async (t) => {
  const { world, instance, wallet } = await openWallet(t)
  await queueDust(world, instance, wallet)
  await world.deposit(wallet, nano(9))
  const hash = await world.finish(send(world, instance, wallet, nano(5)))
  const sent = await world.db.selectFrom('wallet_blocks').selectAll().where('hash', '=', hash).executeTakeFirstOrThrow()
  assert.equal(BigInt(sent.balance_raw!), nano(4), 'no dust came before it')
})

// Two nodes may answer: one that knows the last send, and one that does not.
test('a held wallet does not end while the ledger still shows a balance', async (t) => {
  const { world, instance, wallet } = await openUsedWallet(t, {}, { lifetimeMilliseconds: 1_000 })
  world.clock.advance(1_000)
  world.trouble = () => 'no balance shown'
  await world.finish(instance.settle())
  assert.equal(await statusOf(world, wallet), 'held')
})

test('a wallet that ends distributes its balance first, and dust after that', async (t) => {
  const env = { WALLET_RECEIVE_MIN_NANO: '0.000001' }
  const { world, instance, wallet } = await openWallet(t, { env }, { refundAddress: SHOP, lifetimeMilliseconds: 1_000 })
  for (let count = 0; count < DUST; count++) await world.deposit(wallet, ONE)
  await world.deposit(wallet, nano(5))
  world.clock.advance(1_000)
  await world.finish(instance.settle())
  const plans = await world.db.selectFrom('wallet_plans').selectAll().orderBy('run').execute()
  const totals = plans.map(({ total_raw: total }) => BigInt(total))
  assert.deepEqual(totals, [nano(5), BigInt(DUST)])
  await assertAtRest(world, { deposited: nano(5) + BigInt(DUST), recipients: [SHOP], acknowledged: [] })
})

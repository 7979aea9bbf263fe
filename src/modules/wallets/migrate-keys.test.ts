import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATOR } from '../../kernel/actor.ts'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { testRandom } from '../../../test/support/random.ts'
import { SHOP, codeOf, comeToRest, openUsedWallet, send, statusOf } from '../../../test/support/wallet-steps.ts'
import { toRaw } from '../../kernel/money.ts'
import { listOldKeys, migrateKey, queuePayment, replaceSeed, treasury } from './index.ts'
import { findWalletByAddress, listOwnedWallets } from './store.ts'

forEachEngine((engine) => {
  test('a wallet whose key is only in backups moves to one of the seed with all its money, and what still arrives follows', async (t) => {
    const { world, instance, wallet: from } = await openUsedWallet(t, { engine })
    const { id } = (await findWalletByAddress(world.db, from))!
    // A wallet as version 0.2 made it.
    await world.db
      .updateTable('wallet_keys')
      .set({ seed_id: null, seed_index: null })
      .where('wallet_id', '=', id)
      .execute()
    await world.deposit(from, nano(2))
    const old = await listOldKeys(world.db, 10)
    assert.deepEqual(
      old.map(({ address, balance }) => [address, balance]),
      [[from, nano(4)]],
    )
    const ctx = { ...instance.ctx.store, vault: instance.ctx.vault }
    const both = await Promise.allSettled([migrateKey(ctx, old[0]!, OPERATOR), migrateKey(ctx, old[0]!, OPERATOR)])
    const moved = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    assert.equal(moved.length, 1, 'two commands at once move it once')
    const { to } = moved[0]!
    await comeToRest(world, instance, from)
    assert.deepEqual([world.fundsOf(from), world.fundsOf(to)], [0n, nano(6)])
    await world.deposit(from, nano(1))
    await world.finish(instance.look())
    await comeToRest(world, instance, from)
    assert.deepEqual([world.fundsOf(from), world.fundsOf(to)], [0n, nano(7)])
    const owned = await listOwnedWallets(world.db, world.accountId, 10)
    assert.deepEqual(
      owned.map(({ address }) => address),
      [to],
    )
    assert.deepEqual(await listOldKeys(world.db, 10), [])
    await world.finish(send(world, instance, to))
    assert.equal(world.fundsOf(to), nano(6))
  })

  test('a treasury whose words have leaked moves although the process dies in the middle, and payments to its old address follow', async (t) => {
    const { world, instance } = await openUsedWallet(t, { engine, random: testRandom })
    const ctx = { ...instance.ctx.store, vault: instance.ctx.vault }
    const from = await treasury(instance.ctx)
    await world.deposit(from.address, nano(5))
    const owe = (walletId: string, reference: string) =>
      queuePayment(
        { db: world.db, store: world.ctx },
        {
          ...{ walletId, reference, destination: SHOP, amount: toRaw(nano(1)), purpose: 'sale_refund' },
        },
      )
    await replaceSeed(ctx, OPERATOR)
    const old = (await listOldKeys(world.db, 10)).find(({ id }) => id === from.id)!
    await owe(from.id, 'before')
    await assert.rejects(migrateKey(ctx, old, OPERATOR), /payments queued/)
    await comeToRest(world, instance, from.address)
    const moves = [migrateKey(ctx, old, OPERATOR), migrateKey(ctx, old, OPERATOR)]
    assert.equal((await Promise.allSettled(moves)).filter(({ status }) => status === 'fulfilled').length, 1)
    const to = (await treasury(instance.ctx)).address
    assert.notEqual(to, from.address)
    // A gateway that has read the treasury before.
    assert.equal(await codeOf(owe(from.id, 'late')), 'wallet_busy')

    // Each process comes one call further than the one before, and dies.
    let next = await world.start()
    for (let call = 1; call < 100; call++) {
      next.faults.crashAt(call, 'after')
      await Promise.allSettled([world.finish(next.wallets.context.queue.advance(from.id))])
      if (!next.faults.fired) break
      next = await world.start()
      world.clock.advance(60_000)
    }
    next.faults.disarm()
    assert.deepEqual([await statusOf(world, from.address), world.fundsOf(from.address)], ['deleted', 0n])
    await world.deposit(from.address, nano(2))
    await world.finish(next.look())
    await comeToRest(world, next, from.address)
    await comeToRest(world, next, to)
    assert.deepEqual([world.fundsOf(from.address), world.fundsOf(to)], [0n, nano(6)])
    await owe((await treasury(next.ctx)).id, 'after')
    await comeToRest(world, next, to)
    assert.equal(world.fundsOf(to), nano(5))
  })
})

// Leaked words open every wallet of their seed.
test('with a new seed every wallet of the older one is on the list, and a frozen one cannot move', async (t) => {
  const { world, instance, wallet } = await openUsedWallet(t, { random: testRandom })
  const ctx = { ...instance.ctx.store, vault: instance.ctx.vault }
  assert.deepEqual(await listOldKeys(world.db, 10), [])
  await replaceSeed(ctx, OPERATOR)
  const old = await listOldKeys(world.db, 10)
  assert.deepEqual(old.map(({ purpose }) => purpose).toSorted(), ['cloud', 'treasury'])
  await assert.rejects(migrateKey(ctx, { ...old[0]!, purpose: 'checkout' }, OPERATOR), /stays: its order is open/)
  await world.db
    .updateTable('wallets')
    .set({ frozen_at: 1, frozen_reason: 'Why.' })
    .where('address', '=', wallet)
    .execute()
  await assert.rejects(
    migrateKey(
      ctx,
      old.find(({ address }) => address === wallet)!,
      OPERATOR,
    ),
    /frozen/,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATOR } from '../../kernel/actor.ts'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { testRandom } from '../../../test/support/random.ts'
import { comeToRest, openUsedWallet, send } from '../../../test/support/wallet-steps.ts'
import { listOldKeys, migrateKey, replaceSeed } from './index.ts'
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
})

// Leaked words open every wallet of their seed, including the treasury, which keeps its address.
test('with a new seed every wallet of the older one is on the list, and a frozen one cannot move', async (t) => {
  const { world, instance, wallet } = await openUsedWallet(t, { random: testRandom })
  const ctx = { ...instance.ctx.store, vault: instance.ctx.vault }
  assert.deepEqual(await listOldKeys(world.db, 10), [])
  await replaceSeed(ctx, OPERATOR)
  const old = await listOldKeys(world.db, 10)
  assert.deepEqual(old.map(({ purpose }) => purpose).toSorted(), ['cloud', 'treasury'])
  await assert.rejects(
    migrateKey(
      ctx,
      old.find(({ purpose }) => purpose === 'treasury')!,
      OPERATOR,
    ),
    /Only cloud/,
  )
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

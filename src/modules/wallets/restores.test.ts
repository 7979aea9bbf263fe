import assert from 'node:assert/strict'
import { test } from 'node:test'
import { once } from '../../guard/once.ts'
import { openSecretBox } from '../../infra/secrets/secret-key.ts'
import { OPERATOR } from '../../kernel/actor.ts'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { testRandom } from '../../../test/support/random.ts'
import { SHOP, codeOf, comeToRest, openUsedWallet, send } from '../../../test/support/wallet-steps.ts'
import { declareRestore, findRestore, listUnknownSends, settleRestore, unfreezeWallet } from './index.ts'
import { takeIndex } from './seeds-store.ts'
import { findWalletByAddress } from './store.ts'
import { askOf } from '../../../test/support/wallet-world.ts'

/* After a restore the same Idempotency-Key paid twice: the store had forgotten the first payment. */

const secrets = openSecretBox(new Uint8Array(32).fill(7), testRandom)

forEachEngine((engine, open) => {
  test('after a restore a key that the store does not know sends nothing until the operator has settled it', async (t) => {
    const { ctx } = await open(t)
    let runs = 0
    const ask = (key: string, movesMoney = true) => {
      const request = {
        accountId: 'acc_1',
        action: 'send',
        key,
        fingerprint: 'f',
        movesMoney,
        onReplay: () => undefined,
      }
      return once({ ...ctx, secrets }, request, async () => `run ${++runs}`)
    }
    assert.equal(await ask('before'), 'run 1')
    const dead = {
      fingerprint: 'f',
      status: 'started',
      answer: null,
      claim: 'run_dead',
      lease_until: 0,
      made: null,
    } as const
    const key = { account_id: 'acc_1', action: 'send', key: 'begun' }
    const times = { created_at: ctx.clock.now(), expires_at: ctx.clock.now() + 1_000_000 }
    await ctx.db
      .insertInto('idempotency')
      .values({ ...key, ...dead, ...times })
      .execute()
    await declareRestore(ctx, OPERATOR)
    await declareRestore(ctx, OPERATOR)
    for (const name of ['unknown', 'unknown', 'begun', 'begun']) assert.equal(await codeOf(ask(name)), 'restored', name)
    assert.equal(await ask('before'), 'run 1', 'what the store knows is answered')
    assert.equal(await ask('harmless', false), 'run 2')
    await settleRestore(ctx, OPERATOR)
    await assert.rejects(settleRestore(ctx, OPERATOR), /no restore/)
    assert.equal(await ask('unknown'), 'run 3')
    assert.equal(await ask('begun'), 'run 4')
  })

  test('a store that is older than the ledger is detected, and later sends of its wallet are shown until that is settled', async (t) => {
    const { world, instance, wallet } = await openUsedWallet(t, { engine })
    const { db } = world
    const older = (await findWalletByAddress(db, wallet))!
    await world.finish(send(world, instance, wallet, nano(2), 'forgotten'))
    await comeToRest(world, instance, wallet)
    // The store is restored to its state before the second send.
    const { hash } = await db
      .selectFrom('wallet_blocks')
      .select('hash')
      .where('reference', 'like', '%forgotten')
      .executeTakeFirstOrThrow()
    await db.deleteFrom('wallet_blocks').where('hash', '=', hash).execute()
    await db
      .updateTable('wallets')
      .set({ frontier: older.frontier, balance_raw: older.balance.toString() })
      .where('id', '=', older.id)
      .execute()
    world.clock.advance(60_000)
    await world.finish(instance.look())
    assert.match((await findRestore(db))!.reason, new RegExp(`${older.id}: The ledger has block ${hash}`))
    assert.deepEqual(await listUnknownSends(askOf(world), older), [{ hash, destination: SHOP, amount: '2' }])
    await assert.rejects(settleRestore(world.ctx, OPERATOR), /1 wallets have sent what this store does not know/)
    await unfreezeWallet(world.ctx, { wallet, actor: OPERATOR, payQueued: false })
    assert.ok(await findRestore(db), 'unfreezing settles nothing')
    await settleRestore(world.ctx, OPERATOR)
    assert.equal(await findRestore(db), undefined)
    assert.equal(world.fundsOf(SHOP), nano(3))
  })

  test('an address that was given out after the backup is not given to somebody else', async (t) => {
    const { world } = await openUsedWallet(t, { engine })
    const { index } = await takeIndex(world.db)
    await declareRestore(world.ctx, OPERATOR)
    await declareRestore(world.ctx, OPERATOR)
    assert.equal((await takeIndex(world.db)).index, index + 1_001)
  })
})

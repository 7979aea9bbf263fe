import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { OPERATOR } from '../../kernel/actor.ts'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { until } from '../../../test/support/until.ts'
import { SHOP, codeOf, comeToRest, openUsedWallet, openWallet, send } from '../../../test/support/wallet-steps.ts'
import { type WalletWorld } from '../../../test/support/wallet-world.ts'
import { deleteWallet, freezeSends, listFreezes, queuePayment, treasury, unfreezeSends } from './index.ts'
import { withLock } from './domain/lock.ts'
import { holdLock } from './lock-store.ts'
import { markSigned } from './outbox-moves-store.ts'
import { findBlock, insertSend } from './outbox-store.ts'
import { findWalletByAddress } from './store.ts'

const because = { actor: OPERATOR, reason: 'A key is out.' }
const thaw = { actor: OPERATOR, payQueued: true }

const auditsOf = async ({ db }: WalletWorld, what: string) =>
  (
    await db.selectFrom('audit_entries').select(['actor', 'account_id', 'detail']).where('what', '=', what).execute()
  ).map(({ actor, account_id: accountId, detail }) => ({ actor, accountId, ...(JSON.parse(detail) as object) }))

forEachEngine((engine) => {
  for (const scope of ['account', 'all'] as const) {
    test(`a key was out and every wallet went on sending until all gateways were restarted: sends of ${scope} freeze at once`, async (t) => {
      const { world, instance, wallet } = await openWallet(t, { engine })
      const { accountId, db } = world
      const target = scope === 'all' ? 'all' : accountId
      await world.deposit(wallet, nano(5))
      const { id: walletId } = (await findWalletByAddress(db, wallet))!
      const terms = { accountId, destination: SHOP, amount: nano(1), reference: 'one', createdAt: world.clock.now() }
      await insertSend(db, { id: 'before', walletId, purpose: 'send', ...terms, deadlineAt: null })
      await freezeSends(world.ctx, { target, ...because })
      assert.equal(await codeOf(freezeSends(world.ctx, { target, ...because })), 'conflict')
      assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_frozen')
      const owned = (await findWalletByAddress(db, wallet))!
      assert.equal(await codeOf(deleteWallet(instance.ctx, owned, { actor: OPERATOR })), 'wallet_frozen')
      await world.deposit(wallet, nano(2))
      await comeToRest(world, instance, wallet)
      assert.equal(world.fundsOf(SHOP), 0n)
      assert.equal((await findBlock(db, 'before'))!.status, 'queued')
      assert.deepEqual(
        (await listFreezes(db, 10)).map(({ scope, reason }) => [scope, reason]),
        [[target, because.reason]],
      )

      await unfreezeSends(world.ctx, { target, ...thaw })
      assert.equal(await codeOf(unfreezeSends(world.ctx, { target, ...thaw })), 'conflict')
      await world.finish(instance.settle())
      await comeToRest(world, instance, wallet)
      assert.equal(world.fundsOf(SHOP), nano(1))
      const noted = { actor: OPERATOR.id, accountId: scope === 'all' ? null : accountId, target }
      assert.deepEqual(await auditsOf(world, 'sends.frozen'), [{ ...noted, reason: because.reason }])
      assert.deepEqual(await auditsOf(world, 'sends.unfrozen'), [noted])
    })
  }

  test('a freeze comes while the work for a block is computed: the block is not signed', async (t) => {
    for (const target of ['all', 'account', 'wallet'] as const) {
      // Everything is received already, so the next block is the send.
      const { world, instance, wallet } = await openUsedWallet(t, { engine })
      const { generate } = instance.ctx.work
      const name = { all: 'all', account: world.accountId, wallet }[target]
      let frozen = false
      instance.ctx.work.generate = async (...asked: Parameters<typeof generate>) => {
        const work = await generate.apply(instance.ctx.work, asked)
        if (!frozen) await freezeSends(world.ctx, { target: name, ...because })
        frozen = true
        return work
      }
      assert.notEqual(await codeOf(world.finish(send(world, instance, wallet))), 'done')
      await comeToRest(world, instance, wallet)
      assert.ok(frozen)
      assert.equal(world.fundsOf(SHOP), nano(1), target)
      const signed = await world.db
        .selectFrom('wallet_blocks')
        .select('id')
        .where('kind', '=', 'send')
        .where('hash', 'is not', null)
        .execute()
      assert.equal(signed.length, 1, target)
    }
  })

  if (engine === 'postgres')
    test('everything was frozen, and a block that was being signed at that moment was stored afterwards', async (t) => {
      const { world, instance, wallet } = await openUsedWallet(t, { engine })
      const { db, clock } = world
      const { id: walletId } = (await findWalletByAddress(db, wallet))!
      const terms = { accountId: world.accountId, destination: SHOP, amount: nano(1), createdAt: clock.now() }
      const queue = (id: string) =>
        insertSend(db, { id, walletId, purpose: 'send', ...terms, reference: id, deadlineAt: null })
      const order: string[] = []
      const sign = (id: string, meanwhile = () => Promise.resolve()) =>
        withLock(instance.ctx, walletId, (lock) =>
          db.transaction().execute(async (tx) => {
            assert.ok(await holdLock(tx, lock, clock.now() + 10_000))
            const block = { hash: id, previous: id, balance: nano(1), amount: nano(1), block: '{}' }
            const signed = await markSigned(tx, id, block, clock.now())
            await meanwhile()
            order.push(`${id} ${signed ? 'signed' : 'not signed'}`)
          }),
        )
      const waits = sql<object>`select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
      await queue('early')
      let freezing: Promise<unknown> | undefined
      await sign('early', async () => {
        freezing = freezeSends(world.ctx, { target: 'all', ...because }).then(() => order.push('frozen'))
        await until(async () => order.length > 0 || (await waits.execute(db)).rows.length > 0)
      })
      await freezing
      await queue('late')
      await sign('late')
      assert.deepEqual(order, ['early signed', 'frozen', 'late not signed'])
    })

  test('one wallet is frozen by a person, refuses, and goes on; payments of the service wait while all sends are frozen', async (t) => {
    const { world, instance, wallet } = await openWallet(t, { engine })
    await world.deposit(wallet, nano(5))
    await freezeSends(world.ctx, { target: wallet, ...because })
    assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_frozen')
    await unfreezeSends(world.ctx, { target: wallet, ...thaw })
    await comeToRest(world, instance, wallet)
    await world.finish(send(world, instance, wallet))
    assert.equal(world.fundsOf(SHOP), nano(1))
    const { id, address } = (await findWalletByAddress(world.db, wallet))!
    const detail = { id, address, reason: because.reason }
    assert.deepEqual(await auditsOf(world, 'wallet.frozen'), [
      { actor: OPERATOR.id, accountId: world.accountId, ...detail },
    ])
    assert.equal(await codeOf(freezeSends(world.ctx, { target: 'wal_nothing', ...because })), 'not_found')

    const service = await treasury(instance.ctx)
    await world.deposit(service.address, nano(3))
    await freezeSends(world.ctx, { target: 'all', ...because })
    const owed = {
      walletId: service.id,
      destination: SHOP,
      amount: nano(1),
      reference: 'owed',
      purpose: 'return' as const,
    }
    await queuePayment({ db: world.db, store: instance.ctx.store }, owed)
    await comeToRest(world, instance, service.address)
    assert.equal(world.fundsOf(SHOP), nano(1))
    await unfreezeSends(world.ctx, { target: 'all', ...thaw })
    await comeToRest(world, instance, service.address)
    assert.equal(world.fundsOf(SHOP), nano(2))
  })
})

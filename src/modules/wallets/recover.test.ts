import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { OPERATOR } from '../../kernel/actor.ts'
import type { StoreEngine } from '../../kernel/dialect.ts'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { testRandom } from '../../../test/support/random.ts'
import { SHOP, comeToRest, send } from '../../../test/support/wallet-steps.ts'
import { type Instance, type WalletWorld, askOf, openWalletWorld } from '../../../test/support/wallet-world.ts'
import { type AskLedger, assignWallet, lookAhead, recoverWallets } from './index.ts'
import { listSeeds } from './seeds-store.ts'
import { findWalletByAddress } from './store.ts'

const AHEAD = 40

/** A store restored from a backup that lacks some of its wallets. */
async function openOlderStore(t: TestContext, engine: StoreEngine) {
  const world = await openWalletWorld(t, { engine, random: testRandom })
  const instance = await world.start()
  const kept = await world.create(instance)
  const [{ nextIndex } = { nextIndex: 0 }] = await listSeeds(world.db)
  const lost: string[] = []
  for (let at = 0; at < 30; at++) lost.push(await world.create(instance))
  for (const address of lost) {
    const { id } = (await findWalletByAddress(world.db, address))!
    await world.db.deleteFrom('wallet_keys').where('wallet_id', '=', id).execute()
    await world.db.deleteFrom('wallets').where('id', '=', id).execute()
  }
  await world.db.updateTable('wallet_seeds').set({ next_index: nextIndex }).execute()
  return { world, instance, kept, lost }
}

const recover = (world: WalletWorld, { ctx }: Instance, ask = askOf(world)) =>
  recoverWallets({ ...ctx.store, vault: ctx.vault }, { ask, ahead: AHEAD, actor: OPERATOR })

forEachEngine((engine) => {
  // Two nano in a wallet made after the backup were lost, while `verify` found no differences.
  test('money on wallets made after the backup is found, assigned to the account that the operator names, and can be sent', async (t) => {
    const { world, instance, kept, lost } = await openOlderStore(t, engine)
    const [used, waiting] = [lost[7]!, lost[29]!]
    await world.deposit(used, nano(2))
    await world.deposit(waiting, nano(3))
    const [seed] = await listSeeds(world.db)
    const { db, vault } = { db: world.db, vault: instance.ctx.vault }
    const { found } = await lookAhead({ db, vault }, seed!, { ask: askOf(world), ahead: AHEAD })
    assert.deepEqual(found.map(({ address }) => address).toSorted(), [used, waiting].toSorted(), 'verify sees them')

    const recovered = await recover(world, instance)
    assert.deepEqual(
      recovered.map(({ address, amount }) => [address, amount]),
      [
        [used, nano(2)],
        [waiting, nano(3)],
      ],
    )
    const wallet = await findWalletByAddress(world.db, used)
    assert.deepEqual([wallet!.status, wallet!.accountId], ['held', null])
    const { accountId } = world
    await assignWallet(world.ctx, { wallet: used, accountId, actor: OPERATOR })
    await assert.rejects(assignWallet(world.ctx, { wallet: used, accountId, actor: OPERATOR }), /without an owner/)
    await assert.rejects(assignWallet(world.ctx, { wallet: kept, accountId, actor: OPERATOR }), /without an owner/)
    await world.finish(instance.settle())
    await world.finish(send(world, instance, used))
    await comeToRest(world, instance, used)
    assert.deepEqual([world.fundsOf(SHOP), world.fundsOf(used)], [nano(1), nano(1)])

    assert.deepEqual(await recover(world, instance), [], 'again it finds nothing')
    assert.deepEqual((await lookAhead({ db, vault }, seed!, { ask: askOf(world), ahead: AHEAD })).found, [])
    const audits = await world.db.selectFrom('audit_entries').select('what').where('what', 'like', 'wallet.%').execute()
    assert.equal(audits.filter(({ what }) => what === 'wallet.recovered').length, 2)
  })

  // Otherwise a new wallet would receive what payers of the older wallet still send.
  test('an address that was handed out before the restore is not handed out again', async (t) => {
    const { world, instance, lost } = await openOlderStore(t, engine)
    await world.deposit(lost[14]!, nano(1))
    await recover(world, instance)
    for (let at = 0; at < 5; at++) assert.ok(!lost.includes(await world.create(instance)))
  })

  test('wallets that a node behind the others did not show are found by the next look', async (t) => {
    const { world, instance, lost } = await openOlderStore(t, engine)
    await world.deposit(lost[2]!, nano(1))
    const behind: AskLedger = (action) =>
      Promise.resolve(action === 'accounts_frontiers' ? { error: 'Account not found' } : { balances: '' })
    assert.deepEqual(await recover(world, instance, behind), [])
    await world.create(instance)
    assert.deepEqual(
      (await recover(world, instance)).map(({ address }) => address),
      [lost[2]],
    )
    await assert.rejects(
      recover(world, instance, () => Promise.resolve({ error: 'Busy' })),
      /ledger says: Busy/,
    )
  })
})

// Sends made after the backup are on the ledger: the wallet takes them over before it signs.
test('a recovered wallet that had sent already goes on from where the ledger is', async (t) => {
  const world = await openWalletWorld(t, { random: testRandom })
  const instance = await world.start()
  const address = await world.create(instance)
  await world.deposit(address, nano(5))
  await world.finish(send(world, instance, address))
  await comeToRest(world, instance, address)
  const { id } = (await findWalletByAddress(world.db, address))!
  await world.db.deleteFrom('wallet_blocks').where('wallet_id', '=', id).execute()
  await world.db.deleteFrom('wallet_keys').where('wallet_id', '=', id).execute()
  await world.db.deleteFrom('wallets').where('id', '=', id).execute()
  await recover(world, instance)
  await assignWallet(world.ctx, { wallet: address, accountId: world.accountId, actor: OPERATOR })
  await world.finish(send(world, instance, address))
  await comeToRest(world, instance, address)
  assert.deepEqual([world.fundsOf(SHOP), world.fundsOf(address)], [nano(2), nano(3)])
})

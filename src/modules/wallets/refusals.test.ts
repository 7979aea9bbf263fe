import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRaw } from '../../kernel/money.ts'
import { queueReceives } from './domain/queue-receives.ts'
import { findWalletByAddress } from './store.ts'
import { markExpiring } from './ending-store.ts'
import { nano } from '../../../test/support/blocks.ts'
import { createDatabase } from '../../../test/support/postgres.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { openGateway } from '../../../test/support/gateway.ts'
import { testRandom } from '../../../test/support/random.ts'
import {
  ALICE,
  SHOP,
  codeOf,
  comeToRest,
  openUsedWallet,
  openWallet,
  send,
} from '../../../test/support/wallet-steps.ts'
import type { WalletWorld } from '../../../test/support/wallet-world.ts'

/* What a wallet must not sign, although a request, a node or the store says so. */

const countSigned = async ({ db }: WalletWorld) =>
  (await db.selectFrom('wallet_blocks').select('id').where('hash', 'is not', null).execute()).length

// A node that lists something other than a deposit would make us sign a block that no node accepts, and so stop the
// wallet.
test('only a confirmed send of this amount to this wallet is received, whatever a node lists', async (t) => {
  const { world, instance, wallet } = await openWallet(t)
  const { id } = (await findWalletByAddress(world.db, wallet))!
  const elsewhere = await world.deposit(ALICE, nano(1))
  const smaller = await world.deposit(wallet, nano(1))
  world.ledger.hold()
  const unconfirmed = await world.deposit(wallet, nano(1))
  const claims = [
    { hash: elsewhere, amount: nano(1) },
    { hash: smaller, amount: nano(2) },
    { hash: unconfirmed, amount: nano(1) },
    { hash: 'F'.repeat(64), amount: nano(1) },
  ]
  for (const claim of claims) {
    assert.equal(await queueReceives(instance.ctx.store, id, [{ ...claim, source: ALICE }]), 1)
    await comeToRest(world, instance, wallet)
    assert.equal(await countSigned(world), 0)
  }
  const left = () => world.db.selectFrom('wallet_blocks').select('source_hash').execute()
  // Nodes learn of a confirmation at different times, so it is awaited for a minute.
  assert.deepEqual(await left(), [{ source_hash: unconfirmed }])
  world.clock.advance(60_001)
  await comeToRest(world, instance, wallet)
  assert.deepEqual(await left(), [], 'and the deposit can be received later, as it is')
})

// Somebody who can write to the store and encrypt must not make us sign for an address with another key.
test('an encrypted key that is not the key of its address signs nothing, and freezes the wallet', async (t) => {
  const { world, instance, wallet } = await openWallet(t)
  await world.deposit(wallet, nano(5))
  const { id } = (await findWalletByAddress(world.db, wallet))!
  const foreign = instance.ctx.vault.encrypt({ walletId: id, address: wallet }, testRandom.bytes(32))
  const encrypted = { wrapped_data_key: foreign.wrappedDataKey, sealed_key: foreign.encryptedKey }
  await world.db.updateTable('wallet_keys').set(encrypted).where('wallet_id', '=', id).execute()
  assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_frozen')
  assert.deepEqual(world.alarms, ['key: The encrypted key is not the key of its address.'])
  assert.equal(await countSigned(world), 0)
})

forEachEngine((engine) => {
  // Otherwise the send and the ending of the wallet, which gives away the whole balance, would both use it.
  test('a wallet that begins to end while a request for a send arrives refuses it', async (t) => {
    const { world, instance, wallet } = await openWallet(t, { engine }, { refundAddress: ALICE })
    await world.deposit(wallet, nano(5))
    const { id } = (await findWalletByAddress(world.db, wallet))!
    const meanwhile = { ...instance, ctx: { ...instance.ctx } }
    meanwhile.ctx.charged = async (_meter, run) => {
      await markExpiring(world.db, id, 'deleted')
      return run(0)
    }
    assert.equal(await codeOf(world.finish(send(world, meanwhile, wallet))), 'wallet_not_found')
    await world.finish(instance.settle())
    assert.deepEqual([world.fundsOf(SHOP), world.fundsOf(ALICE)], [0n, nano(5)])
  })
})

// With several nodes, the one that answers may not know our last block, so its frontier may be used already.
test('a node that is behind is waited for: nothing is signed on an old frontier, and nothing is frozen', async (t) => {
  const { world, instance, wallet } = await openWallet(t)
  await world.deposit(wallet, nano(5))
  for (let count = 0; count < 2; count++) {
    await world.finish(send(world, instance, wallet))
    await comeToRest(world, instance, wallet)
  }
  world.trouble = () => 'node behind'
  const signed = await countSigned(world)
  assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_busy')
  assert.equal(await countSigned(world), signed)
  assert.deepEqual(world.alarms, [])
  world.trouble = () => 'none'
  await world.finish(send(world, instance, wallet, toRaw(nano(3))))
  assert.equal(world.fundsOf(SHOP), nano(5))
})

test('a gateway on a shared store with master keys of its own machine says so at its start', async (t) => {
  const alone = await openGateway(t)
  assert.doesNotMatch(alone.log(), /wallet_keys_not_shared/)
  const shared = await openGateway(t, { DATABASE_URL: await createDatabase() })
  assert.match(shared.log(), /wallet_keys_not_shared.*Set WALLET_KEYS on every gateway/)
})

test('a client is answered when its time is over, though a node that was asked never answers, and nothing leaves later', async (t) => {
  const { world, instance, wallet } = await openUsedWallet(t)
  world.trouble = () => 'no reply'
  assert.equal(await world.finish(codeOf(send(world, instance, wallet))), 'wallet_busy')
  world.trouble = () => 'none'
  const next = await world.start()
  await comeToRest(world, next, wallet)
  assert.equal(world.fundsOf(SHOP), nano(1), 'what was sent before')
})

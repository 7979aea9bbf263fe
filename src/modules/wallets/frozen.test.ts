import { OPERATOR } from '../../kernel/actor.ts'
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { type TestContext, test } from 'node:test'
import { toMasterKeys } from '../../infra/secrets/master-keys.ts'
import { EnvelopeVault } from '../../infra/secrets/vault.ts'
import { queuePayment, rewrapKeys, unfreezeWallet, treasury } from './index.ts'
import { receiveDeposits } from './domain/receive.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import { freezeWallet } from './domain/freeze.ts'
import { findWalletByAddress } from './store.ts'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { askCommand } from '../../../test/support/command-line.ts'
import { openGateway } from '../../../test/support/gateway.ts'
import { testRandom } from '../../../test/support/random.ts'
import { ALICE, SHOP, codeOf, comeToRest, openUsedWallet, send, steal } from '../../../test/support/wallet-steps.ts'
import {
  type Instance,
  MASTER_KEY,
  type WalletWorld,
  type WorldOptions,
  openWalletWorld,
} from '../../../test/support/wallet-world.ts'

const LEASE = 11_000

/** A used wallet, with a clock that has advanced: blocks signed from now on are the latest. */
async function openOlderWallet(t: TestContext, options: Partial<WorldOptions> = {}) {
  const opened = await openUsedWallet(t, options)
  opened.world.clock.advance(1)
  return opened
}

/** Signs a send of 2 nano and publishes it nowhere. */
async function signUnreceived(world: WalletWorld, instance: Instance, wallet: string): Promise<void> {
  world.trouble = () => 'blocks lost'
  assert.equal(await codeOf(world.finish(send(world, instance, wallet, nano(2)))), 'publish_unknown')
  world.trouble = () => 'none'
}

const isFrozen = async ({ db }: WalletWorld, address: string) =>
  (await findWalletByAddress(db, address))!.frozenAt !== null

const lastBlock = ({ db }: WalletWorld) =>
  db.selectFrom('wallet_blocks').selectAll().orderBy('signed_at', 'desc').executeTakeFirstOrThrow()

const settle = async (world: WalletWorld, instance: Instance) => {
  world.clock.advance(LEASE)
  await world.finish(instance.settle())
}

const thaw = ({ ctx }: Instance, wallet: string, payQueued = false) =>
  unfreezeWallet(ctx.store, { wallet, actor: OPERATOR, payQueued })

// Otherwise, rotating the keys of several gateways one after another would freeze every wallet in use.
test('a wallet under a master key that this gateway does not know yet waits; it is not frozen', async (t) => {
  const { world, instance, wallet } = await openOlderWallet(t)
  const younger = { id: 'younger', key: testRandom.bytes(32) }
  const rewrapWith = (id: string) => {
    const vault = new EnvelopeVault({ load: () => toMasterKeys([MASTER_KEY, younger], id), random: testRandom })
    return rewrapKeys({ db: world.db, clock: world.clock, vault })
  }
  await rewrapWith('younger')
  assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_busy')
  assert.deepEqual(world.alarms, ['master_key: The master key younger is missing.'])
  await rewrapWith('test')
  await world.finish(send(world, instance, wallet))
  assert.equal(world.fundsOf(SHOP), nano(2), 'it goes on as if nothing had been')
})

test('a node that calls a good block impossible freezes nothing; the same bytes leave once a node takes them', async (t) => {
  const { world, instance, wallet } = await openOlderWallet(t)
  world.trouble = () => 'blocks refused'
  assert.equal(await codeOf(world.finish(send(world, instance, wallet, nano(2)))), 'publish_refused')
  const { hash } = await lastBlock(world)
  assert.equal(await isFrozen(world, wallet), false)
  assert.deepEqual(world.alarms, [`refused: A node refuses block ${hash}: Bad signature.`], 'told once, tried often')
  world.trouble = () => 'none'
  await settle(world, instance)
  assert.equal(world.fundsOf(SHOP), nano(3))
  assert.equal((await lastBlock(world)).hash, hash)
})

// Our own block may still win an election.
test('a rival that is not confirmed freezes nothing; when it falls, our block takes its place', async (t) => {
  const { world, instance, wallet } = await openOlderWallet(t)
  await signUnreceived(world, instance, wallet)
  world.ledger.hold()
  const rival = await steal(world, instance, wallet)
  await settle(world, instance)
  assert.equal(await isFrozen(world, wallet), false)
  assert.match(world.alarms.join(), new RegExp(`^refused: .*unconfirmed block ${rival}`))
  await world.ledger.drop(rival)
  await settle(world, instance)
  await world.ledger.release()
  await settle(world, instance)
  assert.equal(world.fundsOf(SHOP), nano(3))
  assert.equal(world.fundsOf(ALICE), 0n)
})

test('a block that was signed before a freeze leaves after the unfreeze, with the same bytes', async (t) => {
  const { world, instance, wallet } = await openOlderWallet(t)
  await signUnreceived(world, instance, wallet)
  const signed = await lastBlock(world)
  await freezeWallet(instance.ctx, (await findWalletByAddress(world.db, wallet))!, { reason: 'A person said so.' })
  await settle(world, instance)
  assert.equal(world.fundsOf(SHOP), nano(1), 'nothing leaves a frozen wallet')
  await thaw(instance, wallet)
  await settle(world, instance)
  assert.equal(world.fundsOf(SHOP), nano(3))
  const sent = await lastBlock(world)
  assert.deepEqual([sent.hash, sent.block, sent.status], [signed.hash, signed.block, 'confirmed'])
})

forEachEngine((engine) => {
  test('an unfrozen wallet takes over what the ledger has and sends what is left; the lost send stays lost', async (t) => {
    const { world, instance, wallet } = await openOlderWallet(t, { engine })
    await signUnreceived(world, instance, wallet)
    const { id } = await lastBlock(world)
    await steal(world, instance, wallet)
    await settle(world, instance)
    assert.equal(await isFrozen(world, wallet), true)
    await thaw(instance, wallet)
    await assert.rejects(thaw(instance, wallet), /no frozen wallet/)
    await world.finish(send(world, instance, wallet, 'all'))
    await settle(world, instance)
    assert.deepEqual([world.fundsOf(SHOP), world.fundsOf(ALICE), world.fundsOf(wallet)], [nano(4), nano(1), 0n])
    const blocks = await world.db.selectFrom('wallet_blocks').selectAll().execute()
    assert.equal(blocks.find((block) => block.id === id)!.status, 'lost')
    const audits = await world.db.selectFrom('audit_entries').selectAll().where('what', '=', 'wallet.thawed').execute()
    assert.deepEqual([audits.length, audits[0]!.actor, audits[0]!.account_id], [1, OPERATOR.id, world.accountId])
  })
})

forEachEngine((engine) => {
  /** A wallet for which others have signed so many blocks in a row, after it was unfrozen and has taken them over. */
  const openUnfrozen = async (t: TestContext, thefts: number) => {
    const opened = await openOlderWallet(t, { engine, env: { WALLET_WAIT_MS: '2000' } })
    const { world, instance, wallet } = opened
    for (let theft = 0; theft < thefts; theft++) {
      await steal(world, instance, wallet)
      world.clock.advance(60_000)
      await world.finish(instance.look())
    }
    assert.equal(await isFrozen(world, wallet), true)
    await thaw(instance, wallet)
    await settle(world, instance)
    return opened
  }

  // The treasury pays refunds, the faucet and names; its freeze stopped all of them, again after every unfreeze.
  test('an unfrozen wallet that has sent since freezes again because a node is one block behind', async (t) => {
    const { world, instance, wallet } = await openUnfrozen(t, 1)
    await world.finish(send(world, instance, wallet))
    await comeToRest(world, instance, wallet)
    world.trouble = () => 'node behind'
    assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_busy')
    assert.equal(await isFrozen(world, wallet), false)
    world.trouble = () => 'none'
    await world.finish(send(world, instance, wallet))
    assert.deepEqual([world.fundsOf(SHOP), world.fundsOf(ALICE)], [nano(3), nano(1)])
  })

  test('an unfrozen wallet freezes again because a node knows only some of the blocks that it took over', async (t) => {
    const { world, instance, wallet } = await openUnfrozen(t, 2)
    world.trouble = () => 'node behind'
    assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_busy')
    assert.equal(await isFrozen(world, wallet), false)
    world.trouble = () => 'none'
    await world.finish(send(world, instance, wallet))
    assert.deepEqual([world.fundsOf(SHOP), world.fundsOf(ALICE)], [nano(2), nano(2)])
  })

  test('a second unfreeze adopted the state of a node that was behind, and the wallet could never sign again', async (t) => {
    const { world, instance, wallet } = await openUnfrozen(t, 1)
    await world.finish(send(world, instance, wallet))
    await comeToRest(world, instance, wallet)
    await freezeWallet(instance.ctx, (await findWalletByAddress(world.db, wallet))!, { reason: 'A person said so.' })
    await thaw(instance, wallet)
    world.trouble = () => 'node behind'
    await settle(world, instance)
    world.trouble = () => 'none'
    await world.finish(send(world, instance, wallet))
    assert.deepEqual([world.fundsOf(SHOP), world.fundsOf(ALICE)], [nano(3), nano(1)])
  })

  test('an unfrozen wallet in which somebody signs again freezes again', async (t) => {
    const { world, instance, wallet } = await openUnfrozen(t, 1)
    await world.finish(send(world, instance, wallet))
    await comeToRest(world, instance, wallet)
    const rival = await steal(world, instance, wallet)
    await world.finish(codeOf(send(world, instance, wallet)))
    assert.equal(await isFrozen(world, wallet), true)
    assert.match(world.alarms.at(-1)!, new RegExp(`^frozen: The ledger has block ${rival}`))
  })
})

test('a deposit whose receive was lost is received after the unfreeze', async (t) => {
  const { world, instance, wallet } = await openOlderWallet(t)
  await world.deposit(wallet, nano(7))
  const record = async () => (await findWalletByAddress(world.db, wallet))!
  world.trouble = () => 'blocks lost'
  await assert.rejects(world.finish(receiveDeposits(instance.ctx, await record())))
  world.trouble = () => 'none'
  await steal(world, instance, wallet)
  await settle(world, instance)
  assert.equal((await lastBlock(world)).status, 'lost')
  await thaw(instance, wallet)
  await settle(world, instance)
  const received = await world.finish(receiveDeposits(instance.ctx, await record()))
  assert.deepEqual([received.length, received[0]!.amount], [1, nano(7)])
  await settle(world, instance)
  assert.equal((await record()).balance, nano(10))
})

test('a wallet whose ending was interrupted by a thief shares out what is left after the unfreeze', async (t) => {
  const world = await openWalletWorld(t, { random: testRandom })
  const instance = await world.start()
  const wallet = await world.create(instance, { refundAddress: [SHOP, ALICE], lifetimeMilliseconds: 1_000 })
  await world.deposit(wallet, nano(5))
  world.clock.advance(1_000)
  world.trouble = () => (world.ledger.ledger.store.findAccount(fromAddress(wallet)!) ? 'blocks lost' : 'none')
  await world.finish(instance.settle())
  world.trouble = () => 'none'
  await steal(world, instance, wallet)
  await settle(world, instance)
  assert.equal(await isFrozen(world, wallet), true)
  await thaw(instance, wallet)
  await settle(world, instance)
  assert.deepEqual([world.fundsOf(wallet), world.fundsOf(SHOP), world.fundsOf(ALICE)], [0n, nano(2), nano(3)])
})

// A store restored from a backup has lost its latest payments, and would make them again.
test('a frozen treasury with queued payments is unfrozen only with the confirmation that they are to be sent', async (t) => {
  const world = await openWalletWorld(t, { random: testRandom })
  const instance = await world.start()
  const wallet = await treasury(instance.ctx)
  await world.deposit(wallet.address, nano(5))
  await freezeWallet(instance.ctx, wallet, { reason: 'A person said so.' })
  const payment = {
    walletId: wallet.id,
    destination: SHOP,
    amount: nano(1),
    reference: 'faucet:1',
    purpose: 'faucet' as const,
  }
  await world.db.transaction().execute((db) => queuePayment({ db, store: instance.ctx.store }, payment))
  await assert.rejects(thaw(instance, wallet.id), /1 payments wait in this wallet.*--pay-queued/)
  await settle(world, instance)
  assert.equal(world.fundsOf(SHOP), 0n)
  await thaw(instance, wallet.id, true)
  await settle(world, instance)
  assert.equal(world.fundsOf(SHOP), nano(1))
})

test('wallets freeze, frozen and unfreeze on the command line, beside a running gateway', async (t) => {
  const gateway = await openGateway(t)
  const key = gateway.app.createdKey!
  const { address } = (await gateway.call('cloud_wallet', { key })).json()
  const { db } = gateway.app.store
  const { id } = (await findWalletByAddress(db, address!))!
  const run = (...words: string[]) => askCommand(gateway.folder, 'wallets', ...words)
  assert.deepEqual(await run('freeze', address!, '--reason', 'Why.'), { frozen: address })
  const [frozen] = (await run('frozen')) as { id: string; address: string; reason: string }[]
  assert.deepEqual([frozen!.id, frozen!.address, frozen!.reason], [id, address, 'Why.'])
  const by = [{ host: hostname(), pid: process.pid }]
  assert.deepEqual(await run('thaw', id), { thawed: id, address, in_force: true, confirmed_by: by })
  assert.deepEqual(await run('freeze', 'all', '--reason', 'A key is out.'), { frozen: 'all' })
  const [sends] = (await run('frozen')) as { scope: string; reason: string }[]
  assert.deepEqual([sends!.scope, sends!.reason], ['all', 'A key is out.'])
  assert.deepEqual(await run('unfreeze', 'all'), { thawed: 'all', in_force: true, confirmed_by: by })
  assert.deepEqual(await run('frozen'), [])
})

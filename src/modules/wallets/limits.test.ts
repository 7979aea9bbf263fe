import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nano } from '../../../test/support/blocks.ts'
import { forEachEngine } from '../../../test/support/engines.ts'
import { testRandom } from '../../../test/support/random.ts'
import { SHOP, codeOf, comeToRest, openWallet, send } from '../../../test/support/wallet-steps.ts'
import { openWalletWorld } from '../../../test/support/wallet-world.ts'

forEachEngine((engine) => {
  // With a stolen API key, ten simultaneous requests must not send more than the limit allows.
  test('sends at the same time do not exceed the daily limit together', async (t) => {
    const env = { WALLET_DAILY_MAX_NANO: '3' }
    const world = await openWalletWorld(t, { engine, random: testRandom, env })
    const instances = await Promise.all([world.start(), world.start()])
    const wallets = [await world.create(instances[0]), await world.create(instances[0])]
    for (const wallet of wallets) await world.deposit(wallet, nano(20))
    const sends = Array.from({ length: 10 }, (_, at) => codeOf(send(world, instances[at % 2]!, wallets[at % 2]!)))
    const codes = await world.finish(Promise.all(sends))
    assert.deepEqual(codes.sort(), [...Array(3).fill('done'), ...Array(7).fill('limit_reached')])
    assert.equal(world.fundsOf(SHOP), nano(3))
    world.clock.advance(86_400_001)
    assert.equal(await codeOf(world.finish(send(world, instances[0], wallets[0]!))), 'done', 'the next day is another')
  })

  test('wallets made at the same time do not exceed the limit of an account', async (t) => {
    const env = { WALLETS_PER_ACCOUNT_MAX: '3' }
    const world = await openWalletWorld(t, { engine, random: testRandom, env })
    const instances = await Promise.all([world.start(), world.start()])
    const made = Array.from({ length: 10 }, (_, at) => codeOf(world.create(instances[at % 2]!)))
    assert.deepEqual((await Promise.all(made)).sort(), [...Array(3).fill('done'), ...Array(7).fill('limit_reached')])
  })
})

test('everything can be sent under a limit when it is within it', async (t) => {
  const env = { WALLET_DAILY_MAX_NANO: '5', WALLET_SEND_MAX_NANO: '4' }
  const world = await openWalletWorld(t, { random: testRandom, env })
  const instance = await world.start()
  const [small, large] = [await world.create(instance), await world.create(instance)]
  await world.deposit(small, nano(2))
  await world.deposit(small, nano(1))
  await world.deposit(large, nano(5))
  assert.equal(await codeOf(world.finish(send(world, instance, large, 'all'))), 'limit_reached')
  await world.finish(send(world, instance, small, 'all'))
  await comeToRest(world, instance, small)
  assert.equal(world.fundsOf(SHOP), nano(3))
  assert.equal(await codeOf(world.finish(send(world, instance, small, 'all'))), 'insufficient_funds')
  assert.equal(await codeOf(world.finish(send(world, instance, large, nano(3)))), 'limit_reached')
})

// An Idempotency-Key of a send of one nano is not valid for a send of the whole balance, nor the other way round.
test('a repeated send of everything is the same as one of everything only', async (t) => {
  const { world, instance, wallet } = await openWallet(t)
  await world.deposit(wallet, nano(5))
  const one = await world.finish(send(world, instance, wallet, nano(1), 'one'))
  assert.equal(await codeOf(world.finish(send(world, instance, wallet, 'all', 'one'))), 'idempotency_conflict')
  const all = await world.finish(send(world, instance, wallet, 'all', 'all'))
  assert.equal(await codeOf(world.finish(send(world, instance, wallet, nano(4), 'all'))), 'idempotency_conflict')
  assert.equal(await world.finish(send(world, instance, wallet, 'all', 'all')), all)
  assert.equal(await world.finish(send(world, instance, wallet, nano(1), 'one')), one)
  assert.equal(world.fundsOf(SHOP), nano(5))
})

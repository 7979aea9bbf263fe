import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandom } from '../../src/infra/random.ts'
import { toMasterKeys } from '../../src/infra/secrets/master-keys.ts'
import { EnvelopeVault } from '../../src/infra/secrets/vault.ts'
import { rewrapKeys } from '../../src/modules/wallets/index.ts'
import { nano } from '../support/blocks.ts'
import { SHOP, codeOf, comeToRest, send } from './deeds.ts'
import { MASTER_KEY, openWalletWorld } from './world.ts'

// Otherwise rotating the keys of several gateways, one after the other, would freeze every wallet that is in use.
test('a wallet under a master key that this gateway does not know yet waits; it is not frozen', async (t) => {
  const world = await openWalletWorld(t, { random: systemRandom })
  const instance = await world.start()
  const wallet = await world.create(instance)
  await world.deposit(wallet, nano(5))
  await world.finish(send(world, instance, wallet))
  await comeToRest(world, instance, wallet)
  const younger = { id: 'younger', key: systemRandom.bytes(32) }
  const rewrapWith = (id: string) => {
    const vault = new EnvelopeVault({ load: () => toMasterKeys([MASTER_KEY, younger], id), random: systemRandom })
    return rewrapKeys({ db: world.db, clock: world.clock, vault })
  }
  await rewrapWith('younger')
  assert.equal(await codeOf(world.finish(send(world, instance, wallet))), 'wallet_busy')
  assert.deepEqual(world.alarms, ['master_key: The master key younger is missing.'])
  await rewrapWith('test')
  await world.finish(send(world, instance, wallet))
  assert.equal(world.fundsOf(SHOP), nano(2), 'it goes on as if nothing had been')
})

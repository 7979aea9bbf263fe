import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeat } from '../../../test/support/random.ts'
import { publicKeyOf } from './keys.ts'
import { DEV_NETWORK, entryThreshold, epochOfLink, thresholdFor } from './network.ts'
import { WORK_THRESHOLDS } from './work.ts'

test('an epoch link is its name in ASCII, padded with zeros to 32 bytes, and no other link upgrades an account', () => {
  for (const epoch of [1, 2, 3]) {
    const link = Buffer.from(`epoch v${epoch} block`.padEnd(32, '\0')).toString('hex').toUpperCase()
    assert.equal(epochOfLink(link), epoch === 3 ? undefined : epoch)
  }
  assert.equal(epochOfLink('0'.repeat(64)), undefined)
  return repeat(50, (random) => assert.equal(epochOfLink(random.hex(64)), undefined))
})

test('from epoch 2 on a receive costs less work than a send, and before it all blocks cost the same', () => {
  const { none: _, ...networks } = WORK_THRESHOLDS
  for (const thresholds of Object.values(networks)) {
    for (const epoch of [0, 1] as const) {
      assert.equal(thresholdFor(thresholds, epoch, true), thresholds.epoch1)
      assert.equal(thresholdFor(thresholds, epoch, false), thresholds.epoch1)
    }
    assert.equal(thresholdFor(thresholds, 2, true), thresholds.receive)
    assert.equal(thresholdFor(thresholds, 2, false), thresholds.send)
    assert.ok(thresholds.receive < thresholds.send)
  }
})

test('no block that could be valid is refused unread, and the genesis key of the development network is public', () => {
  for (const thresholds of Object.values(WORK_THRESHOLDS)) {
    for (const epoch of [0, 1, 2] as const) {
      for (const receives of [true, false]) {
        assert.ok(entryThreshold(thresholds, 'state') <= thresholdFor(thresholds, epoch, receives))
      }
    }
    for (const type of ['send', 'receive', 'open', 'change'] as const) {
      assert.equal(entryThreshold(thresholds, type), thresholds.epoch1)
    }
  }
  assert.equal(publicKeyOf(DEV_NETWORK.genesisPrivateKey), DEV_NETWORK.genesisAccount)
})

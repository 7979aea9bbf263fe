import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GENESIS_BLOCK } from '../../devnet/genesis.ts'
import { fromAddress } from './address.ts'
import { hashBlock } from './block.ts'
import { GENESIS_HASHES, readGenesis } from './networks.ts'

test('the first blocks of the live and the development network are what their hashes say', () => {
  assert.equal(hashBlock(GENESIS_BLOCK), GENESIS_HASHES.dev)
  const account = fromAddress('nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3')!
  const live = { ...GENESIS_BLOCK, source: account, representative: account, account }
  assert.equal(hashBlock(live), GENESIS_HASHES.live)
})

test('what a node tells is a first block only when it is a hash', () => {
  assert.equal(readGenesis(GENESIS_HASHES.live.toLowerCase()), GENESIS_HASHES.live)
  for (const wrong of [undefined, null, 7, '', 'live', `${GENESIS_HASHES.live}0`])
    assert.equal(readGenesis(wrong), undefined)
})

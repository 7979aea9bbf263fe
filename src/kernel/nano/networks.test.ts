import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PublicKey, fromAddress } from './address.ts'
import { hashBlock } from './block.ts'
import { DEV_NETWORK, GENESIS_HASHES, readGenesis } from './network.ts'

test('the first blocks of the live and the development network have their hashes', () => {
  const live = fromAddress('nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3')!
  const opening = (account: PublicKey) =>
    hashBlock({ type: 'open', source: account, representative: account, account, work: '', signature: '' })
  assert.equal(opening(DEV_NETWORK.genesisAccount), GENESIS_HASHES.dev)
  assert.equal(opening(live), GENESIS_HASHES.live)
})

test('a node’s answer is accepted as first block only if it is a hash', () => {
  assert.equal(readGenesis(GENESIS_HASHES.live.toLowerCase()), GENESIS_HASHES.live)
  for (const wrong of [undefined, null, 7, '', 'live', `${GENESIS_HASHES.live}0`])
    assert.equal(readGenesis(wrong), undefined)
})

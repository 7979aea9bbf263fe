import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_GENESIS, genesisOf } from '../../src/devnet/genesis.ts'
import { startDevnet } from '../../src/devnet/index.ts'
import { callNode } from '../../src/infra/node/call-node.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { Signer, nano, openAccount } from '../support/blocks.ts'
import { ledgerFile, openDevnet } from '../support/devnet.ts'
import { testRandom } from '../support/random.ts'

test('the ledger of no word is the development network; a word makes another that says so and pays from a genesis of its own', async (t) => {
  assert.equal(DEV_GENESIS.hash, DEV_NETWORK.genesisHash)
  assert.equal(DEV_GENESIS.account, DEV_NETWORK.genesisAccount)
  const { node, rpcUrl } = await openDevnet(t, { network: 'shop', genesis: genesisOf('shop') })
  const { network, network_identifier } = await callNode(rpcUrl, { action: 'version' })
  assert.equal(network, 'shop')
  assert.equal(network_identifier, genesisOf('shop').hash)
  assert.equal((await callNode(rpcUrl, { action: 'telemetry' })).genesis_block, genesisOf('shop').hash)
  assert.notEqual(network_identifier, DEV_NETWORK.genesisHash)
  const unknown = await callNode(rpcUrl, { action: 'block_info', hash: DEV_NETWORK.genesisHash })
  assert.equal(unknown.error, 'Block not found')

  const alice = new Signer(1)
  await node.fund(alice.key, nano(3))
  const account = toAddress(node.ledger.genesis.account)
  const { history } = await callNode(rpcUrl, { action: 'account_history', account, count: '1' })
  assert.equal((history as { account: string }[])[0]!.account, alice.address)
  assert.equal(node.ledger.store.findAccount(DEV_NETWORK.genesisAccount), undefined)
})

test('a ledger file is not opened as the ledger of another genesis', async (t) => {
  const file = ledgerFile(t)
  const options = { file, clock: systemClock, random: testRandom }
  const first = await startDevnet({ ...options, genesis: genesisOf('one') })
  await openAccount(first.node, new Signer(1, first.node.ledger.thresholds), nano(1))
  await first.close()
  await assert.rejects(startDevnet({ ...options, genesis: genesisOf('two') }), /another genesis/)
  await assert.rejects(startDevnet(options), /another genesis/)
  const again = await startDevnet({ ...options, genesis: genesisOf('one') })
  assert.equal(again.node.ledger.store.totals().accounts, 2)
  await again.close()
})

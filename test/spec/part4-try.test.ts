import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { Signer } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { requiredOf } from '../support/x402-steps.ts'

/* What can be tried at once on the development ledger. */

const SHOP = new Signer(1).address
const HASH = '7442BB86A58594F1212F0AA9904E13F19816C211BA87F533F12407615A630419'

test('on the development ledger everything can be tried at once, and in front of real nodes nothing is open by itself', async (t) => {
  const gateway = await openGateway(t, { X402_ACTIONS: 'work_generate' })
  const key = { authorization: `Bearer ${gateway.app.createdKey}` }
  const wallet = { address: SHOP, amount: '1', mode: 'generated_wallet' }
  const made = await gateway.call('checkout', wallet, key)
  assert.equal(made.status, 200, made.text)
  const addressOf = async (account: string) => (await gateway.call('account_balance', { account })).json().address
  const treasury = await addressOf('@faucet')
  assert.equal(await addressOf('@Bank'), toAddress(DEV_NETWORK.genesisAccount))
  const work = await gateway.call('work_generate', { hash: HASH })
  assert.equal(work.status, 402, work.text)
  const [terms] = requiredOf(work).accepts
  assert.deepEqual([terms!.payTo, terms!.network], [treasury, 'nano:dev'])
  assert.equal((await gateway.call('work_generate', { hash: HASH }, key)).status, 200)
  const kept = (await gateway.call('rpc_key', { email: 'alice@example.com' })).json<Record<string, unknown>>()
  assert.equal(kept.success, true)
  assert.match(String(kept.message), /kept here.*nano-gateway mail list.*\/dashboard\/admin\/mail/)
  const page = await ask(`${gateway.url}/dashboard/admin/mail`, { method: 'GET' })
  assert.ok(page.status < 400, 'the page is there')

  const ledger = await openDevnet(t)
  const nodes = { NODE_URLS: ledger.rpcUrl, NODE_WS_URLS: ledger.wsUrl, NODE_NETWORK: 'dev' }
  const smtp = { SMTP_URL: 'smtp://127.0.0.1:1' }
  const live = await openGateway(t, { ...nodes, ...smtp, X402_ACTIONS: 'work_generate' })
  const liveKey = { authorization: `Bearer ${live.app.createdKey}` }
  const refused = await live.call('checkout', wallet, liveKey)
  assert.deepEqual([refused.status, refused.json().code], [403, 'feature_disabled'])
  assert.equal((await live.call('work_generate', { hash: HASH })).status, 200)
  for (const account of ['@faucet', '@bank']) {
    assert.equal((await live.call('account_balance', { account })).json().code, 'username_not_found')
  }
  const sent = (await live.call('rpc_key', { email: 'alice@example.com' })).json()
  assert.equal(sent.message, 'A sign-in link was sent to alice@example.com.')
})

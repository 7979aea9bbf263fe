import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { Signer } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { readQr } from '../support/read-qr.ts'
import { row } from './row.ts'

/* What can be tried on the development ledger at once, and what other services of the kind take. */

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
  const challenge = JSON.parse(Buffer.from(String(work.headers['payment-required']), 'base64').toString()) as {
    accepts: { payTo: string; network: string }[]
  }
  const [{ payTo, network }] = challenge.accepts as [{ payTo: string; network: string }]
  assert.deepEqual([payTo, network], [treasury, 'nano:dev'])
  assert.equal((await gateway.call('work_generate', { hash: HASH }, key)).status, 200)
  const { success, message } = (await gateway.call('rpc_key', { email: 'alice@example.com' })).json<{
    success: boolean
    message: string
  }>()
  assert.equal(success, true)
  assert.match(message, /kept here.*nano-gateway mail list.*\/dashboard\/admin\/mail/)
  assert.equal(
    (await ask(`${gateway.url}/dashboard/admin/mail`, { method: 'GET' })).status < 400,
    true,
    'the page is there',
  )

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

test('get_name shows its links as pictures when it is asked to, and one mail address needs no list (contract 9, Synonyms: nano_email)', async (t) => {
  const gateway = await openGateway(t)
  const key = { authorization: `Bearer ${gateway.app.createdKey}` }
  type Offer = { plans: { link: string; qrcode?: string }[] }
  const plain = (await gateway.call('get_name', { name: 'alice' })).json<Offer>()
  for (const qrcode of [true, 'true', 1]) {
    const { plans } = (await gateway.call('get_name', { name: 'Alice', qrcode })).json<Offer>()
    row('2, Username registration offer: qrcode', () => {
      for (const plan of plans) assert.equal(readQr(plan.qrcode!), plan.link)
      assert.deepEqual([plans.length, plain.plans.some((plan) => 'qrcode' in plan)], [6, false])
    })
  }
  const terms = { refund_address: SHOP, amount: '1' }
  for (const fields of [{ email: 'bob@example.com' }, { emails: 'bob@example.com' }, { emails: ['bob@example.com'] }]) {
    const { emails } = (await gateway.call('nano_email', { ...terms, ...fields }, key)).json<{
      emails: { email: string }[]
    }>()
    assert.deepEqual(
      emails.map(({ email }) => email),
      ['bob@example.com'],
    )
  }
  const both = { email: 'bob@example.com', emails: ['carol@example.com'] }
  const refused = await gateway.call('nano_email', { ...terms, ...both }, key)
  assert.deepEqual([refused.status, refused.json().field], [400, 'email'])
})

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { Signer, UNOPENED, nano } from '../support/blocks.ts'
import { ask, bearer, openGateway } from '../support/gateway.ts'
import { run, start } from '../start/process.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'
import { alice, openLedgerWorld } from './ledger-world.ts'
import { openFolder } from '../support/folder.ts'

/* Contract 5: what needs a key, and where the first key comes from. */

const EMAILS = { refund_address: alice.address, amount: '1', emails: ['x@example.com'] }
const SALE = { address: alice.address, amount: '1' }

test('401 with the words that a key is required, and 200 for what needs none (contract 5, rules 1, 4, 5 and 16; 7, Texts and codes: key needed, none given)', async (t) => {
  const { app, call } = await openLedgerWorld(t, { CHECKOUT_GENERATED_WALLETS: 'all' })
  const keyed = bearer(app.createdKey!)
  const saved = (await call('checkout', SALE, keyed)).json()
  const needed: [action: string, fields: object][] = [
    ['cloud_wallet', { list: true }],
    ['faucet_claim', { nano_address: alice.address }],
    ['checkout_report', {}],
    ['rpc_credits', {}],
    ['nano_email', EMAILS],
    ['buy_rpc', {}],
    ['checkout', { ...SALE, notify: 'shop@example.com' }],
    ['checkout', { template: saved.id }],
    ['checkout', { ...SALE, mode: 'generated_wallet' }],
  ]
  for (const [action, fields] of needed) {
    for (const headers of [{}, { authorization: '' }, { key: ' ' }]) {
      const reply = await call(action, fields, headers)
      row(
        '5, What needs a key: cloud_wallet, faucet_claim, checkout_report, rpc_credits, nano_email, buy_rpc, notify, template, mode generated_wallet',
        () => assertRefusal(reply, 401, /API key required/, 'key_required'),
      )
    }
    // The treasury of the faucet is empty, which is a different error.
    const reply = await call(action, fields, keyed)
    const expected = action === 'faucet_claim' ? [403, 'insufficient_funds'] : [200, undefined]
    assert.deepEqual([reply.status, reply.json().code], expected, `${action} ${reply.text}`)
  }
  for (const nano_address of ['', 'nano_wrong', '@nobody', undefined]) {
    const reply = await call('faucet_claim', { nano_address }, keyed)
    assert.deepEqual([reply.status, reply.json().field], [400, 'nano_address'], reply.text)
  }

  const { node } = app.devnet!
  const dora = new Signer(9, node.ledger.thresholds)
  const block = dora.receive(UNOPENED, await node.fund(dora.key, nano(1)), nano(1))
  const free: [action: string, fields: object][] = [
    ['process', { block: toBlockJson(block) }],
    ['account_info', { account: alice.address }],
    ['account_balance', { account: alice.address }],
    ['account_history', { account: alice.address, count: '1' }],
    ['block_info', { hash: DEV_NETWORK.genesisHash }],
    ['block_count', {}],
    ['version', {}],
    ['price', { currency: 'USD' }],
    ['market_data', {}],
    ['reps', {}],
    ['known', {}],
    ['aliases', {}],
    ['get_name', { name: 'dora' }],
    ['checkout', SALE],
    ['faucet_check', { nano_address: alice.address }],
    ['buy_rpc', { email: 'bob@example.com' }],
  ]
  for (const [action, fields] of free) {
    const reply = await call(action, fields)
    row('5, What needs a key: reads, process, price, names, plain checkouts, buy_rpc', () =>
      assert.deepEqual([reply.status, reply.json().error], [200, undefined], action),
    )
  }
})

test('a public key makes checkouts from the pages it was made for, and nothing else (contract 5, rules 5 and 6; 5, Key kinds: public key, secret (RPC) key; 7, Texts and codes: public key from an origin that is not its own)', async (t) => {
  const { app, call, rest, url } = await openGateway(t, { CHECKOUT_GENERATED_WALLETS: 'all' })
  const keyed = bearer(app.createdKey!)
  const origin = 'https://shop.example'
  const make = { name: 'Page', kind: 'public', origins: [origin] }
  const { key: public_key } = (await rest('POST', '/api/keys', app.createdKey, make)).json()
  const secrets = {
    notify: 'shop@example.com',
    webhook_url: 'https://shop.example/hook',
    webhook_secret: 'of the shop',
  }
  const template = (await call('checkout', { ...SALE, ...secrets, title: 'Book' }, keyed)).json().id
  const asPage = (fields: object, from: Record<string, string> = { origin }) =>
    call('checkout', { public_key, ...fields }, from)

  assert.equal((await asPage(SALE)).status, 200)
  // The merchant's saved fields are used and not shown.
  const order = await asPage({ template, amount: '2', metadata: { order: 1 } })
  assert.equal(order.status, 200, order.text)
  assert.doesNotMatch(order.text, /of the shop|shop@example|\/hook/)
  const own = await rest('GET', `/api/checkouts/${order.json().id}`, app.createdKey)
  const { checkout } = own.json<{ checkout: Record<string, unknown> }>()
  const { notify, webhook_url } = secrets
  assert.partialDeepStrictEqual(checkout, { title: 'Book', notify, webhook_url })

  const forbidden = { ...secrets, webhook: webhook_url, webhook_events: ['payment.late'], mode: 'generated_wallet' }
  for (const [field, value] of Object.entries(forbidden)) {
    const reply = await asPage({ ...SALE, [field]: value })
    assert.deepEqual([reply.status, reply.json().code], [403, 'feature_disabled'], field)
    assert.equal(reply.json().field, field === 'webhook' ? 'webhook_url' : field)
    assert.equal((await call('checkout', { ...SALE, [field]: value }, keyed)).status, 200, `${field} with a secret key`)
  }
  const near = ['https://shop.example.evil.example', 'https://a.shop.example', 'https://shop.example/', '']
  const elsewhere = ['https://evil.example', 'http://shop.example', 'https://shop.example:444', 'null']
  for (const from of [{}, ...[...near, ...elsewhere].map((other) => ({ origin: other }))]) {
    const text = 'This public key cannot be used from this origin.'
    assertRefusal(await asPage(SALE, from), 403, text, 'origin_not_allowed')
  }
  for (const [action, fields] of [
    ['cloud_wallet', { list: true }],
    ['rpc_credits', {}],
    ['checkout_report', {}],
    ['nano_email', EMAILS],
    ['faucet_claim', { nano_address: alice.address }],
  ] as const) {
    const reply = await call(action, { ...fields, key: public_key }, { origin })
    assertRefusal(reply, 403, `A public key cannot call ${action}.`, 'feature_disabled')
    assert.notEqual((await call(action, fields, keyed)).status, 401)
  }
  for (const path of ['/api/account', '/api/keys', '/api/checkouts']) {
    const reply = await ask(`${url}${path}`, { method: 'GET', headers: { key: public_key!, origin } })
    assertRefusal(reply, 403, 'A public key cannot be used here.', 'feature_disabled')
  }
})

test('the first start makes an administrator key, once, and the command line issues more (contract 5, How keys are issued: first start, command line)', async (t) => {
  const DATA_DIR = openFolder(t)
  const env = { DATA_DIR, DEVNET_PORT: '0', DEVNET_WS_PORT: '0', LOG_LEVEL: 'error' }
  const { url, stop } = await start(t, env)
  const first = readFileSync(join(DATA_DIR, 'administrator.key'), 'utf8').trim()
  assert.match(first, /^rpc_sk_\w{38}$/)
  const account = async (key: string) =>
    (await ask(`${url}/api/account`, { method: 'GET', headers: { key } })).json<{
      account: { id: string; role: string }
    }>()
  const { account: administrator } = await account(first)
  assert.equal(administrator.role, 'admin')

  const { output } = await run(t, ['keys', 'create', administrator.id], env)
  const second = /rpc_sk_\w{38}/.exec(output)![0]
  assert.notEqual(second, first)
  assert.equal((await account(second)).account.id, administrator.id)
  await stop()

  const again = await openGateway(t, { DATA_DIR })
  assert.equal(again.app.createdKey, undefined)
  for (const key of [first, second]) assert.equal((await again.call('rpc_credits', { key })).status, 200)
})

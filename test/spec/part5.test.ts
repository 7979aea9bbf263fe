import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { Signer, UNOPENED, nano } from '../support/blocks.ts'
import { CLI } from '../support/command-line.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'
import { alice, openLedgerWorld } from './ledger-world.ts'
import { openFolder } from '../support/folder.ts'

/* Contract 5: who needs a key for what, and where the first one comes from. */

const EMAILS = { refund_address: alice.address, amount: '1', emails: ['x@example.com'] }
const SALE = { address: alice.address, amount: '1' }

test('401 with the words that a key is required, and 200 for what needs none (contract 5, rules 1, 4, 5 and 16; 7, Texts and codes: key needed, none given)', async (t) => {
  const { app, call } = await openLedgerWorld(t, { CHECKOUT_GENERATED_WALLETS: 'all' })
  const keyed = { authorization: `Bearer ${app.createdKey}` }
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
    // The treasury of the faucet is empty here, which is another matter.
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
  const { app, call, url } = await openGateway(t, { CHECKOUT_GENERATED_WALLETS: 'all' })
  const keyed = { authorization: `Bearer ${app.createdKey}` }
  const origin = 'https://shop.example'
  const make = { name: 'Page', kind: 'public', origins: [origin] }
  const made = await ask(`${url}/api/keys`, { headers: keyed, body: JSON.stringify(make) })
  const { key: public_key } = made.json()
  const secrets = {
    notify: 'shop@example.com',
    webhook_url: 'https://shop.example/hook',
    webhook_secret: 'of the shop',
  }
  const template = (await call('checkout', { ...SALE, ...secrets, title: 'Book' }, keyed)).json().id
  const asPage = (fields: object, from: Record<string, string> = { origin }) =>
    call('checkout', { public_key, ...fields }, from)

  assert.equal((await asPage(SALE)).status, 200)
  // What the merchant saved is used, and not shown.
  const order = await asPage({ template, amount: '2', metadata: { order: 1 } })
  assert.equal(order.status, 200, order.text)
  assert.doesNotMatch(order.text, /of the shop|shop@example|\/hook/)
  const own = await ask(`${url}/api/checkouts/${order.json().id}`, { method: 'GET', headers: keyed })
  const { checkout } = own.json<{ checkout: Record<string, unknown> }>()
  assert.deepEqual(
    [checkout.title, checkout.notify, checkout.webhook_url],
    ['Book', secrets.notify, secrets.webhook_url],
  )

  const forbidden = {
    ...secrets,
    webhook: secrets.webhook_url,
    webhook_events: ['payment.late'],
    mode: 'generated_wallet',
  }
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
  const folder = openFolder(t)
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    METRICS_PORT: '0',
    PORT: '0',
    DEVNET_PORT: '0',
    DEVNET_WS_PORT: '0',
  }
  const settings = { ...env, WORK_THREADS: '0', WORK_NODES: 'true', PRICE_PROVIDERS: 'sandbox', LOG_LEVEL: 'error' }
  const child = spawn(process.execPath, [CLI, 'start'], { env: settings })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  t.after(() => void child.kill('SIGKILL'))
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes('Try it:')) resolve()
    })
    child.once('exit', () => reject(new Error(printed)))
  })
  const url = /RPC\s+(\S+)/.exec(printed)![1]!
  const file = /Admin key\s+in (\S+) /.exec(printed)![1]!
  const first = /^(rpc_sk_\w{38})\n$/.exec(readFileSync(file, 'utf8'))![1]!
  assert.equal(printed.split('rpc_sk_').length, 1)
  const account = (key: string) => ask(`${url}/api/account`, { method: 'GET', headers: { key } })
  const { account: administrator } = (await account(first)).json<{ account: { id: string; role: string } }>()
  assert.equal(administrator.role, 'admin')

  const command = [CLI, 'keys', 'create', administrator.id]
  const { stdout } = await promisify(execFile)(process.execPath, command, { env: settings })
  const second = /rpc_sk_\w{38}/.exec(stdout)![0]
  assert.notEqual(second, first)
  assert.equal((await account(second)).json<{ account: { id: string } }>().account.id, administrator.id)
  child.kill('SIGTERM')
  await ended

  const again = await openGateway(t, { DATA_DIR: folder })
  assert.equal(again.app.createdKey, undefined)
  for (const key of [first, second]) assert.equal((await again.call('rpc_credits', { key })).status, 200)
})

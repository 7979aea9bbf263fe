import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, bearer, openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { row } from './row.ts'
import { alice, bob, openLedgerWorld } from './ledger-world.ts'

/* Contract 1: purpose, terms and transport of the service. */

test('links come from the three settings, and never from the Host header; GET / is a page for browsers and a small object for others (contract 1, rules 9 and 13)', async (t) => {
  const order = { address: alice.address, amount: '1' }
  const read = (url: string, headers: Record<string, string>) => ask(url, { method: 'GET', headers })
  const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
  const pages = { CHECKOUT_URL: 'https://pay.example', API_URL: 'https://api.example' }
  const { url } = await openGateway(t, { BASE_URL: 'https://base.example', ...pages })
  const reply = await ask(url, { headers: evil, body: JSON.stringify({ action: 'checkout', ...order }) })
  const { id, browser, check, json } = reply.json()
  row('1, Terms and units: {checkout_url}', () => assert.equal(browser, `https://pay.example/pay/${id}`))
  row('1, Terms and units: {api_url}', () =>
    assert.deepEqual([check, json], [`https://api.example/check/${id}`, `https://api.example/checkout/${id}`]),
  )
  assert.doesNotMatch(reply.text, /evil/)
  const { rpc } = (await read(url, evil)).json()
  row('1, Terms and units: {base_url}', () => assert.equal(rpc, 'POST https://base.example'))

  const based = await openGateway(t, { BASE_URL: 'https://rpc.example/' })
  const made = (await based.call('checkout', order)).json()
  const links = [made.browser, made.check, made.json].map((link) => new URL(link!).origin)
  assert.deepEqual(links, ['https://rpc.example', 'https://rpc.example', 'https://rpc.example'])
  const told = (await read(based.url, { accept: '*/*' })).json()
  assert.deepEqual(
    [told.service, told.rpc, told.docs],
    ['nano-gateway', 'POST https://rpc.example', 'https://rpc.example/openapi.json'],
  )
  const page = await read(based.url, { accept: 'text/html', host: 'evil.example' })
  assert.match(page.headers['content-type']!, /^text\/html/)
  for (const shown of [/https:\/\/rpc\.example/, /href="\/docs"/]) assert.match(page.text, shown)
  assert.doesNotMatch(page.text, /evil\.example/)
  const reference = await read(`${based.url}/docs`, { accept: 'text/html' })
  assert.equal(reference.status, 200)
  assert.match(reference.text, /account_balance/)

  // Without settings all links point to the gateway itself.
  const alone = await openGateway(t)
  const unset = (await alone.call('checkout', order)).json()
  for (const link of [unset.browser!, unset.check!, unset.json!]) {
    assert.ok(link.startsWith(`${alone.url}/`))
    assert.equal((await fetch(link)).status, 200)
  }
})

test('objects made with the keys of one account belong to it, and to no other (contract 1, Terms and units: account)', async (t) => {
  const gateway = await openLedgerWorld(t)
  const { call, url } = gateway
  const [customer, stranger] = [await gateway.join(), await gateway.join()]
  const second = bearer(await customer.issue('secret'))
  const { id } = (await call('checkout', { address: alice.address, amount: '1' }, customer.headers)).json()
  const { address } = (await call('cloud_wallet', {}, customer.headers)).json()
  const seenBy = async (headers: Record<string, string>) => {
    const wallets = (await call('cloud_wallet', { list: true }, headers)).json<{ address: string }[]>()
    const listed = await ask(`${url}/api/checkouts`, { method: 'GET', headers })
    const { checkouts } = listed.json<{ checkouts: { id: string }[] }>()
    const { keys } = (await ask(`${url}/api/keys`, { method: 'GET', headers })).json<{ keys: object[] }>()
    return [wallets.map((wallet) => wallet.address), checkouts.map((checkout) => checkout.id), keys.length]
  }
  assert.deepEqual(await seenBy(second), [[address], [id], 2])
  assert.deepEqual(await seenBy(stranger.headers), [[], [], 1])
})

test('members that a newer node adds are passed on (contract 1, rule 19; 9, rules 3 and 4)', async (t) => {
  const newer = { novelty: '7' }
  const answers: Record<string, object> = {
    account_info: { balance: '1', ...newer },
    account_balance: { balance: '1', ...newer },
    account_history: { account: alice.address, history: [{ type: 'send', amount: '1', ...newer }], ...newer },
    receivable: { blocks: { ['A'.repeat(64)]: { amount: '1', source: bob.address, ...newer } } },
    block_info: { balance: '1', contents: { type: 'state', balance: '1', ...newer }, ...newer },
    telemetry: { block_count: '1', ...newer },
  }
  const node = await openRecordingNode(t, ({ action }) => answers[action] ?? { error: 'Account not found' })
  const { post } = await openGateway(t, { NODE_URLS: node.url })
  const counts = { account_info: 1, account_balance: 1, account_history: 2, receivable: 1, block_info: 2, telemetry: 1 }
  for (const [action, count] of Object.entries(counts)) {
    const fields = { account: alice.address, hash: 'A'.repeat(64), count: '1', source: true, raw: false }
    const { text } = await post(JSON.stringify({ action, ...fields }))
    assert.equal(text.split('"novelty":"7"').length - 1, count, `${action}: ${text}`)
  }
})

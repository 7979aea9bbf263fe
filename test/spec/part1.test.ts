import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { alice, openTown } from './town.ts'

/* Contract 1: what the service does, its terms and its transport. */

test('links come from the three settings, and never from the Host header (contract 1, Terms and units: {base_url}, {checkout_url}, {api_url}; 1, rule 13)', async (t) => {
  const { url } = await openGateway(t, {
    BASE_URL: 'https://base.example',
    CHECKOUT_URL: 'https://pay.example',
    API_URL: 'https://api.example',
  })
  const reply = await ask(url, {
    headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    body: JSON.stringify({ action: 'checkout', address: alice.address, amount: '1' }),
  })
  const { id, browser, check, json } = reply.json()
  assert.equal(browser, `https://pay.example/pay/${id}`)
  assert.equal(check, `https://api.example/check/${id}`)
  assert.equal(json, `https://api.example/checkout/${id}`)
  assert.doesNotMatch(reply.text, /evil/)
})

test('without settings all links lead to the gateway itself (contract 1, rule 13)', async (t) => {
  const { url, call } = await openGateway(t)
  const { browser, check, json } = (await call('checkout', { address: alice.address, amount: '1' })).json()
  for (const link of [browser!, check!, json!]) {
    assert.ok(link.startsWith(`${url}/`))
    assert.equal((await fetch(link)).status, 200)
  }
})

test('addresses, aliases, hashes, work and amounts are written as the terms say (contract 1, Terms and units; 1, rule 7)', async (t) => {
  const { call, sent } = await openTown(t)
  const info = (await call('account_info', { account: alice.address })).json()
  assert.equal(toAddress(alice.key), alice.address)
  assert.match(alice.address, /^nano_[13][13-9a-km-uw-z]{59}$/)
  assert.match(info.frontier!, /^[0-9A-F]{64}$/)
  assert.equal(info.balance, '8000000000000000000000000000000')
  assert.equal(info.balance_nano, '8')
  assert.equal((await call('account_info', { account: '@alice' })).json().address, alice.address)
  const work = (await call('work_generate', { hash: sent })).json<Record<string, unknown>>()
  assert.match(String(work.work), /^[0-9a-f]{16}$/)
  // Scalars of the node are texts, and so is what is true or false.
  const block = (await call('block_info', { hash: sent })).json<Record<string, unknown>>()
  for (const name of ['confirmed', 'height', 'local_timestamp', 'amount', 'balance']) {
    assert.equal(typeof block[name], 'string', name)
  }
  assert.equal(block.confirmed, 'true')
})

test('members that a newer node adds are passed on (contract 1, rule 19; 9, rules 3 and 4)', async (t) => {
  const { call } = await openTown(t)
  const { node_vendor, store_vendor, protocol_version } = (await call('version')).json()
  assert.ok(node_vendor && store_vendor && protocol_version)
  const telemetry = (await call('telemetry')).json<Record<string, unknown>>()
  assert.ok(Object.keys(telemetry).length > 3, 'more than the contract names')
})

test('data and conversion: prices, market, representatives and units are there without a key (contract 1, Product areas: 7. Data and conversion; 5, rule 1)', async (t) => {
  const { call } = await openTown(t)
  for (const [action, fields] of [
    ['price', { currency: 'EUR' }],
    ['market_data', {}],
    ['reps', {}],
    ['nano_to_raw', { amount: '1' }],
    ['raw_to_nano', { amount: '1' }],
    ['account_balance', { account: alice.address }],
    ['block_count', {}],
  ] as const) {
    assert.equal((await call(action, fields)).status, 200, action)
  }
})

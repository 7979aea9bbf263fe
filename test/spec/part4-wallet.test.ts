import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { fromAddress, toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock, turningWhenStuck } from '../support/clock.ts'
import { readQr } from '../support/read-qr.ts'
import { until } from '../support/until.ts'
import { ALICE, type Answer, SHOP, openClient, openStranger } from '../support/wallet-client.ts'
import { assertRefusal } from './refusal.ts'
import { row } from './row.ts'

/* Contract 4.2: every operation of a cloud wallet, in both styles, and nonsensical requests. */

const DAY = 86_400
const RAW = (nano: string, zeros: number) => `${nano}${'0'.repeat(zeros)}`
const ONE_RAW = RAW('1', 30)
const HASH = /^[0-9A-F]{64}$/
const GENESIS = toAddress(DEV_NETWORK.genesisAccount)

test('200 create answers every field in its type, and lifetimes from five minutes to ten years (contract 8, Other areas: expire)', async (t) => {
  const clock = new TestClock()
  const client = await openClient(t, { KNOWN_NAMES: JSON.stringify({ alice: ALICE }) }, clock)
  const now = clock.now() / 1_000
  const metadata = { order: { id: 7 } }
  const wallet = await client.ask<Answer>({ refund_address: SHOP, expire: '2 hours', metadata })
  const { address, qrcode, ...rest } = wallet
  assert.ok(fromAddress(address as string))
  assert.equal(readQr(qrcode as string), `nano:${address as string}`)
  const end = { expiration: 'in 2 hours', expiration_unix: now + 7_200 }
  row(
    '4.2, cloud_wallet: create; 2, Cloud wallet: address, balance, refund_address, expiration, expiration_unix, metadata, status, qrcode',
    () => assert.deepEqual(rest, { balance: 0, refund_address: SHOP, ...end, metadata, status: 'active' }),
  )
  const plain = await client.ask<Answer>({ wallet_action: 'create_wallet' })
  assert.deepEqual([plain.expiration, plain.expiration_unix], ['in 3 months', now + 90 * DAY])
  row('4.2, Creating: metadata', () =>
    assert.deepEqual([wallet.metadata, 'metadata' in plain], [{ order: { id: 7 } }, false]),
  )
  // A list stays a list, and a name is stored as its current address.
  const refunds = [[SHOP], [SHOP, '@Alice'], '@Alice'].map((refund_address) => client.ask<Answer>({ refund_address }))
  const told = (await Promise.all(refunds)).map((made) => made.refund_address)
  row('4.2, Creating: refund_address', () =>
    assert.deepEqual([plain.refund_address, wallet.refund_address, ...told], [[], SHOP, [SHOP], [SHOP, ALICE], ALICE]),
  )
  for (const [expire, seconds] of [
    ['5 minutes', 300],
    ['1 day', DAY],
    ['10 years', 3_650 * DAY],
  ] as const) {
    const { expiration_unix: end } = await client.ask<Answer>({ expire })
    row('4.2, Creating: expire', () => assert.equal(end, now + seconds, expire))
  }
  for (const expire of ['299 seconds', '3651 days']) {
    const { status, json } = await client.call({ expire })
    const { error, code, field } = json()
    const text = 'expire is 5 minutes to 10 years.'
    assert.deepEqual([status, error, code, field], [400, text, 'invalid_duration', 'expire'])
  }
})

test('200 list shows the newest first, without a QR code, by limit, start, search and metadata, and 100 by default (contract 4.2, cloud_wallet: list; 4.2, rule 2; 2, Cloud wallet: balance, balance_nano, qrcode)', async (t) => {
  const clock = new TestClock()
  const client = await openClient(t, { LIMIT_FREE_PER_MINUTE: '0' }, clock)
  assert.deepEqual(await client.ask({ list: true }), [])
  const made: string[] = []
  for (const kind of ['red', 'blue', 'red']) {
    made.push(await client.create({ refund_address: SHOP, metadata: { kind, at: made.length } }))
    clock.advance(1_000)
  }
  const list = async (filter: object) =>
    (await client.ask<Answer[]>({ list: 'true', ...filter })).map(({ address }) => made.indexOf(address as string))
  assert.deepEqual(await list({}), [2, 1, 0])
  assert.deepEqual(await list({ limit: '2' }), [2, 1])
  assert.deepEqual(await list({ limit: 2, start: 1 }), [1, 0])
  assert.deepEqual(await list({ start: '3' }), [])
  assert.deepEqual(await list({ metadata: { kind: 'red' } }), [2, 0])
  assert.deepEqual(await list({ metadata: { kind: 'red', at: 2 } }), [2])
  assert.deepEqual(await list({ metadata: { kind: 'green' } }), [])
  assert.deepEqual(await list({ search: 'BLUE' }), [1])
  assert.deepEqual(await list({ search: made[0]!.slice(10, 30) }), [0])
  const [first] = await client.ask<Answer[]>({ wallet_action: 'list_wallets' })
  const held = { address: made[2], balance: '0', balance_nano: '0', refund_address: SHOP, status: 'active' }
  const end = { expiration: 'in 3 months', expiration_unix: clock.now() / 1_000 - 1 + 90 * DAY }
  assert.deepEqual(first, { ...held, ...end, metadata: { kind: 'red', at: 2 } })
  for (let more = made.length; more < 101; more++) await client.create()
  assert.equal((await client.ask<Answer[]>({ list: true })).length, 100)
  assert.equal((await client.ask<Answer[]>({ list: true, limit: -1 })).length, 101)
})

test('200 receive, balance, account info, send and delete in flag style (contract 4.2, rules 6 and 16; 1, rule 14)', async (t) => {
  const names = { KNOWN_NAMES: JSON.stringify({ genesis: GENESIS, shop: SHOP }) }
  const client = await openClient(t, names)
  const made = await client.ask<Answer>({ refund_address: SHOP, metadata: { a: 1 } })
  const account = made.address as string
  const deposits = [await client.deposit(account, '1.5'), await client.deposit(account, '0.25')]
  const until = { address: account, expiration: 'in 3 months', expiration_unix: made.expiration_unix }
  // Nothing is received until it is requested.
  const coming = (raw: string, text: string) => ({
    pending: raw,
    pending_nano: text,
    receivable: raw,
    receivable_nano: text,
  })
  const waiting = { balance: '0', balance_nano: '0', ...coming(RAW('175', 28), '1.75') }
  const balance = await client.ask({ balance: 'true', account })
  row('4.2, cloud_wallet: balance, wallet balance', () => assert.deepEqual(balance, { ...waiting, ...until }))
  const details = { refund_address: SHOP, metadata: { a: 1 }, status: 'active' }
  for (const info of [await client.ask({ account }), await client.ask({ info: true, account })]) {
    row('4.2, cloud_wallet: account info', () => assert.deepEqual(info, { ...waiting, ...until, ...details }))
  }

  const received = await client.ask<Answer[]>({ receive: true, account })
  const byAmount = received.toSorted((one, other) => Number(one.amount_nano) - Number(other.amount_nano))
  const receipts = byAmount.map(({ receive_hash: hash }) => hash)
  assert.ok(receipts.every((hash) => HASH.test(hash as string)))
  assert.equal(new Set([...receipts, ...deposits]).size, 4)
  const from = { source: GENESIS, username: 'genesis' }
  row('4.2, cloud_wallet: receive, received block', () =>
    assert.deepEqual(byAmount, [
      { hash: deposits[1], amount: RAW('25', 28), amount_nano: '0.25', ...from, receive_hash: receipts[0] },
      { hash: deposits[0], amount: RAW('15', 29), amount_nano: '1.5', ...from, receive_hash: receipts[1] },
    ]),
  )
  assert.deepEqual(await client.ask({ receive: 'true', account }), [], 'nothing waits any more')

  const sent = await client.ask({ send: '@Shop', amount: '1', account })
  assert.deepEqual(Object.keys(sent), ['hash'])
  const block = (await client.gateway.call('block_info', { hash: sent.hash })).json<Answer & { contents: Answer }>()
  const { account: sender, link_as_account: taker } = block.contents
  row('4.2, cloud_wallet: send', () =>
    assert.deepEqual([block.amount, block.subtype, sender, taker], [ONE_RAW, 'send', account, SHOP]),
  )
  const left = { balance: RAW('75', 28), balance_nano: '0.75', ...coming('0', '0'), ...until }
  assert.deepEqual(await client.ask({ balance: true, account }), left)
  // The whole balance, to the raw.
  await client.ask({ send: SHOP, amount: 'all', account })
  assert.equal((await client.balanceOf(account)).balance, '0')
  assert.equal((await client.balanceOf(SHOP)).receivable, RAW('175', 28))
  const deleted = await client.ask({ delete: 'true', account })
  row('4.2, cloud_wallet: delete (expire)', () => assert.deepEqual(deleted, { deleted: true }))
})

test('200 the same operations by wallet_action, and a send by every name of its destination (contract 4.2, rules 1 and 3)', async (t) => {
  const client = await openClient(t, { KNOWN_NAMES: JSON.stringify({ shop: SHOP }) })
  const { address: account } = await client.ask({ wallet_action: 'create_wallet', metadata: { a: 1 } })
  await client.deposit(account!, '2')
  assert.equal((await client.ask<Answer[]>({ wallet_action: 'receive', account })).length, 1)
  await client.ask({ wallet_action: 'send', account, to: '@shop', amount: '1' })
  await client.ask({ wallet_action: 'send', account, address: '@shop', amount: 0.5 })
  await client.ask({ wallet_action: 'send', account, destination: SHOP, amount: '0.25' })
  await client.ask({ wallet_action: 'send', account, send: '@SHOP', amount: 'all' })
  assert.equal((await client.balanceOf(SHOP)).receivable, RAW('2', 30))
  const changed = await client.ask<Answer>({ wallet_action: 'update_metadata', account, metadata: { b: 2 } })
  const again = await client.ask<Answer>({ update_metadata: true, account, metadata: { c: [3] } })
  row('4.2, cloud_wallet: update metadata', () => {
    assert.deepEqual([changed.address, changed.metadata], [account, { b: 2 }])
    assert.deepEqual([again.address, again.metadata], [account, { c: [3] }])
  })
  const listed = await client.ask<Answer[]>({ wallet_action: 'list_wallets' })
  assert.deepEqual(listed[0]!.metadata, { c: [3] }, 'the metadata was replaced as a whole')
  const info = await client.ask<Answer>({ wallet_action: 'account_info', account })
  assert.deepEqual([info.address, info.balance, info.metadata], [account, '0', { c: [3] }])
  const { balance } = await client.ask({ wallet_action: 'balance', account })
  const deleted = await client.ask({ wallet_action: 'delete', account })
  row('9, Synonyms: cloud_wallet', () => assert.deepEqual([balance, deleted], ['0', { deleted: true }]))
})

test('400 impossible values are refused with the name of their field (contract 4.2, rule 1; 8, Other areas: expire, vanity, refund addresses, metadata)', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  const signers = (count: number) => Array.from({ length: count }, (_, at) => new Signer(at).address)
  const deeper = (levels: number): unknown => (levels === 0 ? 1 : { a: deeper(levels - 1) })
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]))
  const cases: [code: string, field: string, values: unknown[], rest?: object][] = [
    ['invalid_duration', 'expire', ['soon']],
    ['invalid_account', 'refund_address', ['nano_1', [SHOP, SHOP]]],
    ['username_not_found', 'refund_address', [[SHOP, '@nobody']]],
    ['invalid_list', 'refund_address', [signers(11)]],
    ['invalid_metadata', 'metadata', ['text', { text: 'x'.repeat(4_096) }, members(51), deeper(5)]],
    ['invalid_vanity', 'vanity', ['hello', '1vanit', '10']],
    ['invalid_request', 'wallet_action', ['steal']],
    ['invalid_request', 'receive', [true], { list: true }],
    ['invalid_request', 'send', [SHOP], { account, receive: true, amount: '1' }],
    ['invalid_request', 'delete', [true], { account, wallet_action: 'receive' }],
    ['invalid_request', 'send', [SHOP], { account, wallet_action: 'balance', amount: '1' }],
    ['invalid_request', 'account', [undefined], { send: SHOP, amount: '1' }],
    ['invalid_request', 'amount', [undefined], { send: SHOP, account }],
    ['invalid_request', 'send', [undefined], { wallet_action: 'send', account, amount: '1' }],
    ['invalid_amount', 'amount', ['0', '-1'], { send: SHOP, account }],
    ['invalid_account', 'send', ['nano_nobody'], { account, amount: '1' }],
    ['invalid_request', 'metadata', [undefined], { wallet_action: 'update_metadata', account }],
  ]
  for (const [code, field, values, rest] of cases) {
    for (const value of values) {
      const reply = await client.call({ ...rest, [field]: value })
      assert.deepEqual([reply.status, reply.json().code, reply.json().field], [400, code, field], reply.text)
    }
  }
  // Values exactly at the limits are accepted.
  await client.create({ refund_address: signers(10) })
  await client.create({ metadata: { text: 'x'.repeat(4_000) } })
  await client.create({ metadata: members(50) })
  await client.create({ metadata: deeper(4) })
})

test('200 a wallet of a chosen beginning signs like any other; 503 with the limit in its words after 30 seconds (contract 4.2, Creating: vanity; 4.2, rules 4 and 5; 8, Other areas: vanity; 7, Texts and codes: vanity search out of time; 7, Status codes: 503)', async (t) => {
  const clock = new PatientClock()
  const client = await openClient(t, {}, clock)
  const address = await client.create({ vanity: '1a' })
  assert.match(address, /^nano_1a/)
  await client.deposit(address, '1')
  const { hash } = await turningWhenStuck(clock, client.ask({ send: SHOP, amount: 'all', account: address }))
  assert.match(hash!, HASH)
  clock.wishes.length = 0
  let isOver = false
  const searching = client.call({ vanity: '3zzzz' }).finally(() => (isOver = true))
  let granted = 0
  await until(() => {
    const wishes = clock.wishes.filter((wait) => wait === 30_000).length
    if (wishes > granted) clock.advance(30_000)
    granted = wishes
    return isOver
  })
  const reply = await searching
  const text = 'No matching address was found within 30 seconds. Try a shorter prefix.'
  assertRefusal(reply, 503, text, 'vanity_not_found')
  assert.deepEqual([reply.json<Answer>().retry_after, reply.headers['retry-after']], [1, '1'])
})

/** A clock that records all requested waits. */
class PatientClock extends TestClock {
  readonly wishes: number[] = []

  override after(milliseconds: number, run: () => void): () => void {
    this.wishes.push(milliseconds)
    return super.after(milliseconds, run)
  }
}

test('401 without a key, 403 with a public one, and a foreign wallet looks exactly like none (contract 5, What needs a key: cloud_wallet; 7, Texts and codes: wallet ended, deleted, foreign or unknown, account or feature not allowed; 7, Status codes: 403)', async (t) => {
  const client = await openClient(t)
  const reply = await client.gateway.call('cloud_wallet', { list: true })
  assert.equal(reply.status, 401)
  assert.match(reply.json().error!, /API key required/)
  const origin = 'https://shop.example'
  const key = await (await client.gateway.join()).issue('public', [origin])
  const refused = await client.gateway.call('cloud_wallet', { key, list: true }, { origin })
  assertRefusal(refused, 403, /./, 'feature_disabled')

  const stranger = await openStranger(client)
  const account = await client.create({ refund_address: SHOP })
  await client.deposit(account, '1')
  const update = { wallet_action: 'update_metadata', metadata: {} }
  const flags = [{ balance: true }, { receive: true }, { send: SHOP, amount: '1' }, { delete: true }, { info: true }]
  for (const operation of [...flags, update]) {
    const foreign = await stranger.call({ account, ...operation })
    const missing = await stranger.call({ account: SHOP, ...operation })
    assert.equal(foreign.text, missing.text)
    assert.deepEqual([foreign.status, foreign.json().error], [400, 'Wallet not found.'])
  }
  assert.deepEqual(await stranger.ask({ list: true }), [])
  assert.equal((await client.balanceOf(account)).receivable, ONE_RAW)
})

test('two long vanity searches of one account do not keep another from its own (contract 4.2, rule 4)', async (t) => {
  const client = await openClient(t)
  const { url, app, join } = client.gateway
  const greedy = await join()
  for (const vanity of ['1zzzz', '3zzzz']) {
    const sent = request(url, { method: 'POST', headers: { ...greedy.headers, 'idempotency-key': vanity } })
    sent.on('error', () => undefined)
    // A caller who closes the connection ends the search.
    t.after(() => sent.destroy())
    sent.end(JSON.stringify({ action: 'cloud_wallet', vanity }))
  }
  await until(async () => (await app.store.db.selectFrom('idempotency').select('key').execute()).length === 2)
  assert.match(await client.create({ vanity: '1' }), /^nano_1/)
})

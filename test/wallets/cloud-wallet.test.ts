import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { createAccount, issueKey } from '../../src/modules/accounts/index.ts'
import { systemRandom } from '../../src/infra/random.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { openIds } from '../../src/infra/ids.ts'
import { Signer } from '../support/blocks.ts'
import { type Gateway, type Reply, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const DAY = 86_400
const SHOP = new Signer(1).address
const ALICE = new Signer(2).address
const BOB = new Signer(3).address
const ONE_RAW = (10n ** 30n).toString()

type Answer = Record<string, unknown>

interface Client {
  gateway: Gateway
  /** A call of `cloud_wallet` that must succeed. */
  ask<T = Record<string, string>>(parameters: object, headers?: Record<string, string>): Promise<T>
  /** Any call of it. */
  call(parameters: object, headers?: Record<string, string>): Promise<Reply>
  create(parameters?: object): Promise<string>
  /** A confirmed deposit that waits to be received. */
  deposit(address: string, nano: string): Promise<string>
  balanceOf(address: string): Promise<{ balance: string; receivable: string }>
}

async function openClient(t: TestContext, env: Record<string, string> = {}): Promise<Client> {
  const gateway = await openGateway(t, env)
  return clientWith(gateway, gateway.app.createdKey!)
}

function clientWith(gateway: Gateway, key: string): Client {
  const call: Client['call'] = (parameters, headers) => gateway.call('cloud_wallet', { key, ...parameters }, headers)
  const client: Client = {
    gateway,
    call,
    ask: async <T>(parameters: object, headers?: Record<string, string>) => {
      const reply = await call(parameters, headers)
      assert.equal(reply.status, 200, reply.text)
      return reply.json<T>()
    },
    create: async (parameters = {}) => (await client.ask(parameters)).address!,
    deposit: (address, nano) => gateway.app.devnet!.node.fund(fromAddress(address)!, parseNano(nano)!),
    balanceOf: async (address) => {
      const reply = await gateway.call('account_balance', { account: address })
      return reply.json<{ balance: string; receivable: string }>()
    },
  }
  return client
}

/** A second customer of the same gateway. */
async function openStranger({ gateway }: Client): Promise<Client> {
  return clientWith(gateway, await issueTo(gateway, { kind: 'secret', origins: [] }))
}

/** The key of a new account. */
async function issueTo({ app }: Gateway, terms: { kind: 'secret' | 'public'; origins: string[] }): Promise<string> {
  const ids = openIds(systemRandom)
  const ctx = { db: app.store.db, clock: systemClock, random: systemRandom, ids, wakeJobs: () => undefined }
  const { id: accountId } = await createAccount(ctx, { email: null, role: 'user', actor: 'test' })
  return (await issueKey(ctx, { accountId, ...terms, name: 'Other', actor: 'test' })).text
}

test('200 create answers address, zero, refund address, expiration, metadata and a QR code, in their types (contract 1, Product areas: 4. Cloud wallets; 2, Cloud wallet; 4.2, Creating; 4.2, cloud_wallet; 3, Cloud wallet: –; 8, Other areas: expire; 4.1, Payments, wallets, faucet, swap: cloud_wallet)', async (t) => {
  const client = await openClient(t)
  const now = Math.floor(Date.now() / 1000)
  const wallet = await client.ask<Answer>({ refund_address: SHOP, expire: '2 hours', metadata: { order: { id: 7 } } })
  assert.ok(fromAddress(wallet.address as string))
  assert.equal(wallet.balance, 0)
  assert.equal(wallet.refund_address, SHOP)
  assert.equal(wallet.expiration, 'in 2 hours')
  assert.ok(Math.abs((wallet.expiration_unix as number) - now - 7_200) <= 5)
  assert.deepEqual(wallet.metadata, { order: { id: 7 } })
  assert.match(wallet.qrcode as string, /^data:image\/png;base64,iVBOR/)
  const plain = await client.ask<Answer>({ wallet_action: 'create_wallet' })
  assert.equal(plain.expiration, 'in 3 months')
  assert.ok(Math.abs((plain.expiration_unix as number) - now - 90 * DAY) <= 5)
  assert.equal(plain.metadata, undefined)
})

test('200 a wallet of a chosen beginning signs like any other (contract 4.2, rule 5; 4.2, Creating: vanity)', async (t) => {
  const client = await openClient(t)
  const address = await client.create({ vanity: '1a' })
  assert.match(address, /^nano_1a/)
  await client.deposit(address, '1')
  const { hash } = await client.ask({ send: SHOP, amount: 'all', account: address })
  assert.match(hash!, /^[0-9A-F]{64}$/)
})

test('200 receive, balance and send in flag style (contract 4.2, cloud_wallet; 4.2, rules 6, 10 and 16)', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  const deposits = [await client.deposit(account, '1.5'), await client.deposit(account, '0.25')]
  const before = await client.ask<Answer>({ balance: 'true', account })
  assert.deepEqual(
    [before.balance, before.receivable, before.pending, before.receivable_nano, before.pending_nano, before.address],
    ['0', `1750${'0'.repeat(27)}`, `1750${'0'.repeat(27)}`, '1.75', '1.75', account],
  )
  assert.equal(typeof before.expiration, 'string')
  assert.equal(typeof before.expiration_unix, 'number')
  const received = await client.ask<Answer[]>({ receive: true, account })
  assert.deepEqual(received.map(({ hash }) => hash).sort(), deposits.sort())
  assert.deepEqual(received.map(({ amount_nano: nano }) => nano).sort(), ['0.25', '1.5'])
  assert.ok(received.every(({ amount, source }) => /^\d+$/.test(amount as string) && fromAddress(source as string)))
  assert.deepEqual(await client.ask({ receive: true, account }), [], 'nothing waits any more')
  const { hash } = await client.ask({ send: SHOP, amount: '1', account })
  const block = await client.gateway.call('block_info', { hash })
  assert.equal(block.json<Answer>().amount, ONE_RAW)
  assert.equal((await client.balanceOf(SHOP)).receivable, ONE_RAW)
  const after = await client.ask({ balance: true, account })
  assert.deepEqual([after.balance, after.balance_nano, after.receivable], [`750${'0'.repeat(27)}`, '0.75', '0'])
})

test('200 the same operations by wallet_action (contract 4.2, rules 1 and 3; 9, Synonyms: cloud_wallet)', async (t) => {
  const client = await openClient(t, { KNOWN_NAMES: JSON.stringify({ shop: SHOP }) })
  const { address: account } = await client.ask({ wallet_action: 'create_wallet', metadata: { a: 1 } })
  await client.deposit(account!, '2')
  assert.equal((await client.ask<Answer[]>({ wallet_action: 'receive', account })).length, 1)
  await client.ask({ wallet_action: 'send', account, to: '@shop', amount: '1' })
  await client.ask({ wallet_action: 'send', account, address: '@shop', amount: 0.5 })
  await client.ask({ wallet_action: 'send', account, send: '@SHOP', amount: 'all' })
  assert.equal((await client.balanceOf(SHOP)).receivable, `2${'0'.repeat(30)}`)
  const changed = await client.ask<Answer>({ wallet_action: 'update_metadata', account, metadata: { b: 2 } })
  assert.deepEqual(changed.metadata, { b: 2 })
  const listed = await client.ask<Answer[]>({ wallet_action: 'list_wallets' })
  assert.deepEqual(listed[0]!.metadata, { b: 2 }, 'the metadata was replaced as a whole')
  const info = await client.ask<Answer>({ wallet_action: 'account_info', account })
  assert.deepEqual([info.address, info.balance, info.metadata], [account, '0', { b: 2 }])
  assert.deepEqual(await client.ask({ account }), info)
})

test('200 list filters by limit, start, search and metadata, newest first, without a QR code (contract 4.2, rule 2)', async (t) => {
  const client = await openClient(t)
  assert.deepEqual(await client.ask({ list: true }), [])
  const made: string[] = []
  for (const kind of ['red', 'blue', 'red']) made.push(await client.create({ metadata: { kind, at: made.length } }))
  const list = async (filter: object) =>
    (await client.ask<Answer[]>({ list: 'true', ...filter })).map(({ address }) => made.indexOf(address as string))
  assert.deepEqual((await list({})).sort(), [0, 1, 2])
  assert.equal((await list({ limit: '2' })).length, 2)
  assert.deepEqual((await list({ limit: 2, start: 2 })).length, 1)
  assert.deepEqual((await list({ metadata: { kind: 'red' } })).sort(), [0, 2])
  assert.deepEqual(await list({ metadata: { kind: 'red', at: 2 } }), [2])
  assert.deepEqual(await list({ search: 'BLUE' }), [1])
  assert.deepEqual(await list({ search: made[0]!.slice(10, 30) }), [0])
  const [first] = await client.ask<Answer[]>({ list: true })
  assert.equal(first!.qrcode, undefined)
  assert.equal(first!.balance, '0')
})

test('200 a send receives what waits when the balance does not suffice (contract 4.2, rule 7)', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  for (const nano of ['1', '2', '3']) await client.deposit(account, nano)
  await client.ask({ send: SHOP, amount: '2.5', account })
  const { balance, receivable } = await client.balanceOf(account)
  assert.deepEqual([balance, receivable], [`5${'0'.repeat(29)}`, `3${'0'.repeat(30)}`], 'the largest one was enough')
})

test('200 delete sends equal shares with the remainder on the last, and the wallet is gone (contract 3, rules 7 and 8; 3, Cloud wallet: active; 4.2, rule 8; 7, Texts and codes: wallet ended, deleted, foreign or unknown)', async (t) => {
  const client = await openClient(t)
  const account = await client.create({ refund_address: [SHOP, ALICE, BOB] })
  await client.deposit(account, '1')
  assert.deepEqual(await client.ask({ delete: 'true', account }), { deleted: true })
  const shares = await Promise.all([SHOP, ALICE, BOB].map(async (to) => (await client.balanceOf(to)).receivable))
  assert.deepEqual(shares, ['3'.repeat(30), '3'.repeat(30), `${'3'.repeat(29)}4`])
  for (const parameters of [{ balance: true }, { receive: true }, { delete: true }, { send: SHOP, amount: '1' }, {}]) {
    const reply = await client.call({ account, ...parameters })
    assert.deepEqual(
      [reply.status, reply.json().error, reply.json().code],
      [400, 'Wallet not found.', 'wallet_not_found'],
    )
  }
  assert.deepEqual(await client.ask({ list: true }), [])
})

test('200 what arrives after the end is shared out by the same rule (contract 3, Cloud wallet: ended, deleted)', async (t) => {
  const client = await openClient(t)
  const account = await client.create({ refund_address: [SHOP, ALICE] })
  await client.ask({ delete: true, account })
  await client.deposit(account, '3')
  await until(async () => (await client.balanceOf(ALICE)).receivable !== '0')
  await until(async () => (await client.balanceOf(account)).balance === '0')
  assert.equal((await client.balanceOf(SHOP)).receivable, `15${'0'.repeat(29)}`)
})

test('403 delete with funds and no refund address; without funds it is fine (contract 3, Cloud wallet: active; 4.2, rule 8)', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  await client.deposit(account, '1')
  const refused = await client.call({ delete: true, account })
  assert.deepEqual([refused.status, refused.json().code], [403, 'wallet_not_empty'])
  await client.ask({ send: SHOP, amount: 'all', account })
  assert.deepEqual(await client.ask({ delete: true, account }), { deleted: true })
})

test('403 a send beyond the balance; nothing leaves (contract 7, Texts and codes: wallet without enough)', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  await client.deposit(account, '1')
  for (const amount of ['1.000000000000000000000000000001', '2']) {
    const refused = await client.call({ send: SHOP, amount, account })
    assert.deepEqual([refused.status, refused.json().code], [403, 'insufficient_funds'])
  }
  const empty = await client.call({ send: SHOP, amount: 'all', account: await client.create() })
  assert.equal(empty.json().code, 'insufficient_funds')
  assert.equal((await client.balanceOf(SHOP)).receivable, '0')
})

test('403 limits: wallets of an account, largest send, sends of a day, and the switch that stops all (contract 8, Other areas: wallets of an account; 7, Texts and codes: more wallets, or larger sends, than are allowed)', async (t) => {
  const client = await openClient(t, {
    WALLETS_PER_ACCOUNT_MAX: '2',
    WALLET_SEND_MAX_NANO: '2',
    WALLET_DAILY_MAX_NANO: '3',
  })
  const account = await client.create({ refund_address: SHOP })
  await client.create()
  const third = await client.call({})
  assert.deepEqual([third.status, third.json().code], [403, 'limit_reached'])
  await client.deposit(account, '10')
  assert.equal((await client.call({ send: SHOP, amount: '2.5', account })).json().code, 'limit_reached')
  assert.equal((await client.call({ send: SHOP, amount: 'all', account })).json().code, 'limit_reached')
  await client.ask({ send: SHOP, amount: '2', account })
  assert.equal((await client.call({ send: SHOP, amount: '2', account })).json().code, 'limit_reached')
  await client.ask({ send: SHOP, amount: '1', account })
  await client.ask({ delete: true, account })
  await client.create()

  const stopped = await openClient(t, { WALLET_SENDS: 'off' })
  const wallet = await stopped.create({ refund_address: SHOP })
  await stopped.deposit(wallet, '1')
  for (const parameters of [{ send: SHOP, amount: '1' }, { delete: true }]) {
    const refused = await stopped.call({ account: wallet, ...parameters })
    assert.deepEqual([refused.status, refused.json().code], [403, 'feature_disabled'])
  }
  assert.equal((await stopped.ask<Answer[]>({ receive: true, account: wallet })).length, 1, 'receiving goes on')
})

test('400 what cannot be meant is refused with the name of its field (contract 4.2, rule 1; 8, Other areas: expire, vanity, refund addresses, metadata)', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  const cases: [object, string][] = [
    [{ expire: 'soon' }, 'invalid_duration'],
    [{ expire: '4 minutes' }, 'invalid_duration'],
    [{ expire: '11 years' }, 'invalid_duration'],
    [{ refund_address: 'nano_1' }, 'invalid_account'],
    [{ refund_address: [SHOP, SHOP] }, 'invalid_account'],
    [{ refund_address: [SHOP, '@nobody'] }, 'username_not_found'],
    [{ refund_address: Array.from({ length: 11 }, (_, at) => new Signer(at).address) }, 'invalid_list'],
    [{ metadata: 'text' }, 'invalid_metadata'],
    [{ metadata: { text: 'x'.repeat(5_000) } }, 'invalid_metadata'],
    [{ metadata: { a: { b: { c: { d: { e: 1 } } } } } }, 'invalid_metadata'],
    [{ vanity: 'hello' }, 'invalid_vanity'],
    [{ vanity: '1hello' }, 'invalid_vanity'],
    [{ wallet_action: 'steal' }, 'invalid_request'],
    [{ list: true, receive: true }, 'invalid_request'],
    [{ send: SHOP, amount: '1' }, 'invalid_request'],
    [{ send: SHOP, account }, 'invalid_request'],
    [{ send: SHOP, account, amount: '0' }, 'invalid_amount'],
    [{ send: SHOP, account, amount: '-1' }, 'invalid_amount'],
    [{ send: 'nano_nobody', account, amount: '1' }, 'invalid_account'],
    [{ wallet_action: 'update_metadata', account }, 'invalid_request'],
  ]
  for (const [parameters, code] of cases) {
    const reply = await client.call(parameters)
    assert.deepEqual([reply.status, reply.json().code], [400, code], JSON.stringify(parameters))
  }
})

// Money went to whichever of them was read first.
test('400 two different destinations in one send; nothing leaves', async (t) => {
  const client = await openClient(t, { KNOWN_NAMES: JSON.stringify({ shop: SHOP }) })
  const account = await client.create()
  await client.deposit(account, '2')
  const send = { wallet_action: 'send', account, amount: '1' }
  const pairs: [object, string][] = [
    [{ send: SHOP, to: ALICE }, 'to'],
    [{ send: SHOP, destination: ALICE }, 'destination'],
    [{ to: SHOP, destination: ALICE }, 'destination'],
    [{ send: SHOP, address: ALICE }, 'address'],
    [{ to: SHOP, address: ALICE }, 'address'],
  ]
  for (const [destinations, field] of pairs) {
    const reply = await client.call({ ...send, ...destinations })
    assert.deepEqual([reply.status, reply.json().code, reply.json().field], [400, 'invalid_request', field])
  }
  assert.equal((await client.balanceOf(SHOP)).receivable, '0')
  await client.ask({ ...send, send: SHOP, to: '@shop', destination: SHOP, address: SHOP })
  assert.equal((await client.balanceOf(SHOP)).receivable, ONE_RAW)
})

test('400 a foreign wallet looks exactly like one that does not exist', async (t) => {
  const client = await openClient(t)
  const stranger = await openStranger(client)
  const account = await client.create({ refund_address: SHOP })
  await client.deposit(account, '1')
  const operations = [
    { balance: true },
    { receive: true },
    { send: SHOP, amount: '1' },
    { delete: true },
    { info: true },
    { wallet_action: 'update_metadata', metadata: {} },
  ]
  for (const operation of operations) {
    const foreign = await stranger.call({ account, ...operation })
    const missing = await stranger.call({ account: SHOP, ...operation })
    assert.equal(foreign.text, missing.text)
    assert.equal(foreign.status, 400)
  }
  assert.deepEqual(await stranger.ask({ list: true }), [])
  assert.equal((await client.balanceOf(account)).receivable, ONE_RAW)
})

test('401 without a key, 403 with a public one (contract 5, What needs a key: cloud_wallet)', async (t) => {
  const client = await openClient(t)
  const reply = await client.gateway.call('cloud_wallet', { list: true })
  assert.equal(reply.status, 401)
  assert.match(reply.json().error!, /API key required/)
  const origin = 'https://shop.example'
  const key = await issueTo(client.gateway, { kind: 'public', origins: [origin] })
  const refused = await client.gateway.call('cloud_wallet', { key, list: true }, { origin })
  assert.deepEqual([refused.status, refused.json().code], [403, 'feature_disabled'])
})

test('a send repeated with its idempotency key is one block, and another body is refused (contract 4.2, rules 12 and 15)', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  await client.deposit(account, '5')
  const headers = { 'idempotency-key': 'order-1' }
  const send = { send: SHOP, amount: '1', account }
  const first = await client.ask(send, headers)
  const again = await client.call(send, headers)
  assert.equal(again.json().hash, first.hash)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal((await client.call({ ...send, amount: '2' }, headers)).status, 409)
  // The stored answer is gone after a day, or a process died before it could keep one: the send itself remembers.
  await client.gateway.app.store.db.deleteFrom('idempotency').execute()
  assert.equal((await client.ask(send, headers)).hash, first.hash)
  await client.gateway.app.store.db.deleteFrom('idempotency').execute()
  const other = await client.call({ ...send, amount: '2' }, headers)
  assert.deepEqual([other.status, other.json().code], [409, 'idempotency_conflict'])
  assert.equal((await client.balanceOf(SHOP)).receivable, ONE_RAW)
})

test('many sends at once from one wallet all leave, one after another', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  await client.deposit(account, '10')
  const sends = Array.from({ length: 10 }, () => client.ask({ send: SHOP, amount: '1', account }))
  const hashes = (await Promise.all(sends)).map(({ hash }) => hash)
  assert.equal(new Set(hashes).size, 10)
  assert.equal((await client.balanceOf(SHOP)).receivable, (10n ** 31n).toString())
})

test('sends beyond the free ones cost a credit; a replayed one and a refused one cost nothing (contract 8, rule 9; 4.2, rule 13)', async (t) => {
  const client = await openClient(t, { FREE_SENDS_PER_MONTH: '2' })
  const account = await client.create()
  await client.deposit(account, '5')
  assert.equal((await client.call({ send: SHOP, amount: '9', account })).json().code, 'insufficient_funds')
  const headers = { 'idempotency-key': 'free' }
  for (const sent of [headers, headers, {}]) await client.ask({ send: SHOP, amount: '1', account }, sent)
  const broke = await client.call({ send: SHOP, amount: '1', account })
  assert.deepEqual([broke.status, broke.json().code], [403, 'insufficient_credits'])
  assert.equal((await client.balanceOf(SHOP)).receivable, `2${'0'.repeat(30)}`)
})

test('the treasury is funded once from the embedded ledger, receives by itself, and shows in the metrics (contract 4.1, rule 20)', async (t) => {
  const client = await openClient(t, { DEVNET_TREASURY_NANO: '1000' })
  const metrics = async () => (await fetch(`${client.gateway.url}/metrics`)).text()
  await until(async () => /^gateway_treasury_nano 1000$/m.test(await metrics()))
  assert.match(await metrics(), /^gateway_wallets\{status="active",frozen="false"\} 1$/m)
})

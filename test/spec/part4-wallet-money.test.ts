import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { frontierOf, give, nano } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { FaultyNode } from '../support/faulty-node.ts'
import { openGateway, sharedKeys } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { type Answer, type Client, SHOP, clientWith, openClient } from '../support/wallet-client.ts'

/* Contract 4.2: promises about the money, keys and failures of cloud wallets. */

const MINUTE = 60_000
const MONTH = 30 * 86_400_000
const RAW = (nano: string, zeros: number) => `${nano}${'0'.repeat(zeros)}`
const ONE_RAW = RAW('1', 30)

const refusalOf = async (client: Client, parameters: object, headers?: Record<string, string>) => {
  const { status, json } = await client.call(parameters, headers)
  return [status, json().code, json().error]
}

test('200 a send receives what waits when the balance does not suffice; 403 beyond all of it, and nothing leaves (contract 4.2, rules 7 and 16; 7, Texts and codes: wallet without enough)', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  for (const amount of ['1', '2', '3']) await client.deposit(account, amount)
  await client.ask({ send: SHOP, amount: '2.5', account })
  const { balance, receivable } = await client.balanceOf(account)
  assert.deepEqual([balance, receivable], [RAW('5', 29), RAW('3', 30)], 'the largest one was enough')
  const lacking = [403, 'insufficient_funds', 'The wallet does not have enough funds.']
  for (const amount of ['3.500000000000000000000000000001', '9']) {
    assert.deepEqual(await refusalOf(client, { send: SHOP, amount, account }), lacking)
  }
  assert.deepEqual(await refusalOf(client, { send: SHOP, amount: 'all', account: await client.create() }), lacking)
  assert.equal((await client.balanceOf(SHOP)).receivable, RAW('25', 29))
})

test('a send repeated with its idempotency key, in the header or the body, is one block for ever; another body is refused (contract 4.2, rules 12 and 15; 4.1, rule 28)', async (t) => {
  const client = await openClient(t)
  const account = await client.create()
  await client.deposit(account, '5')
  const headers = { 'idempotency-key': 'order-1' }
  const send = { send: SHOP, amount: '1', account }
  const first = await client.ask(send, headers)
  for (const again of [await client.call(send, headers), await client.call({ ...send, idempotency_key: 'order-1' })]) {
    assert.equal(again.json().hash, first.hash)
    assert.equal(again.headers['idempotent-replayed'], 'true')
  }
  const conflict = [409, 'idempotency_conflict', 'This Idempotency-Key was used with another request.']
  assert.deepEqual(await refusalOf(client, { ...send, amount: '2' }, headers), conflict)
  // Deletes the stored answer, as after a day or after a crash: the send itself must still be recognised.
  const forget = () => client.gateway.app.store.db.deleteFrom('idempotency').execute()
  await forget()
  assert.equal((await client.ask(send, headers)).hash, first.hash)
  await forget()
  assert.deepEqual(await refusalOf(client, { ...send, amount: '2' }, headers), conflict)
  assert.equal((await client.balanceOf(SHOP)).receivable, ONE_RAW)
  const removal = { wallet_action: 'create_wallet', idempotency_key: 'one' }
  assert.equal(await client.create(removal), await client.create(removal))
})

test('a thousand sends a month are free and have no fee; the next costs a credit, and a refused or repeated one nothing (contract 8, rules 9 and 10; 4.2, rule 13)', async (t) => {
  const gateway = await openGateway(t)
  const customer = await gateway.join()
  const client = clientWith(gateway, customer.key)
  const account = await client.create()
  await client.deposit(account, '5')
  const send = (headers?: Record<string, string>) => client.ask({ send: SHOP, amount: '1', account }, headers)
  await send()
  assert.equal((await client.balanceOf(account)).balance, RAW('4', 30), 'no fee')
  const { db } = gateway.app.store
  const uses = db.selectFrom('free_uses').selectAll().where('caller', '=', `acc:${customer.accountId}`)
  const [use] = await uses.execute()
  assert.deepEqual([use!.meter, use!.taken], ['wallet_send', 1])
  assert.ok(Math.abs(use!.ends_at - Date.now() - MONTH) < 10 * MINUTE)
  // As if 998 more had been made.
  await db.updateTable('free_uses').set({ taken: 999 }).execute()
  const [, tooMuch] = await refusalOf(client, { send: SHOP, amount: '9', account })
  assert.equal(tooMuch, 'insufficient_funds')
  const headers = { 'idempotency-key': 'free' }
  for (const sent of [headers, headers]) await send(sent)
  const [status, code, text] = await refusalOf(client, { send: SHOP, amount: '1', account })
  assert.deepEqual([status, code], [403, 'insufficient_credits'])
  assert.match(String(text), /buy_rpc/)
  assert.equal((await client.balanceOf(SHOP)).receivable, RAW('2', 30))
  await customer.grant(2)
  await send()
  const { credits } = (await gateway.call('rpc_credits', {}, customer.headers)).json<Answer>()
  assert.equal(credits, 1)
})

test('403 limits: a thousand wallets that have not ended, the largest send, and the sends of a day (contract 8, Other areas: wallets of an account; 7, Texts and codes: more wallets, or larger sends, than are allowed)', async (t) => {
  const client = await openClient(t, { WALLET_SEND_MAX_NANO: '2', WALLET_DAILY_MAX_NANO: '3' })
  const account = await client.create({ refund_address: SHOP })
  await client.create()
  const { db } = client.gateway.app.store
  const [row] = await db.selectFrom('wallets').selectAll().where('address', '=', account).execute()
  const more = Array.from({ length: 998 }, (_, at) => ({ ...row!, id: `wal_${at}`, address: `nano_${at}` }))
  for (let at = 0; at < more.length; at += 50) {
    const some = more.slice(at, at + 50)
    await db.insertInto('wallets').values(some).execute()
  }
  const full = [403, 'limit_reached', 'An account can have up to 1000 wallets.']
  assert.deepEqual(await refusalOf(client, {}), full)
  await client.deposit(account, '10')
  const tooLarge = [403, 'limit_reached', 'A send can be at most 2 nano.']
  assert.deepEqual(await refusalOf(client, { send: SHOP, amount: '2.5', account }), tooLarge)
  assert.deepEqual(await refusalOf(client, { send: SHOP, amount: 'all', account }), tooLarge)
  await client.ask({ send: SHOP, amount: '2', account })
  const tooMany = [403, 'limit_reached', 'An account can send at most 3 nano in 24 hours.']
  assert.deepEqual(await refusalOf(client, { send: SHOP, amount: '2', account }), tooMany)
  await client.ask({ send: SHOP, amount: '1', account })
  await client.ask({ delete: true, account })
  await client.gateway.confirmed()
  await until(async () => (await client.call({})).status === 200)
  assert.deepEqual(await refusalOf(client, {}), full)
})

/** Wallets with a node that can misbehave; its ledger is sound. */
async function openBehindNode(t: TestContext) {
  const ledger = await openDevnet(t)
  const upstream = await FaultyNode.start(t, { ledger })
  const nodes = { NODE_URLS: upstream.url, NODE_WS_URLS: ledger.wsUrl, NODE_NETWORK: 'dev', ...sharedKeys() }
  const gateway = await openGateway(t, nodes)
  const client = clientWith(gateway, gateway.app.createdKey!)
  const account = await client.create()
  await give(ledger.node, fromAddress(account)!, parseNano('5')!)
  await client.ask({ receive: true, account })
  return { ledger, upstream, nodes, client, account }
}

test('502 with the hash when no node has answered: the same bytes go out by themselves, also after a restart, and the key leads to them (contract 4.2, rules 9, 10, 14 and 15)', async (t) => {
  const { ledger, upstream, nodes, client, account } = await openBehindNode(t)
  const before = frontierOf(ledger.node, fromAddress(account)!)
  upstream.forgetHits()
  await upstream.behave('request lost', { actions: ['process'] })
  const headers = { 'idempotency-key': 'order-1' }
  const send = { send: SHOP, amount: '1', account }
  const lost = await client.call(send, headers)
  assert.deepEqual([lost.status, lost.json().code], [502, 'publish_unknown'])
  const { hash } = lost.json()
  assert.match(hash!, /^[0-9A-F]{64}$/)
  // The frontier and the balance came from one answer.
  assert.deepEqual([upstream.hits('account_info'), upstream.hits('accounts_frontiers')], [1, 0])
  const bodies = () => upstream.bodies('process').map((body) => (JSON.parse(body) as { block: Answer }).block)
  const [signed] = bodies()
  assert.deepEqual([signed!.previous, signed!.balance], [before.previous, String(before.balance - nano(1))])
  // One block is open, so another send waits for it and times out.
  assert.deepEqual((await refusalOf(client, { ...send, amount: '2' })).slice(0, 2), [503, 'wallet_busy'])
  await client.gateway.app.close()
  assert.equal(ledger.node.ledger.receivableSum(fromAddress(SHOP)!, false), 0n)

  await upstream.behave('none')
  const database = `sqlite:${join(client.gateway.folder, 'gateway.db')}`
  const second = clientWith(await openGateway(t, { ...nodes, DATABASE_URL: database }), client.key)
  await until(async () => (await second.balanceOf(SHOP)).receivable === ONE_RAW)
  for (const block of bodies()) assert.deepEqual(block, signed)
  assert.ok(bodies().length > 1)
  assert.equal((await second.ask(send, headers)).hash, hash)
  assert.equal((await second.balanceOf(SHOP)).receivable, ONE_RAW)
})

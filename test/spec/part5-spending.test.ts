import { OPERATOR, actorOf } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseNano } from '../../src/kernel/money.ts'
import { issueKey } from '../../src/modules/accounts/index.ts'
import { TestClock } from '../support/clock.ts'
import { type Reply, openGateway } from '../support/gateway.ts'
import { ALICE, BOB, clientWith } from '../support/wallet-client.ts'
import { assertRefusal } from './refusal.ts'

/* Contract 5, rule 26: the daily spending limit of a key. */

const DAY = 86_400_000

async function openShop(t: TestContext) {
  const clock = new TestClock()
  const gateway = await openGateway(t, {}, clock)
  const { accountId, key } = await gateway.join()
  const make = async (nano: string, maker?: string) => {
    const wanted = { spendDaily: parseNano(nano)! }
    const named = { accountId, kind: 'secret', name: 'test', actor: OPERATOR } as const
    const made = await issueKey(gateway.ctx, {
      ...named,
      wanted,
      ...(maker !== undefined && { actor: actorOf.key(maker) }),
    })
    return { key: made.text, id: made.key.id }
  }
  const wallet = (key: string, fields: object, headers?: Record<string, string>) =>
    gateway.call('cloud_wallet', { key, ...fields }, headers)
  const client = clientWith(gateway, key)
  const create = async (nano: string, fields: object = {}) => {
    const account = await client.create(fields)
    await client.deposit(account, nano)
    await client.ask({ account, receive: true })
    await gateway.confirmed()
    return account
  }
  const email = (key: string, amount: string) =>
    gateway.call('nano_email', { key, refund_address: ALICE, amount, emails: ['carol@example.com'] })
  return { ...gateway, clock, key, make, wallet, create, email }
}

function assertOver(reply: Reply, { clock }: { clock: TestClock }, limit: string, spent: string): void {
  assertRefusal(reply, 403, new RegExp(`can spend ${limit} nano a day`), 'spending_limit')
  const { code: _code, error: _error, message: _message, ...told } = reply.json<Record<string, unknown>>()
  const resets = (Math.floor(clock.now() / DAY) + 1) * (DAY / 1000)
  assert.deepEqual(told, { limit, spent, resets_unix: resets })
}

test('a key sends no more on a day than it may; what failed is given back, and a new day begins at midnight in UTC (contract 5, rule 26; 7, Texts and codes: more than a key may spend on a day, a key without the scope of what it asks for)', async (t) => {
  const shop = await openShop(t)
  const account = await shop.create('20')
  const { key } = await shop.make('5')
  const send = (amount: string, headers?: Record<string, string>, by = key) =>
    shop.wallet(by, { account, send: BOB, amount }, headers)
  assert.equal((await send('3')).status, 200)
  assertOver(await send('2.000000000000000000000000000001'), shop, '5', '3')
  // With the same idempotency key it is the same send.
  const once = { 'idempotency-key': 'order-1' }
  const first = (await send('1', once)).json().hash
  assert.deepEqual((await send('1', once)).json<unknown>(), { hash: first })
  assertOver(await send('1.5'), shop, '5', '4')
  // `all` counts as an amount too.
  assertOver(await send('all'), shop, '5', '4')
  // A send that failed does not count.
  const poor = await shop.create('0.1')
  const short = await shop.wallet(key, { account: poor, send: BOB, amount: '1' })
  assertRefusal(short, 403, /./, 'insufficient_funds')
  assert.equal((await send('1')).status, 200)
  assertOver(await send('0.1'), shop, '5', '5')
  // Other keys are not affected.
  assert.equal((await send('1', {}, shop.key)).status, 200)
  shop.clock.advance(DAY - (shop.clock.now() % DAY))
  assert.equal((await send('5')).status, 200)
  assertOver(await send('0.1'), shop, '5', '5')
  await shop.confirmed()
})

test('keys that a limited key made, and its successor, spend from one purse (contract 5, rules 24 and 26)', async (t) => {
  const shop = await openShop(t)
  const account = await shop.create('20')
  const parent = await shop.make('5')
  const child = await shop.make('4', parent.id)
  const other = await shop.make('4', parent.id)
  const send = (key: string, amount: string) => shop.wallet(key, { account, send: BOB, amount })
  assert.equal((await send(child.key, '3')).status, 200)
  assertOver(await send(child.key, '1.5'), shop, '4', '3')
  assert.equal((await send(other.key, '1')).status, 200)
  assertOver(await send(other.key, '2'), shop, '5', '4')
  assertOver(await send(parent.key, '2'), shop, '5', '4')
  const next = (await shop.rest('POST', `/api/keys/${parent.id}/rotate`, parent.key)).json().key!
  assertOver(await send(next, '2'), shop, '5', '4')
  assert.equal((await send(next, '1')).status, 200)
  await shop.confirmed()
})

test('a payment by e-mail counts when it is made, once, and is given back when nobody pays it; a send for it that is refused leaves it counted (contract 5, rule 26)', async (t) => {
  const shop = await openShop(t)
  const account = await shop.create('20')
  const { key } = await shop.make('5')
  const made = await shop.email(key, '3')
  assert.equal(made.status, 200, made.text)
  assertOver(await shop.email(key, '3'), shop, '5', '3')
  const { address, id } = made.json()
  // The send that pays it takes over its reservation.
  assert.equal((await shop.wallet(key, { account, send: address, amount: '3' })).status, 200)
  assert.equal((await shop.email(key, '2')).status, 200)
  assertOver(await shop.wallet(key, { account, send: address, amount: '0.1' }), shop, '5', '5')
  const { payments } = (await shop.rest('GET', '/api/emails', key)).json<{ payments: { id: string }[] }>()
  const unpaid = payments.find((payment) => payment.id !== id)!
  await shop.rest('DELETE', `/api/emails/${unpaid.id}`, key)
  assert.equal((await shop.wallet(key, { account, send: BOB, amount: '2' })).status, 200)
  assertOver(await shop.wallet(key, { account, send: BOB, amount: '0.1' }), shop, '5', '5')

  const poor = await shop.create('0.1')
  const { key: other } = await shop.make('5')
  const { address: waiting } = (await shop.email(other, '5')).json()
  const refused = await shop.wallet(other, { account: poor, send: waiting, amount: '5' })
  assertRefusal(refused, 403, /./, 'insufficient_funds')
  assertOver(await shop.email(other, '5'), shop, '5', '5')
  assert.equal((await shop.wallet(other, { account, send: waiting, amount: '5' })).status, 200)
  assertOver(await shop.email(other, '1'), shop, '5', '5')
  await shop.confirmed()
})

test('a wallet that is ended counts with what it holds, so that its refund address is no way around (contract 5, rule 26)', async (t) => {
  const shop = await openShop(t)
  const rich = await shop.create('6', { refund_address: BOB })
  const small = await shop.create('2', { refund_address: BOB })
  const { key } = await shop.make('5')
  assertOver(await shop.wallet(key, { account: rich, delete: true }), shop, '5', '0')
  assertOver(await shop.wallet(key, { account: rich, expire: true }), shop, '5', '0')
  assert.deepEqual((await shop.wallet(key, { account: small, delete: true })).json<unknown>(), { deleted: true })
  assertOver(await shop.wallet(key, { account: rich, send: BOB, amount: '4' }), shop, '5', '2')
  await shop.confirmed()
})

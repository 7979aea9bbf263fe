import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listCapturedMail } from '../../src/infra/mail/captured.ts'
import { Signer } from '../support/blocks.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

/* An account's payout address: set once, and used wherever no address is given. */

const [first, second] = [new Signer(61).address, new Signer(62).address]

async function open(t: Parameters<typeof openGateway>[0]) {
  const gateway = await openGateway(t)
  const { key, accountId } = await gateway.join({ email: 'owner@example.com' })
  const send = (method: string, path: string, body?: object) => gateway.rest(method, path, key, body)
  const payout = (body: object) => send('PUT', '/api/account/payout', body)
  const paidAt = async (fields: object = {}) => {
    const reply = await gateway.call('checkout', { amount: '1', ...fields }, { key })
    return reply.json<{ address?: string; id?: string; error?: string; field?: string }>()
  }
  return { gateway, key, accountId, send, payout, paidAt }
}

test('a merchant without a payout address gets an error at the field that says where to set one (extensions 6)', async (t) => {
  const { gateway, send, paidAt } = await open(t)
  const refusals = [
    await paidAt(),
    (await send('POST', '/api/links', { amount: '1' })).json(),
    (await send('POST', '/api/pos', { title: 'Counter' })).json(),
  ]
  for (const { field, error } of refusals) {
    assert.equal(field, 'address')
    assert.match(error!, /^address is required, until you say at http\S+\/dashboard\/payout where your money goes\.$/)
  }
  // Without a key there is no account and no payout address.
  const nobody = (await gateway.call('checkout', { amount: '1' })).json()
  assert.deepEqual([nobody.field, nobody.error], ['address', 'The field address is required.'])
  assert.deepEqual((await send('GET', '/api/account/payout')).json(), { address: null })
  const limited = await send('POST', '/api/keys', { name: 'Shop', spend_daily_nano: '1' })
  const refused = await gateway.rest('PUT', '/api/account/payout', limited.json().key, { address: first })
  assert.deepEqual([refused.status, refused.json().code], [403, 'missing_scope'])
})

test('buyers of links, tills and checkouts without an address pay to the payout address; open ones keep theirs, new ones follow a change', async (t) => {
  const { gateway, accountId, send, payout, paidAt } = await open(t)
  assert.deepEqual((await payout({ address: first })).json(), { address: first })
  const before = await paidAt()
  assert.equal(before.address, first)
  const link = (await send('POST', '/api/links', { amount: '1', slug: 'blue-mug' })).json()
  const pos = (await send('POST', '/api/pos', { title: 'Counter' })).json()
  assert.deepEqual([link.address, pos.address], [null, null])

  assert.equal((await payout({ address: second })).status, 200)
  const orders = async () => {
    const { checkouts } = (await send('GET', '/api/checkouts')).json<{ checkouts: Record<string, string>[] }>()
    return checkouts.map(({ address }) => address)
  }
  assert.deepEqual(await orders(), [first], 'an open checkout is still paid where it says')
  const bought = await ask(`${gateway.url}/buy/blue-mug`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: gateway.url },
    body: '',
  })
  assert.ok(bought.status < 400, bought.text)
  const sold = await ask(`${gateway.url}/pos/${pos.id}/sales`, {
    headers: { 'pos-token': pos.link!.split('#')[1]!, accept: 'application/json' },
    body: JSON.stringify({ key: 'tap-0123456789abcdef', amount: '2', total: '2' }),
  })
  assert.ok(sold.status < 300, sold.text)
  assert.deepEqual((await orders()).toSorted(), [first, second, second].toSorted())
  // An address for a single order cannot be the payout address.
  assert.equal((await paidAt({ mode: 'unique_address' })).field, 'address')

  const { db } = gateway.ctx
  await until(async () => (await listCapturedMail(db, 10)).length >= 1)
  const activities = await db
    .selectFrom('audit_entries')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('at')
    .execute()
  const changes = activities
    .filter(({ what }) => what === 'payout.changed')
    .map(({ detail }) => JSON.parse(detail) as object)
  assert.deepEqual(changes, [
    { before: null, address: first },
    { before: first, address: second },
  ])
})

test('a wallet made for a merchant cannot be deleted while it is the payout address, and one that expires is refused', async (t) => {
  const { gateway, key, payout, paidAt } = await open(t)
  const { address } = (await payout({ wallet: true })).json()
  assert.equal((await paidAt()).address, address)
  const gone = (await gateway.call('cloud_wallet', { account: address, delete: true }, { key })).json()
  assert.equal(gone.code, 'wallet_not_empty')
  const passing = (await gateway.call('cloud_wallet', { expire: '30 days' }, { key })).json().address
  for (const wrong of [passing, 'nano_1', '', `nano_${'1'.repeat(52)}hifc8npp`]) {
    const refused = await payout({ address: wrong })
    assert.deepEqual([refused.status, refused.json().field], [400, 'address'], wrong)
  }
  assert.equal((await paidAt()).address, address, 'a refused change changes nothing')
})

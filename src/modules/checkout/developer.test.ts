import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Gateway, ask, openGateway } from '../../../test/support/gateway.ts'
import { Signer } from '../../../test/support/blocks.ts'
import { until } from '../../../test/support/until.ts'

/* On the development ledger, a developer can act as payer, merchant and network. */

const { address } = new Signer(71)
const form = { 'content-type': 'application/x-www-form-urlencoded' }

async function open(gateway: Gateway, fields: object = {}) {
  return (await gateway.call('checkout', { address, amount: '1', ...fields })).json()
}

const check = async ({ url }: Gateway, id: string) => (await ask(`${url}/check/${id}`, { method: 'GET' })).json()

const play = (gateway: Gateway, path: string, fields: object = {}) =>
  ask(`${gateway.url}/developer${path}`, { body: JSON.stringify(fields) })

async function untilShown(gateway: Gateway, id: string, shown: Record<string, string>): Promise<void> {
  await until(async () => {
    const now = await check(gateway, id)
    return Object.entries(shown).every(([name, value]) => now[name] === value)
  })
}

test('every state of a checkout can be reached over HTTP within a minute', async (t) => {
  const gateway = await openGateway(t)
  const paid = await open(gateway)
  const { amount } = (await play(gateway, `/checkouts/${paid.id}/pay`)).json()
  assert.equal(amount, paid.amount)
  await untilShown(gateway, paid.id!, { status: 'complete' })

  const fresh = new Signer(72).address
  const part = await open(gateway, { address: fresh, mode: 'unique_address' })
  await play(gateway, `/checkouts/${part.id}/pay`, { way: 'partly' })
  await untilShown(gateway, part.id!, { status: 'partial' })
  await play(gateway, `/checkouts/${part.id}/pay`, { way: 'exactly' })
  await untilShown(gateway, part.id!, { status: 'complete', additional_status: 'none' })

  const late = await open(gateway)
  await play(gateway, `/checkouts/${late.id}/pay`, { way: 'late' })
  await untilShown(gateway, late.id!, { status: 'expired', additional_status: 'paid_late' })

  const ended = await open(gateway)
  await play(gateway, `/checkouts/${ended.id}/expire`)
  await untilShown(gateway, ended.id!, { status: 'expired', additional_status: 'none' })

  const given = await open(gateway)
  assert.equal((await play(gateway, `/checkouts/${given.id}/cancel`)).status, 200)
  await untilShown(gateway, given.id!, { status: 'cancelled' })
})

test('a block that is held is seen, and completes the checkout when it is confirmed', async (t) => {
  const gateway = await openGateway(t)
  const plans = ['A', 'B'].map((title, at) => ({ title, value: `${at + 1}` }))
  const { id } = await open(gateway, { plans, amount: null })
  assert.equal((await play(gateway, '/hold')).json<{ holds: boolean }>().holds, true)
  const { hash } = (await play(gateway, `/checkouts/${id}/pay`, { plan: '1' })).json()
  await untilShown(gateway, id!, { status: 'detected' })
  const state = await ask(`${gateway.url}/developer`, { method: 'GET' })
  const waiting = state.json<{ waiting: { hash: string }[] }>().waiting.map((block) => block.hash)
  assert.deepEqual(waiting, [hash])
  await play(gateway, '/confirm', { hash })
  await untilShown(gateway, id!, { status: 'complete' })
  const { plan } = (await ask(`${gateway.url}/check/${id}`, { method: 'GET' })).json<{ plan: { title: string } }>()
  assert.equal(plan.title, 'B')
  assert.equal((await play(gateway, '/confirm')).json<{ holds: boolean }>().holds, false)
})

test('any address can be funded, wrong words name their field, and 403 pages of other origins cannot play', async (t) => {
  const gateway = await openGateway(t)
  const funded = await play(gateway, '/fund', { address, amount: '2.5' })
  assert.equal(funded.status, 200)
  await gateway.confirmed()
  const { receivable_nano: waiting } = (await gateway.call('account_balance', { account: address })).json()
  assert.equal(waiting, '2.5')
  const { id } = await open(gateway)
  const wrong = [
    ['/fund', { address: 'nano_1', amount: '1' }, 400, 'address'],
    ['/fund', { address, amount: '-1' }, 400, 'amount'],
    ['/fund', { address, amount: '340282366.9' }, 400, undefined],
    [`/checkouts/${id}/pay`, { way: 'never' }, 400, 'way'],
    [`/checkouts/${id}/pay`, { plan: '3' }, 400, 'plan'],
    ['/checkouts/0123456789abcdef/pay', {}, 404, undefined],
    ['/confirm', { hash: 'F'.repeat(64) }, 400, undefined],
    ['/confirm', { hash: 'F' }, 400, 'hash'],
  ] as const
  for (const [path, fields, status, field] of wrong) {
    const reply = await play(gateway, path, fields)
    assert.deepEqual([reply.status, reply.json().field], [status, field], `${path} ${JSON.stringify(fields)}`)
  }
  const foreign = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, { origin: 'null' }]
  for (const from of foreign) {
    const headers = { ...form, ...from }
    const reply = await ask(`${gateway.url}/developer/checkouts/${id}/pay`, { headers, body: '' })
    assert.equal(reply.status, 403, JSON.stringify(from))
  }
  assert.equal((await check(gateway, id!)).status, 'pending')
})

test('a form goes back to its page, and nowhere else', async (t) => {
  const gateway = await openGateway(t)
  const { id } = await open(gateway)
  const send = (back: string) =>
    ask(`${gateway.url}/developer/checkouts/${id}/pay`, {
      headers: { ...form, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams({ way: 'partly', return: back }).toString(),
    })
  const { status, headers } = await send(`/pay/${id}?plan=1`)
  assert.deepEqual([status, headers.location], [303, `/pay/${id}?plan=1`])
  const foreign = ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/a\r\nb']
  for (const elsewhere of foreign) {
    const reply = await send(elsewhere)
    assert.deepEqual([reply.status, reply.headers.location], [200, undefined], elsewhere)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { pay } from './browser.ts'
import { openDashboard, shopAddress } from './dashboard-steps.ts'

interface Shown {
  checkout: { status: string; note: string | null; created_unix: number; expires_unix: number; block_hash: string }
}

test('the form for one checkout says how long it can be paid and has a note; a wrong time keeps what was sent, and the focus', async (t) => {
  const { join, enter, send, rest } = await openDashboard(t)
  const { key } = await join(null)
  const cookie = await enter(key)
  const make = (fields: Record<string, string>) =>
    send(
      '/dashboard/checkouts/new',
      '/dashboard/checkouts',
      { title: 'Mug', amount: '1', currency: 'NANO', mode: 'unique_amount', address: shopAddress, ...fields },
      cookie,
    )
  const wrong = await make({ expire: 'soon', note: 'For Bob' })
  assert.equal(wrong.status, 400)
  const field = /<select[^>]*id="f-expire"[^]*?<\/select>/.exec(wrong.text)![0]
  assert.match(field, /autofocus/)
  assert.match(field, /value="soon" selected/)
  assert.match(wrong.text, /<textarea[^>]*id="f-note"[^>]*>\nFor Bob</)
  const made = await make({ expire: '2 hours', note: 'For Bob' })
  assert.equal(made.status, 303, made.text.slice(0, 300))
  const id = /checkouts\/([0-9a-f]{16})/.exec(made.headers.location!)![1]!
  const { checkout } = await rest<Shown>('GET', `/api/checkouts/${id}`, key)
  assert.deepEqual([checkout.note, checkout.expires_unix - checkout.created_unix], ['For Bob', 7_200])
})

test('a payment that fits nothing is chosen from a list, which has those of the account alone', async (t) => {
  const { join, enter, get, send, rest, gateway } = await openDashboard(t)
  const { key } = await join(null)
  const other = await enter((await join(null)).key)
  const cookie = await enter(key)
  const { id } = await rest<{ id: string }>('POST', '/api/checkouts', key, { address: shopAddress, amount: '1' })
  const page = `/dashboard/checkouts/${id}`
  assert.match((await get(page, cookie)).text, /There are no/)
  await pay(gateway, shopAddress, 7n * 10n ** 30n)
  type Unmatched = { payments: { block_hash: string }[] }
  const look = () => rest<Unmatched>('GET', '/api/checkouts/unmatched', key)
  await until(async () => (await look()).payments.length === 1)
  const hash = (await look()).payments[0]!.block_hash
  assert.match((await get(page, cookie)).text, new RegExp(`<option value="${hash}"[^>]*>7 nano, `))
  assert.ok(!(await get('/dashboard/checkouts', other)).text.includes(hash))
  assert.equal((await send(page, `${page}/mark`, { block_hash: hash }, cookie)).status, 303)
  const { checkout } = await rest<Shown>('GET', `/api/checkouts/${id}`, key)
  assert.deepEqual([checkout.status, checkout.block_hash], ['complete', hash])
})

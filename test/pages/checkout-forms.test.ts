import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/until.ts'
import { openBrowser, openTab, pay, signIn } from './browser.ts'
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

test('metadata was a box of JSON; its rows keep what is not text as it was, and refuse what would be lost', async (t) => {
  const { join, enter, get, send, rest, gateway, url } = await openDashboard(t)
  const { key } = await join(null)
  const cookie = await enter(key)
  const metadata = {
    ...{
      order: 'A-17',
      pieces: 17,
      gift: true,
      none: null,
      empty: '',
      ' spaced': 'two\nlines',
      size: { cm: [1, 2.5] },
    },
  }
  const asked = { address: shopAddress, amount: '1', metadata }
  const { id } = await rest<{ id: string }>('POST', '/api/checkouts', key, asked)
  const stored = async () =>
    (await rest<{ checkout: { metadata: object } }>('GET', `/api/checkouts/${id}`, key)).checkout.metadata
  const { page } = await openTab(t, await openBrowser(), gateway)
  await signIn(page, url, cookie)
  const edit = async (change: () => Promise<unknown>) => {
    await page.goto(`${url}/dashboard/checkouts/${id}/edit`)
    await change()
    await page.click('main .save button')
    await page.waitForURL(/done=changed/)
    return stored()
  }
  const cell = (at: number, column: string) => `[name="metadata[${at}].${column}"]`
  assert.deepEqual(await edit(() => page.fill('#f-note', 'For Bob')), metadata)
  const { order: _first, gift: _wrapped, ...others } = metadata
  const removed = () => page.getByLabel('Remove entry 1', { exact: true }).click()
  assert.deepEqual(await edit(removed), { gift: true, ...others }, 'those below move up, with what they are')
  const changed = await edit(async () => {
    await page.fill(cell(0, 'value'), '18')
    await page.fill(cell(1, 'value'), 'wrapped')
    await page.fill(cell(6, 'name'), 'customer')
    await page.fill(cell(6, 'value'), '007')
  })
  assert.deepEqual(changed, { ...others, pieces: 18, gift: 'wrapped', customer: '007' })

  const form = `/dashboard/checkouts/${id}/edit`
  const wrong = {
    ...{ 'metadata[0].name': 'order', 'metadata[0].value': '1', 'metadata[1].name': 'order', 'metadata[1].value': '2' },
    ...{ 'metadata[2].value': '3', 'metadata[3].name': 'size', 'metadata[3].value': '{"cm": 1', notify: 'me' },
    'metadata[3].was': JSON.stringify(['size', { cm: 2 }]),
  }
  const refused = await send(form, form, wrong, cookie)
  const beside = [...refused.text.matchAll(/class="error" id="(.+?)-error">(.+?)</g)].map(([, , text]) => text)
  assert.deepEqual(beside, [
    'Email me when paid must be an email address.',
    'Name 2 is used twice.',
    'Name 3 is required',
    'Value 4 is not valid JSON.',
  ])
  assert.match(refused.text, /name="metadata\[3\]\.value"[^>]*value="\{&quot;cm&quot;: 1"/)
  assert.deepEqual(await stored(), changed)

  const made = { 'metadata[0].name': 'shop', 'metadata[0].value': 'berlin', 'metadata[2].name': 'later' }
  const link = { for: 'product', title: 'Mug', currency: 'NANO', amount: '1', slug: 'mug', address: shopAddress }
  assert.equal((await send('/dashboard/links/new', '/dashboard/links', { ...link, ...made }, cookie)).status, 303)
  const { links } = await rest<{ links: { metadata: object }[] }>('GET', '/api/links', key)
  assert.deepEqual(links[0]!.metadata, { shop: 'berlin', later: '' })
  const payment = { title: 'Mug', amount: '1', currency: 'NANO', mode: 'unique_amount', address: shopAddress, ...made }
  const { headers } = await send('/dashboard/checkouts/new', '/dashboard/checkouts', payment, cookie)
  assert.match((await get(headers.location!, cookie)).text, /&quot;later&quot;: &quot;&quot;/)
})

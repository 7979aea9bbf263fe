import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listKeys } from '../../src/modules/accounts/index.ts'
import { findCheckout } from '../../src/modules/checkout/index.ts'
import { until } from '../support/until.ts'
import { pay } from './browser.ts'
import { openDashboard, shopAddress, tokensOf } from './dashboard-steps.ts'

/* Forms of the dashboard: sent once, with errors next to their fields, for the account that sent them. */

test('a form that is sent twice, even at once, makes one thing; a changed one makes another', async (t) => {
  const { get, post, enter, join, ctx } = await openDashboard(t)
  const owner = await join('owner@example.com')
  const cookie = await enter(owner.key)
  const tokens = tokensOf((await get('/dashboard/checkouts/new', cookie)).text)
  const fields = { title: 'Once', amount: '1', address: shopAddress, currency: 'NANO', mode: 'unique_amount' }
  const make = (changed: object = {}) => post('/dashboard/checkouts', { ...tokens, ...fields, ...changed }, { cookie })
  const replies = await Promise.all([make(), make(), make()])
  const places = new Set(replies.map(({ status, headers }) => `${status} ${headers.location}`))
  assert.equal(places.size, 1)
  assert.match([...places][0]!, /^303 \/dashboard\/checkouts\/[0-9a-f]{16}\?done=made$/)
  assert.equal((await make({ title: 'Twice' })).status, 303)
  const rows = await ctx.db.selectFrom('checkouts').select('title').orderBy('title').execute()
  assert.deepEqual(rows, [{ title: 'Once' }, { title: 'Twice' }])

  const keyForm = { ...tokensOf((await get('/dashboard/keys', cookie)).text), name: 'Till', kind: 'secret' }
  const shown = [await post('/dashboard/keys', keyForm, { cookie }), await post('/dashboard/keys', keyForm, { cookie })]
  const texts = shown.map(({ text }) => /rpc_sk_\w{38}/.exec(text)?.[0])
  assert.ok(texts[0] !== undefined && texts[0] === texts[1], 'a reloaded page shows the same key')
  assert.equal((await listKeys(ctx.db, owner.accountId, 10)).length, 2)
  assert.doesNotMatch((await get('/dashboard/keys', cookie)).text, /rpc_sk_\w{20}/)
})

test('errors of a form are beside their fields, and the input is kept', async (t) => {
  const { send, enter, join } = await openDashboard(t)
  const cookie = await enter((await join('owner@example.com')).key)
  const evil = '"><script>alert(1)</script>'
  const priced = { amount: '1', address: shopAddress }
  const wrong: [string, string, Record<string, string>, string][] = [
    ['/checkouts/new', '/checkouts', { title: evil, amount: '-1', address: shopAddress }, 'amount'],
    ['/checkouts/new', '/checkouts', { amount: '1', address: 'nano_wrong' }, 'address'],
    ['/checkouts/new', '/checkouts', { ...priced, 'metadata[1].value': 'A-17' }, 'metadata[1].name'],
    ['/checkouts/new', '/checkouts', { 'plans[0].title': 'One month', address: shopAddress }, 'plans[0].value'],
    ['/checkouts/new', '/checkouts', { ...priced, 'invoice.lines[0].price': '1' }, 'invoice.lines[0].title'],
    ['/checkouts/new', '/checkouts', { ...priced, 'buyer.email': 'nobody' }, 'buyer.email'],
    ['/checkouts/new', '/checkouts', { ...priced, success_url: 'javascript:alert(1)' }, 'success_url'],
    ['/emails', '/emails', { amount: '1', refund_address: shopAddress, emails: 'a@example.com nobody' }, 'emails'],
    ['/names', '/names', { name: 'not a name' }, 'name'],
    ['/names', '/names', { name: 'admin' }, 'name'],
    ['/keys', '/keys', { name: '', kind: 'secret' }, 'name'],
    ['/keys', '/keys', { name: evil, kind: 'public', origins: 'shop' }, 'origins'],
    ['/wallets', '/wallets', { refund_address: 'nano_wrong', lifetime: '30' }, 'refund_address'],
    ['/webhooks', '/webhooks/ping', { url: 'ftp://shop.example/' }, 'url'],
    ['/developer', '/developer/pay', { id: 'f'.repeat(16), way: 'exactly' }, 'id'],
    ['/developer', '/developer/fund', { address: shopAddress, amount: '0' }, 'amount'],
  ]
  for (const [from, path, fields, field] of wrong) {
    const reply = await send(`/dashboard${from}`, `/dashboard${path}`, fields, cookie)
    const name = `${path} ${JSON.stringify(fields)}`
    assert.ok(reply.status >= 400 && reply.status < 500, `${name}: ${reply.status}`)
    const called = field.replaceAll(/[[\].]/g, String.raw`\$&`)
    assert.match(reply.text, new RegExp(`id="${called}-error"`), name)
    assert.match(reply.text, new RegExp(`id="f-${called}"[^>]*aria-invalid="true"`), name)
    assert.ok(!reply.text.includes('<script>alert'), name)
  }
})

test('a payment named one mistake at a time, and refused 12,50', async (t) => {
  const { send, enter, join, rest } = await openDashboard(t)
  const { key } = await join('owner@example.com')
  const cookie = await enter(key)
  const make = (fields: Record<string, string>) =>
    send(
      '/dashboard/checkouts/new',
      '/dashboard/checkouts',
      { address: shopAddress, currency: 'EUR', ...fields },
      cookie,
    )
  const lines = { 'invoice.lines[0].title': 'Lamp', 'invoice.lines[0].quantity': '2', 'invoice.lines[0].price': '5,00' }
  const tax = { 'invoice.tax[0].title': 'VAT', 'invoice.tax[0].percent': '25,0 %' }
  const wrong = await make({
    amount: '1,250',
    image: 'logo',
    ...lines,
    ...tax,
    'invoice.tax[0].percent': '250',
    notify: 'me',
  })
  assert.equal(wrong.status, 400)
  const beside = [...wrong.text.matchAll(/class="error" id="(.+?)-error">/g)].map(([, field]) => field)
  assert.deepEqual(beside, ['amount', 'image', 'invoice.tax[0].percent', 'notify'])
  const ways = /role="alert">(.*?)<\/p>/.exec(wrong.text)![1]!.replaceAll(/<[^>]+>/g, '')
  assert.equal(ways, 'Nothing was saved. Please correct: Price, Picture, Invoice, Email me when paid')
  assert.match(wrong.text, /name="invoice.lines\[0\].price"[^>]*value="5,00"/, 'nothing typed is lost')

  const made = await make({ amount: '12,50', ...lines, ...tax, 'buyer.name': 'Anna Berg' })
  assert.equal(made.status, 303, made.text.slice(0, 300))
  const [id] = /[0-9a-f]{16}/.exec(made.headers.location!)!
  const { checkout } = await rest<{ checkout: { price: string; invoice: { tax: object[] } } }>(
    'GET',
    `/api/checkouts/${id}`,
    key,
  )
  assert.equal(Number(checkout.price), 12.5)
  assert.deepEqual(checkout.invoice.tax, [{ title: 'VAT', amount: '2.50' }])
})

test('credits and a username are bought on the payment page, for the account that asked, which is shown the way to the page of its name', async (t) => {
  const { get, send, enter, join, ctx, gateway } = await openDashboard(t)
  const owner = await join('owner@example.com')
  const cookie = await enter(owner.key)
  const bought = [
    await send('/dashboard/credits', '/dashboard/credits/buy', {}, cookie),
    await send('/dashboard/names', '/dashboard/names', { name: 'TeaShop' }, cookie),
  ]
  for (const { status, headers } of bought) {
    assert.equal(status, 303)
    assert.match(headers.location!, /^\/pay\/[0-9a-f]{16}$/)
    assert.equal((await get(headers.location!)).status, 200)
  }
  const orders = ctx.db.selectFrom('service_orders').select(['kind', 'account_id', 'subject']).orderBy('kind')
  assert.deepEqual(await orders.execute(), [
    { kind: 'credits', account_id: owner.accountId, subject: owner.accountId },
    { kind: 'name', account_id: owner.accountId, subject: 'teashop' },
  ])
  const id = bought[1]!.headers.location!.slice('/pay/'.length)
  const { address, plans } = (await findCheckout(ctx.db, id))!
  await pay(gateway, address, plans[0]!.amountRaw!)
  const back = async (as: string) => (await get(`/dashboard/names?bought=${id}`, as)).text
  await until(async () => (await back(cookie)).includes('Paid: @TeaShop until'))
  const notice = /<p class="notice done"[^>]*>(.*?)<\/p>/s.exec(await back(cookie))![1]!
  const ways = [...notice.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)
  assert.deepEqual(ways, ['/@teashop', '/dashboard/names/teashop'])
  assert.equal((await get('/@teashop')).status, 200)
  const stranger = await enter((await join('stranger@example.com')).key)
  assert.doesNotMatch(await back(stranger), /TeaShop/)
})

test('a payment that has paid a checkout without a key says so before it is assigned to another', async (t) => {
  const { get, enter, join, rest, gateway } = await openDashboard(t)
  const owner = await join('owner@example.com')
  await rest('POST', '/api/checkouts', owner.key, { address: shopAddress, amount: '3' })
  const made = (await gateway.call('checkout', { address: shopAddress, amount: '2' })).json()
  await pay(gateway, shopAddress, made.amount_raw!)
  const cookie = await enter(owner.key)
  const page = async () => (await get('/dashboard/checkouts/unmatched', cookie)).text
  await until(async () => (await page()).includes('made without a key'))
  assert.ok((await page()).includes(`href="/pay/${made.id}"`))
})

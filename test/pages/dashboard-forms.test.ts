import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listKeys } from '../../src/modules/accounts/index.ts'
import { findCheckout } from '../../src/modules/checkout/index.ts'
import { Signer } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import { openBrowser, openTab, pay, signIn } from './browser.ts'
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
    [
      '/emails',
      '/emails',
      { amount: '1', refund_address: shopAddress, 'emails[0]': 'a@example.com', 'emails[1]': 'nobody' },
      'emails[1]',
    ],
    ['/names', '/names', { name: 'not a name' }, 'name'],
    ['/names', '/names', { name: 'admin' }, 'name'],
    ['/keys', '/keys', { name: '', kind: 'secret' }, 'name'],
    ['/keys', '/keys', { name: evil, kind: 'public', 'origins[0]': 'shop' }, 'origins[0]'],
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

test('a list of origins or addresses was a box of lines, and one wrong line was all one was told', async (t) => {
  const { url, enter, join, rest, gateway } = await openDashboard(t)
  const { key } = await join('owner@example.com')
  const { page } = await openTab(t, await openBrowser(), gateway)
  await signIn(page, url, await enter(key))
  const errors = () => page.locator('.field .error').allInnerTexts()
  await page.goto(`${url}/dashboard/keys`)
  await page.fill('#f-name', 'Shop')
  await page.selectOption('#f-kind', 'public')
  await page.fill('[name="origins[0]"]', 'https://one.example')
  await page.fill('[name="origins[1]"]', 'two.example')
  await page.fill('[name="addresses[1]"]', 'nano_nobody')
  await page.getByText('Restrict this key').click()
  await page.fill('#f-per_minute', 'many')
  await page.fill('#f-spend_daily_nano', '-1')
  await page.getByRole('button', { name: 'Create key' }).click()
  assert.deepEqual(await errors(), [
    'Origin 2 must be an origin such as https://shop.example.',
    'Address 2 must be a Nano address.',
    'Requests per minute must be a whole number from 1 to 1000000.',
    'Nano per day must be an amount such as 12.50.',
  ])
  assert.equal(await page.inputValue('[name="origins[0]"]'), 'https://one.example')
  assert.equal(await page.inputValue('#f-kind'), 'public')
  await page.fill('[name="origins[1]"]', 'https://two.example')
  await page.fill('[name="addresses[1]"]', shopAddress)
  await page.fill('#f-per_minute', '')
  await page.fill('#f-spend_daily_nano', '')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('heading', { level: 1, name: 'Your new key' }).waitFor()
  type Listed = { keys: { name: string; origins: string[]; addresses: string[]; scopes: string[] | null }[] }
  const { keys } = await rest<Listed>('GET', '/api/keys', key)
  const { origins, addresses } = keys.find(({ name }) => name === 'Shop')!
  assert.deepEqual([origins, addresses], [['https://one.example', 'https://two.example'], [shopAddress]])

  const { id } = await rest<{ id: string }>('POST', '/api/webhook-endpoints', key, { url: 'https://shop.example/hook' })
  await page.goto(`${url}/dashboard/webhooks/endpoints/${id}`)
  const many = Array.from({ length: 30 }, (_, at) => new Signer(100 + at).address)
  const paste = async (text: string) => {
    await page.evaluate((pasted) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text', pasted)
      const cell = document.querySelector('[name="addresses[0]"]')!
      cell.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
    await page.getByRole('button', { name: 'Watch addresses' }).click()
  }
  await paste([...many.slice(0, 17), 'nano_nobody', ...many.slice(17)].join('\r\n'))
  assert.deepEqual(await errors(), ['Address 18 is no address.'])
  assert.equal(await page.inputValue('[name="addresses[30]"]'), many[29])
  await page.fill('[name="addresses[17]"]', '')
  await page.getByRole('button', { name: 'Watch addresses' }).click()
  assert.match(await page.innerText('main'), /Watched here: 30;/)
})

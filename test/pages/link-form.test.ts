import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PHONE, assertGood, openBrowser, openTab, signIn } from './browser.ts'
import { sendUpload } from '../support/form-steps.ts'
import { ask } from '../support/gateway.ts'
import { JPEG, PNG, WEBP_LOSSY } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { openDashboard, shopAddress, tokensOf } from './dashboard-steps.ts'

/* The form of a payment link starts with its purpose. */

test('a new link asked for 24 fields; a purpose has seven at most, without any script, and loses nothing when it changes', async (t) => {
  const dashboard = await openDashboard(t)
  const { key } = await dashboard.join(null)
  await dashboard.rest('PUT', '/api/account/payout', key, { address: shopAddress })
  const { page } = await openTab(t, await openBrowser(), dashboard.gateway, { ...PHONE, javaScriptEnabled: false })
  await signIn(page, dashboard.url, await dashboard.enter(key))
  await page.goto(`${dashboard.url}/dashboard/links/new`)
  const labels = async () => {
    const found = await page.locator('main section.card label, main section.card fieldset > legend').all()
    const shown = []
    for (const one of found) if (await one.isVisible()) shown.push((await one.innerText()).replace(' (optional)', ''))
    return shown.filter((label) => !/^What is|^(Product|Donation|Membership)\s/.test(label))
  }
  const shared = ['Name', 'Description', 'Picture', 'Currency']
  assert.deepEqual(await labels(), [...shared, 'Price', 'Variants', 'Stock', 'Link address'])
  await page.fill('#f-title', 'Seabirds')
  await page.check('[name=for][value=donation]')
  assert.deepEqual(await labels(), [...shared, 'Suggested amounts', 'Link address'])
  await page.check('[name=for][value=membership]')
  assert.deepEqual(await labels(), [...shared, 'Price', 'Renews every', 'Variants', 'Link address'])
  assert.equal(await page.inputValue('#f-title'), 'Seabirds')
  await page.click('main form button:not([class])')
  assert.deepEqual(await page.locator('.field .error').allInnerTexts(), ['Price must be an amount such as 12.50.'])
  await page.fill('#f-amount', '12,50')
  await page.selectOption('#f-currency', 'EUR')
  await page.click('main form button:not([class])')
  assert.match(page.url(), /done=made$/)
  assert.match(await page.innerText('main'), /12\.50 EUR/)
})

test('a donation ignores the inputs of a product; a product without a price is not a donation', async (t) => {
  const { send, enter, join, rest } = await openDashboard(t)
  const { key } = await join(null)
  const cookie = await enter(key)
  const make = (fields: Record<string, string>) =>
    send('/dashboard/links/new', '/dashboard/links', { currency: 'NANO', address: shopAddress, ...fields }, cookie)
  const refused = await make({ for: 'product', title: 'Mug', 'plans[1].title': 'Small' })
  assert.equal(refused.status, 400)
  assert.match(refused.text, /Please correct: <a href="#f-plans\[1\]/)
  const unclear = await make({
    for: 'product',
    title: 'Mug',
    currency: 'EUR',
    'plans[0].title': 'Small',
    'plans[0].value': '1.250',
  })
  assert.match(unclear.text, /id="plans\[0\]\.value-error">This must be an amount such as 12\.50\./)
  assert.equal((await make({ for: 'product', title: 'Mug' })).status, 400)
  const amounts = { 'suggested[0]': '1,5', 'suggested[2]': '2', 'suggested[3]': '10' }
  const given = { for: 'donation', title: 'Birds', amount: '3', sold_max: '5', every: 'month', ...amounts }
  const made = await make(given)
  assert.equal(made.status, 303, made.text.slice(0, 200))
  type Link = { amount: string | null; sold_max: number | null; every: string | null; suggested: string[] }
  const { links } = await rest<{ links: Link[] }>('GET', '/api/links', key)
  const { amount, sold_max: soldMax, every, suggested } = links[0]!
  assert.deepEqual(
    { amount, soldMax, every, suggested },
    { amount: null, soldMax: null, every: null, suggested: ['1.5', '2', '10'] },
  )
})

test('a picture had to be online somewhere: now a file is enough, also of an offer that is changed, and of the shop', async (t) => {
  const { get, url, enter, join, rest, ctx } = await openDashboard(t)
  const { key, accountId } = await join('owner@example.com')
  const cookie = await enter(key)
  const upload = async (from: string, path: string, fields: Record<string, string>, files: Record<string, Buffer>) =>
    sendUpload(`${url}${path}`, { ...tokensOf((await get(from, cookie)).text), ...fields }, files, { cookie })
  const picture = Buffer.concat([PNG, Buffer.from('<script>')])
  const offer = { for: 'product', title: 'Mug', currency: 'NANO', amount: '1', slug: 'mug', address: shopAddress }
  const make = (file: Buffer, fields: object = {}) =>
    upload('/dashboard/links/new', '/dashboard/links', { ...offer, ...fields }, { 'image.file': file })

  const wrong = await make(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), { amount: 'x' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /id="image-error">The file must be a still picture in PNG, JPEG or WebP\.</)
  assert.match(wrong.text, /id="amount-error"/, 'with everything else that is wrong')
  assert.match((await make(Buffer.alloc(512 * 1024 + 1))).text, /id="image-error">The picture is larger than 512 KB\./)
  assert.equal((await make(Buffer.alloc(600 * 1024))).status, 413)
  const corrected = await make(picture, { amount: 'x' })
  const [, shown] = /name="image" type="url"[^>]* value="([^"]+)"/.exec(corrected.text)!
  const pictures = ctx.db.selectFrom('account_pictures').select(['account_id', 'type'])
  assert.deepEqual(await pictures.execute(), [{ account_id: accountId, type: 'image/png' }], 'only a picture is stored')

  assert.equal((await make(picture)).status, 303)
  const { links } = await rest<{ links: { id: string; image: string }[] }>('GET', '/api/links', key)
  const [{ id, image }] = links as [{ id: string; image: string }]
  assert.equal(image, shown, 'the same file is the same picture')
  assert.match(image, new RegExp(`^${url}/pictures/[0-9a-f]{32}$`))
  const { headers, text } = await ask(image, { method: 'GET' })
  assert.deepEqual([headers['content-type'], headers['x-content-type-options']], ['image/png', 'nosniff'])
  assert.match(headers['cache-control']!, /immutable/)
  assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
  assert.ok(!text.includes('script'))
  assert.equal((await get('/buy/mug/image')).headers['content-type'], 'image/png')

  const change = (fields: Record<string, string>, files = {}) =>
    upload(`/dashboard/links/${id}`, `/dashboard/links/${id}`, { ...offer, image, ...fields }, files)
  const imageOf = async () => (await rest<{ image?: string }>('GET', `/api/links/${id}`, key)).image
  assert.equal((await change({}, { 'image.file': JPEG, 'title.file': JPEG })).status, 303)
  assert.notEqual(await imageOf(), image)
  assert.equal((await change({ 'image.remove': 'yes' })).status, 303)
  assert.equal(await imageOf(), undefined)
  assert.equal(
    (await upload('/dashboard/profile', '/dashboard/profile', { logo: '' }, { 'logo.file': JPEG })).status,
    303,
  )
  const { profile } = await rest<{ profile: { logo_url: string } }>('GET', '/api/account/profile', key)
  assert.equal((await ask(profile.logo_url, { method: 'GET' })).headers['content-type'], 'image/jpeg')
  await ctx.db
    .updateTable('account_pictures')
    .set({ bytes: 32 * 1024 * 1024 })
    .execute()
  assert.match((await make(WEBP_LOSSY)).text, /id="image-error">Your pictures take 32 MB/)
})

test('no picture is stored without a session, without its token, from a form without pictures, or from a malformed one', async (t) => {
  const { get, url, enter, join, ctx } = await openDashboard(t)
  const { key } = await join('owner@example.com')
  const cookie = await enter(key)
  const tokens = tokensOf((await get('/dashboard/links/new', cookie)).text)
  const files = { 'image.file': PNG, 'logo.file': PNG }
  const links = `${url}/dashboard/links`
  assert.equal((await sendUpload(links, tokens, files)).headers.location, '/dashboard/sign-in')
  assert.equal((await sendUpload(links, tokens, files, { cookie, origin: 'https://evil.example' })).status, 403)
  assert.equal((await sendUpload(links, { ...tokens, csrf: 'x' }, files, { cookie })).status, 403)
  assert.equal((await sendUpload(`${url}/dashboard/people`, tokens, files, { cookie })).status, 400)
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
    assert.equal((await sendUpload(links, tokens, files, { cookie, 'content-type': type })).status, 400, type)
  }
  // Uploads are not parsed without a session.
  assert.equal((await sendUpload(`${url}/dashboard/sign-in/key`, { key }, files)).headers['set-cookie'], undefined)
  assert.deepEqual(await ctx.db.selectFrom('account_pictures').select('id').execute(), [])
})

test('the last day of a link ended at the midnight of London; it is the shop’s, and stays where it was when it is not touched', async (t) => {
  const { send, enter, join, rest } = await openDashboard(t)
  const { key } = await join(null)
  const cookie = await enter(key)
  await rest('PUT', '/api/account/profile', key, { time_zone: 'Pacific/Kiritimati' })
  const offer = { for: 'donation', title: 'Birds', currency: 'NANO', address: shopAddress }
  await send('/dashboard/links/new', '/dashboard/links', { ...offer, ends_unix: '2030-01-31' }, cookie)
  type Link = { id: string; ends_unix: number; title: string; every: string }
  const look = async () => (await rest<{ links: Link[] }>('GET', '/api/links', key)).links[0]!
  const { id, ends_unix: end } = await look()
  assert.equal(end, Date.parse('2030-02-01T00:00:00+14:00') / 1_000)
  await rest('PUT', `/api/links/${id}`, key, { ends_unix: end - 3_600, amount: '1', every: '45' })
  const path = `/dashboard/links/${id}`
  const sent = { title: 'Swifts', address: shopAddress, amount: '1', every: '45', ends_unix: '2030-01-31' }
  assert.equal((await send(path, path, sent, cookie)).status, 303)
  const { title, every, ends_unix: still } = await look()
  assert.deepEqual([title, every, still], ['Swifts', '45', end - 3_600])
})

test('the preview follows the input', async (t) => {
  const dashboard = await openDashboard(t)
  const { key } = await dashboard.join(null)
  const { page, misconduct } = await openTab(t, await openBrowser(), dashboard.gateway)
  await signIn(page, dashboard.url, await dashboard.enter(key))
  await page.goto(`${dashboard.url}/dashboard/links/new`)
  const seen = async () => (await page.locator('[data-preview] .preview').innerText()).replaceAll(/\s+/g, ' ')
  await page.fill('#f-title', 'Beans <b>')
  await page.selectOption('#f-currency', 'EUR')
  await page.fill('#f-amount', '9,5')
  assert.match(await seen(), /Beans <b> €9\.50 Continue/)
  await page.fill('[name="plans[0].title"]', 'Whole')
  await page.fill('[name="plans[0].value"]', '8.90')
  assert.match(await seen(), /Beans <b> Whole €8\.90 Continue/)
  await page.click('.remove[aria-label="Remove variant 1"]')
  assert.match(await seen(), /Beans <b> €9\.50 Continue/)
  // A photo of several megabytes, as a phone takes it.
  await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 3_000, height: 2_000 })
    const [context, pixels] = [canvas.getContext('2d')!, new ImageData(3_000, 2_000)]
    for (let at = 0; at < pixels.data.length; at += 16) pixels.data.fill((at * 7_919) % 255, at, at + 16)
    context.putImageData(pixels, 0, 0)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 1))
    const chosen = new DataTransfer()
    chosen.items.add(new File([blob!], 'photo.jpg', { type: 'image/jpeg' }))
    const input = document.querySelector<HTMLInputElement>('#f-image')!
    input.files = chosen.files
    input.dispatchEvent(new Event('change', { bubbles: true }))
  })
  await page.locator('[data-preview] [data-show=picture] canvas').waitFor()
  const size = () => page.evaluate(() => document.querySelector<HTMLInputElement>('#f-image')!.files![0]!.size)
  await until(async () => (await size()) < 512 * 1024)
  assertGood(misconduct)
})

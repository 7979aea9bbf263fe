import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PHONE, assertGood, openBrowser, openTab, signIn } from './browser.ts'
import { openDashboard, shopAddress } from './dashboard-steps.ts'

/* The form of a link begins with what it is for. */

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

test('a donation takes nothing of what was typed for a product; a product without a price is no donation', async (t) => {
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
  const given = { for: 'donation', title: 'Birds', amount: '3', sold_max: '5', every: 'month', suggested: '1,5 2, 10' }
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

test('what the buyer will see follows what is typed', async (t) => {
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
  assertGood(misconduct)
})

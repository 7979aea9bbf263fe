import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { leaseName } from '../support/lease-name.ts'
import { DESK, PHONE, assertGood, openBrowser, openTab } from './browser.ts'
import { openDashboard } from './dashboard-steps.ts'
import { look } from './story.ts'

/* Public pages in Arabic, from right to left. Addresses, hashes and amounts must still read from left to right. */

const { address } = new Signer(92)

test('every public page speaks Arabic, from right to left, and axe finds nothing', { timeout: 300_000 }, async (t) => {
  const dashboard = await openDashboard(t)
  const { gateway, url, rest } = dashboard
  const { key, accountId } = await dashboard.join(null)
  const { id } = await rest<{ id: string }>('POST', '/api/checkouts', key, { address, amount: '1.5', title: 'مصباح' })
  const paid = await rest<{ id: string }>('POST', '/api/checkouts', key, { address, amount: '1234.5', title: 'A lamp' })
  await rest('POST', '/api/links', key, { address, amount: '2', title: 'كوب', slug: 'cups', sold_max: 3 })
  const name = await leaseName(dashboard.ctx, accountId, address)
  const mailed = { emails: ['a@example.com', 'b@example.com', 'c@example.com'], amount: '1', refund_address: address }
  const email = (await gateway.call('nano_email', mailed, { key })).json().id!
  const browser = await openBrowser()
  for (const [size, colorScheme] of [
    [PHONE, 'light'],
    [DESK, 'dark'],
  ] as const) {
    const extraHTTPHeaders = { 'accept-language': 'ar-EG,ar;q=0.9' }
    const { page, misconduct } = await openTab(t, browser, gateway, { ...size, colorScheme, extraHTTPHeaders })
    const at = `${size.viewport.width}-${colorScheme}`
    for (const [what, path, words] of [
      ['pay', `/pay/${id}`, /بانتظار دفعتك/],
      ['buy', '/buy/cups', /بقيت 3 قطع/],
      ['name', `/@${name}?amount=1.5`, /الدفع إلى/],
      ['claim', '/claim', /استلم النانو/],
      ['email', `/email/${email}`, /لـ 3 مستلمين/],
      ['none', '/@nobody', /لا يوجد هذا الاسم/],
    ] as const) {
      await page.goto(`${url}${path}`)
      assert.match(await page.innerText('main'), words, path)
      assert.equal(await page.evaluate('getComputedStyle(document.body).direction'), 'rtl', path)
      for (const code of await page.locator('main code').all()) {
        assert.equal(await code.evaluate((element) => getComputedStyle(element).direction), 'ltr', path)
      }
      assert.doesNotMatch(await page.innerText('main'), /[٠-٩]/, 'the digits that wallets show')
      await look(page, `arabic-${what}-${at}`)
    }
    await page.goto(`${url}/pay/${paid.id}?lang=de`)
    assert.match(await page.innerText('.price'), /^1\.234,5/, 'a German reads a comma')
    assert.match((await page.locator('a.wallet').getAttribute('href'))!, /\?amount=12345\d+$/)
    assertGood(misconduct)
  }
})

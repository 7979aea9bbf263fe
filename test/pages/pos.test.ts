import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { Signer } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { PHONE, assertGood, findViolations, openBrowser, openTab, pay } from './browser.ts'
import { TcpRelay } from '../support/tcp-relay.ts'
import { type Dashboard, openDashboard } from './dashboard-steps.ts'
import { until } from '../support/until.ts'
import { look, press, reach, type, walk } from './story.ts'

/* A café, from an empty account to money on the ledger: a till, its PIN, a sale, a lost connection, the day's totals. */

const { address } = new Signer(72)
const PIN = '4711'

const untilScreen = (page: Page, name: string, state?: string) =>
  page.waitForSelector(
    `section[data-screen="${name}"]${state === undefined ? '' : `[data-state="${state}"]`}:not([hidden])`,
  )

/** Focuses a control with the keyboard and presses it, without leaving the page. */
async function hit(page: Page, selector: string): Promise<void> {
  await reach(page, selector)
  await page.keyboard.press('Enter')
}

/** Pays the amount of the QR code, as a wallet would. */
async function payCode({ gateway }: Dashboard, page: Page, paid?: () => Promise<void>): Promise<void> {
  const shown = (await page.innerText('[data-pay-nano]')).replace(/[^0-9.]/g, '')
  const [whole = '', part = ''] = shown.split('.')
  await pay(gateway, address, BigInt(whole + part.padEnd(30, '0')))
  await paid?.()
  await untilScreen(page, 'pay', 'complete')
}

test('a café: from an empty account to money on the ledger, by keyboard', { timeout: 600_000 }, async (t) => {
  await walk(t, async ({ dashboard, merchant, visitor: cashier, name }) => {
    await merchant.goto(`${dashboard.url}/dashboard/pos`)
    await look(merchant, `story-no-pos-${name}`)
    await merchant.goto(`${dashboard.url}/dashboard/pos/new`)
    await type(merchant, '#f-title', 'Corner café <b>')
    await type(merchant, '#f-address', address)
    await type(merchant, '[name="items[0].title"]', 'Espresso')
    await type(merchant, '[name="items[0].price"]', '2.2')
    await type(merchant, '[name="items[1].title"]', 'Cake <img src=x>')
    await type(merchant, '[name="items[1].price"]', '3.80')
    await type(merchant, '[name="tips[0]"]', '5')
    await type(merchant, '[name="tips[1]"]', '10 %')
    await type(merchant, '#f-pin', '12')
    await press(merchant, 'main form button:not([class])')
    assert.match(await merchant.innerText('#pin-error'), /4 to 8 digits/)
    assert.equal(await merchant.inputValue('#f-title'), 'Corner café <b>', 'nothing typed is lost')
    await type(merchant, '#f-pin', PIN)
    await look(merchant, `story-new-pos-${name}`)
    await press(merchant, 'main form button:not([class])')
    assert.match(merchant.url(), /\/dashboard\/pos\/pos_\w+\?done=made$/)
    await look(merchant, `story-pos-${name}`)
    const link = (await merchant.getAttribute('.title .actions a', 'href'))!

    await cashier.goto(link)
    await untilScreen(cashier, 'pin')
    assert.ok(!cashier.url().includes('#'), 'the link does not stay in the address')
    await look(cashier, `story-till-pin-${name}`)
    await type(cashier, '#pin', '0000')
    await cashier.keyboard.press('Enter')
    await cashier.waitForSelector('#pin-wrong:has-text("Attempts left: 4")')
    await type(cashier, '#pin', PIN)
    await cashier.keyboard.press('Enter')
    await untilScreen(cashier, 'sale')
    assert.equal(await cashier.locator('.sale img, .sale b').count(), 0, 'titles are texts')
    await look(cashier, `story-till-keypad-${name}`)
    // An item, the button, a tip: three taps to the QR code.
    await hit(cashier, '[data-item="0"]')
    await hit(cashier, '[data-do=charge]')
    await untilScreen(cashier, 'tip')
    await look(cashier, `story-till-tip-${name}`)
    await hit(cashier, '[data-tip="10"]')
    await untilScreen(cashier, 'pay', 'waiting')
    assert.match(await cashier.innerText('[data-pay-total]'), /^2\.42 nano$/)
    await look(cashier, `story-till-code-${name}`)
    const amount = await cashier.innerText('[data-pay-nano]')
    await cashier.reload()
    await untilScreen(cashier, 'pay', 'waiting')
    assert.equal(await cashier.innerText('[data-pay-nano]'), amount, 'a reload finds the same sale')
    // Browsers allow a page to play sounds only after an interaction.
    await cashier.keyboard.press('Shift')
    await payCode(dashboard, cashier)
    assert.match(await cashier.innerText('[data-state-text]'), /Paid/)
    assert.equal(await cashier.getAttribute('body', 'data-sounded'), '1')
    await look(cashier, `story-till-paid-${name}`)
    await hit(cashier, '[data-do=new]')
    await untilScreen(cashier, 'sale')
    await hit(cashier, '[data-do=day]')
    await cashier.waitForSelector('.sold')
    assert.match(await cashier.innerText('[data-sum]'), /2\.42/)
    await look(cashier, `story-till-day-${name}`)
    await merchant.reload()
    assert.match(await merchant.innerText('main'), /Sales\s*1\s*Total\s*2\.42 nano[^]*Tips included\s*0\.22 nano/)
    await look(merchant, `story-pos-day-${name}`)
  })
})

const OFFLINE = '[data-offline]:has-text("Offline. We keep asking; do not hand over yet.")'

test(
  'a lost connection: it is said on every screen, the keypad works, a tap is one sale, and it is found again',
  { timeout: 300_000 },
  async (t) => {
    const dashboard = await openDashboard(t)
    const { key } = await dashboard.join(null)
    const till = { title: 'Van', address, currency: 'USD', items: [{ title: 'Tea', price: '2' }] }
    const { link, id } = await dashboard.rest<{ link: string; id: string }>('POST', '/api/pos', key, till)
    const line = await TcpRelay.start(Number(new URL(dashboard.url).port))
    t.after(() => line.close())
    const url = `http://127.0.0.1:${line.port}`
    await dashboard.rest('PUT', '/api/account/profile', key, { name: 'Tea & Van', accent: '#993c1d' })
    const { page, misconduct } = await openTab(t, await openBrowser(), { url }, PHONE)
    await page.addInitScript('navigator.vibrate = (beats) => (document.body.dataset.shaken = beats.join(" "))')
    // While a page loads offline, the browser may briefly ignore that it is offline, so the connection is cut as well.
    const goOffline = async () => {
      line.cut()
      await page.context().setOffline(true)
    }
    const goOnline = async () => {
      line.open()
      await page.context().setOffline(false)
    }
    await page.goto(link.replace(new URL(link).origin, url))
    await untilScreen(page, 'sale')
    const listKept = () =>
      page.evaluate<string[]>(
        `caches.open('till-shell').then((kept) => kept.keys()).then((all) => all.map(({ url }) => new URL(url).pathname))`,
      )
    const parts = ['assets/pos.css', 'assets/pos.js', 'assets/gateway.css', 'assets/icon.svg', 'accents/993c1d.css']
    const shell = [`/pos/${id}`, ...parts.map((path) => `/${path}`)].toSorted()
    await until(async () => (await listKept()).length === shell.length)
    // The second visit is offline.
    await goOffline()
    await page.reload()
    await untilScreen(page, 'sale')
    await page.waitForSelector(OFFLINE)
    assert.equal(await page.innerText('[data-shop]'), 'Tea & Van')
    const colour = `getComputedStyle(document.querySelector('[data-bar]')).backgroundColor`
    assert.equal(await page.evaluate(colour), 'rgb(153, 60, 29)', 'in the colour of the shop')
    await page.click('[data-do=day]')
    await untilScreen(page, 'day')
    assert.ok(await page.isVisible(OFFLINE))
    // Once the question has failed; sums of a while ago would be wrong.
    await until(async () => /Sales\s*–\s*Total\s*–/.test(await page.innerText('.sums')))
    await page.click('section[data-screen=day] [data-do=keypad]')
    for (const digit of ['3', '.', '5']) await page.keyboard.press(digit)
    assert.equal(await page.innerText('[data-total]'), '$3.50')
    assert.deepEqual(await findViolations(page), [])
    await page.click('[data-do=charge]')
    await page.waitForSelector('[data-state-text]:has-text("No connection")')
    await page.reload()
    await untilScreen(page, 'pay', 'making')
    const countSales = async () => (await dashboard.ctx.db.selectFrom('pos_sales').selectAll().execute()).length
    assert.equal(await countSales(), 0)
    await goOnline()
    await untilScreen(page, 'pay', 'waiting')
    assert.equal(await page.innerText('[data-pay-total]'), '$3.50')
    assert.equal(await countSales(), 1)
    await page.waitForSelector('[data-offline]', { state: 'hidden' })
    // The connection breaks while a customer pays: the till must not report a sale that may be unpaid.
    line.cut()
    await page.waitForSelector(OFFLINE)
    assert.deepEqual(await findViolations(page), [])
    line.open()
    await page.waitForSelector('[data-offline]', { state: 'hidden' })
    // The reply to a tap is lost behind the gateway. The sale exists, and the next tap finds it.
    await page.click('section[data-screen=pay] [data-do=keypad]')
    let isLost = false
    await page.route('**/sales', async (route) => {
      if (isLost) return route.continue()
      isLost = true
      await route.fetch()
      return route.abort('connectionreset')
    })
    await page.click('[data-item="0"]')
    await page.click('[data-do=charge]')
    await untilScreen(page, 'pay', 'waiting')
    assert.ok(isLost)
    assert.equal(await countSales(), 2)
    // Paid while no page was open.
    await goOffline()
    await payCode(dashboard, page, goOnline)
    assert.equal(await page.getAttribute('body', 'data-shaken'), '120 80 240')
    assert.deepEqual((await listKept()).toSorted(), shell, 'nothing of money is kept')
    // A person who may refund finds the sale in the dashboard, after signing in.
    const refund = (await page.getAttribute('[data-refund]', 'href'))!
    const cookie = await dashboard.enter(key)
    assert.equal((await dashboard.get(refund)).status, 303)
    assert.match((await dashboard.get(refund, cookie)).text, /Refund/)
    const { db } = dashboard.ctx
    const [sale] = /[0-9a-f]{16}/.exec(refund)!
    const { paid_raw: paid } = await db
      .selectFrom('checkouts')
      .select('paid_raw')
      .where('id', '=', sale)
      .executeTakeFirstOrThrow()
    await db.updateTable('checkouts').set({ refunded_raw: paid }).where('id', '=', sale).execute()
    await page.click('[data-do=new]')
    await page.click('[data-do=day]')
    await page.locator(`[data-sale="${sale}"] .state`, { hasText: 'Refunded' }).waitFor()
    assertGood({ ...misconduct, errors: [] })
  },
)

test('a till is below 60 KB, contains no personal data, and can be installed by a browser', async (t) => {
  const dashboard = await openDashboard(t)
  const { key } = await dashboard.join(null)
  const van = { title: 'Van', address, pin: PIN }
  const { link, id } = await dashboard.rest<{ link: string; id: string }>('POST', '/api/pos', key, van)
  const [url, token] = link.split('#')
  const get = (at: string) => ask(at, { method: 'GET', headers: { accept: 'text/html' } })
  const page = await get(url!)
  assert.equal(page.status, 200)
  assert.match(page.text, /<noscript><p class="needs">This point of sale needs scripts/)
  for (const secret of [token!, address, 'Van']) assert.ok(!page.text.includes(secret), secret)
  assert.match(page.headers['content-security-policy'] as string, /default-src 'none'; script-src 'self'/)
  assert.equal(page.headers['referrer-policy'], 'no-referrer')
  const files = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!)
  const sizes = await Promise.all(
    files.map(async (path) => Buffer.byteLength((await get(`${dashboard.url}${path}`)).text)),
  )
  const bytes = sizes.reduce((sum, size) => sum + size, Buffer.byteLength(page.text))
  assert.ok(bytes < 60 * 1024, `${bytes} bytes`)
  const manifest = await get(`${url}/app.webmanifest`)
  assert.match(manifest.headers['content-type'] as string, /^application\/manifest\+json/)
  const { start_url: start, scope, display } = JSON.parse(manifest.text) as Record<string, string>
  assert.deepEqual([start, scope, display], [`/pos/${id}`, `/pos/${id}`, 'standalone'])
  const worker = await get(`${dashboard.url}/pos/worker.js`)
  assert.match(worker.headers['content-type'] as string, /^text\/javascript/)
  for (const language of ['es', 'fr', 'de', 'pt', 'ja', 'zh']) {
    const { text } = await get(`${url}?lang=${language}`)
    assert.match(text, new RegExp(`<html lang="${language}">`))
  }
  assert.equal((await get(`${dashboard.url}/pos/pos_none`)).status, 404)
})

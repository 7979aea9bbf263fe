import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { addUsage } from '../../src/modules/accounts/credits-store.ts'
import { THEMES, assertGood, inspect, openBrowser, openTab, signIn } from './browser.ts'
import { type Dashboard, type Holder, openDashboard, openReceiver, shopAddress, stock } from './dashboard-steps.ts'

/*
 * Every page at the width of a phone and a desktop, light or dark: nothing may be wider than the window, and axe-core must find nothing serious.
 * Screenshots are kept for people.
 */

const DAY = 86_400_000
const DAYS = 12

/** A shop that has been open for a while. */
async function fill({ ctx, rest }: Dashboard, { accountId, key }: Holder): Promise<void> {
  const { db } = ctx
  const now = ctx.clock.now()
  for (let day = 1; day < DAYS; day++) {
    const at = now - day * DAY
    const date = new Date(at).toISOString().slice(0, 10)
    const counts = [
      { accountId, day: date, action: 'account_balance', count: 40 + ((day * 37) % 90) },
      { accountId, day: date, action: 'work_generate', count: (day * 11) % 23 },
    ]
    await addUsage(db, `usg_${day}`, counts, now)
    const amount = String(1 + ((day * 7) % 9))
    const fields = { title: `Order ${day}`, amount, address: shopAddress }
    const { id } = await rest<{ id: string }>('POST', '/api/checkouts', key, fields)
    const state =
      day % 4 === 0
        ? { status: 'expired' as const }
        : { status: 'complete' as const, paid_raw: `${amount}${'0'.repeat(30)}`, paid_at: at + 60_000 }
    await db
      .updateTable('checkouts')
      .set({ created_at: at, ...state })
      .where('id', '=', id)
      .execute()
  }
}

/** Checks pages in both themes and widths, and keeps their screenshots. */
async function look(t: TestContext, { gateway, url }: Dashboard, cookie: string | undefined, pages: string[][]) {
  const { page, misconduct } = await openTab(t, await openBrowser(), gateway, { reducedMotion: 'reduce' })
  if (cookie !== undefined) await signIn(page, url, cookie)
  const wrong: string[] = []
  for (const [name, path] of pages) {
    await page.goto(`${url}/dashboard${path}`)
    // The folded parts of forms are checked too.
    await page.evaluate("document.querySelectorAll('details.rights, details.fold').forEach((one) => (one.open = true))")
    wrong.push(...(await inspect(page, `dashboard-${name}`, /^(serious|critical)/)))
  }
  t.diagnostic(`axe-core on ${pages.length} pages, ${THEMES.join(' and ')}: ${wrong.length} serious faults`)
  assert.deepEqual(wrong, [])
  assertGood(misconduct)
}

test('pages before signing in look well and can be used by everybody', async (t) => {
  await look(t, await openDashboard(t), undefined, [
    ['sign-in', '/sign-in'],
    ['sign-in-code', '/sign-in/code'],
    ['sign-in-recovery', '/sign-in/recovery'],
    ['not-found', '/nowhere'],
  ])
})

test('pages of checkouts look well and can be used by everybody', async (t) => {
  const dashboard = await openDashboard(t)
  const owner = await dashboard.join('merchant@example.com')
  const { paid, open, link, pos } = await stock(dashboard, owner, await openReceiver(t))
  await fill(dashboard, owner)
  await look(t, dashboard, await dashboard.enter(owner.key), [
    ['home', ''],
    ['search', '/search?q=mug'],
    ['payout', '/payout'],
    ['checkouts', '/checkouts?from=wrong'],
    ['checkout-paid', `/checkouts/${paid}`],
    ['checkout-open', `/checkouts/${open}`],
    ['edit-checkout', `/checkouts/${open}/edit`],
    ['new-checkout', '/checkouts/new'],
    ['unmatched', '/checkouts/unmatched'],
    ['statement', '/statement'],
    ['pos-list', '/pos'],
    ['new-pos', '/pos/new'],
    ['pos', `/pos/${pos}?done=made`],
    ['links', '/links'],
    ['new-link', '/links/new'],
    ['new-donation', '/links/new?for=donation'],
    ['refunds', '/checkouts/refunds'],
    ['invoices', '/checkouts/invoices'],
    ['all-subscriptions', '/subscriptions'],
    ['link', `/links/${link}?done=made`],
    ['subscriptions', `/links/${link}/subscriptions`],
  ])
})

test('pages of wallets, webhooks, keys and usage look well and can be used by everybody', async (t) => {
  const dashboard = await openDashboard(t)
  const owner = await dashboard.join('merchant@example.com')
  const { wallet, event, endpoint, email, name } = await stock(dashboard, owner, await openReceiver(t))
  const limited = { name: 'Payouts', scopes: ['read', 'wallets:read', 'wallets:send', 'reports'] }
  const soon = Math.floor(dashboard.ctx.clock.now() / 1000) + 90 * 86_400
  const limits = { per_minute: 120, spend_daily_nano: '2.5', expires_unix: soon }
  await dashboard.rest('POST', '/api/keys', owner.key, { ...limited, ...limits })
  await dashboard.rest('PUT', '/api/account/profile', owner.key, {
    name: 'Blue Mug Coffee Roasters',
    website: 'https://shop.example',
    support_email: 'help@shop.example',
    accent: '#e8b800',
  })
  for (const [email, role] of [
    ['anna.somebody@shop.example', 'developer'],
    ['ben@shop.example', 'cashier'],
  ]) {
    await dashboard.rest('POST', '/api/members', owner.key, { email, role })
  }
  await look(t, dashboard, await dashboard.enter(owner.key), [
    ['wallets', '/wallets'],
    ['wallet', `/wallets/${wallet}`],
    ['send', `/wallets/${wallet}/send`],
    ['emails', '/emails'],
    ['email', `/emails/${email}`],
    ['names', '/names'],
    ['name', `/names/${name}`],
    ['profile', '/profile?done=saved'],
    ['webhooks', '/webhooks'],
    ['event', `/webhooks/events/${event}`],
    ['new-endpoint', '/webhooks/endpoints/new'],
    ['endpoint', `/webhooks/endpoints/${endpoint}?done=paused`],
    ['keys', '/keys?done=revoked'],
    ['credits', '/credits'],
    ['activity', '/activity?kind=key'],
    ['requests', '/requests'],
    ['people', '/people?done=invited'],
    ['you', '/accounts'],
    ['prove', '/prove'],
    ['security', '/security?done=mail'],
    ['developer', '/developer'],
  ])
})

test('pages of administrators look well and can be used by everybody', async (t) => {
  const dashboard = await openDashboard(t)
  await dashboard.post('/dashboard/sign-in/mail', { email: 'new@example.com' })
  const owner = await dashboard.join('merchant@example.com')
  await stock(dashboard, owner, await openReceiver(t))
  const { adminKey } = dashboard
  const account = `/api/accounts/${owner.accountId}`
  await dashboard.rest('POST', `${account}/credits`, adminKey, { amount: 500, reason: 'The outage of May.' })
  await dashboard.rest('PUT', `${account}/standing`, adminKey, { per_minute: 100, features: { wallet_sends: false } })
  const rested = await dashboard.join('late@example.com')
  const reason = { reason: 'The invoice of May is open.' }
  await dashboard.rest('POST', `/api/accounts/${rested.accountId}/suspend`, adminKey, reason)
  await look(t, dashboard, await dashboard.enter(dashboard.adminKey), [
    ['admin', '/admin'],
    ['account', `/admin/accounts/${owner.accountId}`],
    ['account-suspended', `/admin/accounts/${rested.accountId}`],
    ['health', '/admin/health'],
    ['jobs', '/admin/jobs?status=done'],
    ['mail', '/admin/mail'],
  ])
})

/** Cards that cut their contents off, and tables that must be scrolled. */
const CUT = `[...document.querySelectorAll('.card, .table')]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map((one) => one.className)`

test('the amounts and states of the latest payments were cut off on a small laptop, and tables had to be scrolled', async (t) => {
  const dashboard = await openDashboard(t)
  const owner = await dashboard.join('merchant@example.com')
  const { paid } = await stock(dashboard, owner, await openReceiver(t))
  const { page } = await openTab(t, await openBrowser(), dashboard.gateway)
  await signIn(page, dashboard.url, await dashboard.enter(owner.key))
  for (const path of ['', '/checkouts', `/checkouts/${paid}/refund`, '/links', '/webhooks', '/keys']) {
    await page.goto(`${dashboard.url}/dashboard${path}`)
    for (const width of [390, 768, 820, 1024, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      assert.deepEqual(await page.evaluate(CUT), [], `${path} at ${width} px`)
    }
  }
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { listCapturedMail } from '../../src/infra/mail/captured.ts'
import { until } from '../support/until.ts'
import { DESK, PHONE, assertGood, openBrowser, openTab, signIn } from './browser.ts'
import { openDashboard, shopAddress } from './dashboard-steps.ts'

/*
 * Stories of a merchant, with clicks counted from Home, on a phone and on a desktop. Typing is not a click; choosing from a list is one.
 * docs/comparison.md compares the numbers with those of others; newcomer.test.ts has the first sale.
 */

const CLICKS_MAX = {
  'sell a product by a link': 3,
  'take donations by a link': 3,
  'sell a membership by a link': 3,
  'ask one person for a payment': 3,
  'find what somebody bought': 1,
  'refund a payment': 3,
  'invite a colleague': 5,
  'join a shop': 1,
} as const

type Story = keyof typeof CLICKS_MAX

class Clicks {
  readonly #page: Page
  readonly #name: Story
  #count = 0

  constructor(page: Page, name: Story) {
    this.#page = page
    this.#name = name
  }

  async press(role: 'link' | 'button', name: string | RegExp): Promise<void> {
    this.#count++
    await this.#page.getByRole(role, { name }).first().click()
  }

  /** Opens an element that has no role of a link or button. */
  async open(selector: string): Promise<void> {
    this.#count++
    await this.#page.locator(selector).first().click()
  }

  async choose(label: string, option: string): Promise<void> {
    this.#count++
    await this.#page.getByLabel(label).selectOption(option)
  }

  end(t: TestContext): void {
    t.diagnostic(`${this.#name}: ${this.#count} clicks`)
    assert.ok(this.#count <= CLICKS_MAX[this.#name], `${this.#name}: ${this.#count} clicks`)
  }
}

for (const [size, options] of Object.entries({ phone: PHONE, desk: DESK })) {
  test(`the stories of a shop take few clicks, on a ${size}`, { timeout: 300_000 }, async (t) => {
    const dashboard = await openDashboard(t)
    const { ctx, url, gateway, rest } = dashboard
    const { key } = await dashboard.join('ida@linden.example')
    await rest('PUT', '/api/account/payout', key, { address: shopAddress })
    await rest('PUT', '/api/account/profile', key, { name: 'Linden Coffee', currency: 'EUR' })
    const { page, misconduct } = await openTab(t, await openBrowser(), gateway, { ...options, reducedMotion: 'reduce' })
    await signIn(page, url, await dashboard.enter(key))
    const story = async (name: Story) => {
      await page.goto(`${url}/dashboard`)
      return new Clicks(page, name)
    }

    for (const [name, way, price] of [
      ['sell a product by a link', 'A product', '#f-amount'],
      ['take donations by a link', 'A donation', '[name="suggested[0]"]'],
      ['sell a membership by a link', 'A membership', '#f-amount'],
    ] as const) {
      const clicks = await story(name)
      await clicks.open('.new > summary')
      await clicks.press('link', way)
      await page.fill('#f-title', way)
      await page.fill(price, '9,50')
      await clicks.press('button', 'Create link')
      await page.getByText('Link created.').waitFor()
      clicks.end(t)
    }

    const single = await story('ask one person for a payment')
    await single.open('.new > summary')
    await single.press('link', 'A single payment')
    await page.fill('#f-title', 'Catering')
    await page.fill('#f-amount', '1,5')
    await page.selectOption('#f-currency', 'NANO')
    await page.fill('[name="buyer.name"]', 'Marta Kowalska')
    await single.press('button', 'Create payment')
    await page.getByText('Checkout created.').waitFor()
    single.end(t)
    await page.getByRole('button', { name: 'Pay exactly' }).click()
    await page.getByText('Payment sent.').waitFor()
    const paid = await ctx.db
      .selectFrom('checkouts')
      .select('id')
      .where('title', '=', 'Catering')
      .executeTakeFirstOrThrow()
    type Own = { checkout: { status: string } }
    await until(async () => (await rest<Own>('GET', `/api/checkouts/${paid.id}`, key)).checkout.status === 'complete')

    const search = await story('find what somebody bought')
    await page.getByLabel('Search payments, links and pages').fill('kowalska')
    await page.keyboard.press('Enter')
    await search.press('link', 'Catering')
    await page.getByRole('heading', { level: 1, name: /nano/ }).waitFor()
    search.end(t)

    // A wallet to refund from.
    const wallet = (await gateway.call('cloud_wallet', { expire: '30 days' }, { key })).json().address!
    await dashboard.send(
      '/dashboard/developer',
      '/dashboard/developer/fund',
      { address: wallet, amount: '5' },
      await dashboard.enter(key),
    )
    await until(
      async () => BigInt((await gateway.call('account_balance', { account: wallet })).json().receivable!) > 0n,
    )
    await gateway.call('cloud_wallet', { account: wallet, receive: true }, { key })
    const refund = await story('refund a payment')
    await refund.press('link', 'Catering')
    await refund.press('link', 'Refund')
    await refund.press('button', 'Refund now')
    await page.getByText(/Refund started|Refund ready/).waitFor()
    refund.end(t)

    const invite = await story('invite a colleague')
    if (options === PHONE) await invite.open('.more summary')
    await invite.press('link', 'Settings')
    await invite.press('link', 'People')
    await page.getByLabel('Email').fill('tom@linden.example')
    await invite.choose('Role', 'cashier')
    await invite.press('button', 'Invite')
    await page.waitForURL(/done=(invited|kept)/)
    invite.end(t)

    const find = async () =>
      (await listCapturedMail(ctx.db, 50)).find(({ recipient }) => recipient === 'tom@linden.example')
    await until(async () => (await find()) !== undefined)
    const visitor = await openTab(t, await openBrowser(), gateway, { ...options, reducedMotion: 'reduce' })
    await visitor.page.goto(/https?:\S+/.exec((await find())!.text)![0])
    const join = new Clicks(visitor.page, 'join a shop')
    await join.press('button', 'Join')
    await visitor.page.waitForURL(/\/dashboard\/pos$/)
    join.end(t)
    assert.match(await visitor.page.title(), /Linden Coffee/)
    assertGood(misconduct)
    assertGood(visitor.misconduct)
  })
}

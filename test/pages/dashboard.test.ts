import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { listCapturedMail } from '../../src/infra/mail/captured.ts'
import { until } from '../support/until.ts'
import { DESK, assertGood, openBrowser, openTab } from './browser.ts'
import { type Dashboard, openDashboard, openReceiver, shopAddress } from './dashboard-steps.ts'

/* A merchant's work in the dashboard, in a real browser. */

async function open(t: TestContext, scripts = true) {
  const dashboard = await openDashboard(t)
  const options = { ...DESK, javaScriptEnabled: scripts }
  const { page, misconduct } = await openTab(t, await openBrowser(), dashboard.gateway, options)
  return { dashboard, page, misconduct }
}

async function signInByKey(page: Page, { url }: Dashboard, key: string): Promise<void> {
  await page.goto(`${url}/dashboard`)
  await page.getByLabel('Your email').fill(key)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
}

const headline = (page: Page) => page.getByRole('heading', { level: 1 }).innerText()

test('a merchant signs in by the link in a mail, which works once, and signs out', async (t) => {
  const { dashboard, page, misconduct } = await open(t)
  const { url, ctx } = dashboard
  await page.goto(`${url}/dashboard/keys`)
  assert.equal(await headline(page), 'Sign in or start')
  await page.getByLabel('Your email').fill('merchant@example.com')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Six digits' }).waitFor()
  const find = async () => (await listCapturedMail(ctx.db, 1))[0]
  await until(async () => (await find()) !== undefined)
  const link = /http\S+#\w+/.exec((await find())!.text)![0]
  await page.goto(link)
  const button = page.locator('#by-link').getByRole('button', { name: 'Continue' })
  await button.waitFor()
  assert.ok(!page.url().includes('#'), 'the token does not stay in the address')
  await button.click()
  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
  assert.ok(await page.getByText('0 of 3 done').isVisible(), 'an empty shop is told what to do next')
  const [cookie] = await page.context().cookies()
  assert.deepEqual([cookie!.httpOnly, cookie!.sameSite], [true, 'Strict'])
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Sign in or start' }).waitFor()
  await page.goto(link)
  await button.click()
  await page.getByText('This sign-in link has expired or was already used.').waitFor()
  assertGood(misconduct)
})

test('a merchant had to carry a code of 40 characters from the mail: six digits are enough, in the page that asked', async (t) => {
  const { dashboard, page, misconduct } = await open(t, false)
  const { url, ctx } = dashboard
  await page.goto(`${url}/dashboard`)
  await page.getByLabel('Your email').fill('New@example.com')
  await page.getByRole('button', { name: 'Continue' }).click()
  const digits = async () => /^Your code: ([0-9]{6})$/m.exec((await listCapturedMail(ctx.db, 1))[0]?.text ?? '')?.[1]
  await until(async () => (await digits()) !== undefined)
  const code = (await digits())!
  // The code is valid for one page only, so somebody who sees it cannot use it elsewhere.
  const elsewhere = { email: 'new@example.com', page: 'another page', code }
  assert.equal((await dashboard.post('/dashboard/sign-in/code', elsewhere)).status, 401)
  const wrong = code === '000000' ? '000001' : '000000'
  const enter = async (said: string) => {
    await page.getByLabel('Code from the mail').fill(said)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  for (let times = 0; times < 3; times++) {
    await enter(wrong)
    await page.getByText('These digits are wrong').waitFor()
  }
  await enter(code)
  await page.getByRole('button', { name: 'Sign out' }).first().waitFor()
  // Attempts are limited, so nobody can try all codes.
  const tried = []
  for (let times = 0; times < 12; times++)
    tried.push((await dashboard.post('/dashboard/sign-in/code', elsewhere)).status)
  assert.equal(tried.at(-1), 429)
  assertGood({ ...misconduct, errors: [] })
})

/** The key that a page shows once after it was made. */
async function copyKey(page: Page): Promise<string> {
  await page.getByRole('heading', { level: 1, name: 'Your new key' }).waitFor()
  const key = await page.locator('.secret code').innerText()
  await page.getByRole('link', { name: 'I have copied it' }).click()
  return key
}

test('a key that may do little is made by hand, and the list says what it may; it is shown once, works at once, and no more when revoked', async (t) => {
  const { dashboard, page, misconduct } = await open(t)
  const { gateway } = dashboard
  await signInByKey(page, dashboard, (await dashboard.join('merchant@example.com')).key)
  await page.getByRole('link', { name: 'Developers' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Payouts')
  await page.getByText('Restrict this key').click()
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck()
  await page.getByLabel(/^Send from wallets/).check()
  await page.getByLabel(/^Requests per minute/).fill('many')
  await page.getByLabel(/^Nano per day/).fill('2.5')
  await page.getByRole('button', { name: 'Create key' }).click()
  // Choices stay when another field was wrong.
  await page.getByText('Requests per minute must be a whole number').waitFor()
  const chosen = await page.getByRole('checkbox', { checked: true }).all()
  assert.deepEqual(await Promise.all(chosen.map((box) => box.getAttribute('name'))), ['scopes-wallets:send'])
  await page.getByLabel(/^Requests per minute/).fill('120')
  await page.getByRole('button', { name: 'Create key' }).click()
  const limited = await copyKey(page)
  const refused = await gateway.call('rpc_credits', {}, { key: limited })
  assert.deepEqual([refused.status, refused.json<{ scope: string }>().scope], [403, 'reports'])
  assert.equal((await gateway.call('cloud_wallet', {}, { key: limited })).status, 200)
  const listed = (await page.getByRole('row', { name: /Payouts/ }).innerText()).replaceAll(/\s+/g, ' ')
  assert.match(listed, /wallets:send 120 requests a minute 0 nano of 2.5 nano today/)

  await page.getByLabel('Name', { exact: true }).fill('Till in the shop')
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await copyKey(page)
  const credits = () => gateway.call('rpc_credits', {}, { key })
  assert.equal((await credits()).status, 200)
  const row = page.getByRole('row', { name: /Till in the shop/ })
  await row.waitFor()
  assert.ok(!(await page.content()).includes(key))
  await row.locator('summary', { hasText: 'Revoke' }).click()
  await row.getByRole('button', { name: 'Revoke now' }).click()
  await page.getByText('Key revoked.').waitFor()
  assert.equal((await credits()).status, 401)
  // The browser logs that the first form was refused.
  assert.ok(misconduct.errors.every((text) => /400/.test(text)))
  assertGood({ ...misconduct, errors: [] })
})

test('without any script: a checkout is made, paid, reported to the shop, and reported again', async (t) => {
  const { dashboard, page, misconduct } = await open(t, false)
  const receiver = await openReceiver(t)
  await signInByKey(page, dashboard, (await dashboard.join('merchant@example.com')).key)
  await page.locator('summary', { hasText: 'New' }).click()
  await page.getByRole('link', { name: 'A single payment' }).first().click()
  await page.getByLabel('What for').fill('<b>Tea</b> & cake')
  await page.locator('#f-amount').fill('zero')
  await page.getByLabel('Your address').fill(shopAddress)
  await page.locator('summary', { hasText: 'More' }).last().click()
  await page.getByLabel('Webhook').fill(receiver.url)
  await page.getByRole('button', { name: 'Create payment' }).click()
  await page.getByText('Price must be an amount such as 12.50.').waitFor()
  assert.equal(await page.getByLabel('What for').inputValue(), '<b>Tea</b> & cake')
  await page.locator('#f-amount').fill('1.5')
  await page.getByRole('button', { name: 'Create payment' }).click()
  await page.getByText('Checkout created. Share its link.').waitFor()
  assert.match(await headline(page), /^1\.5\d* nano$/)
  assert.match(await page.locator('.lead').innerText(), /^Waiting\s+<b>Tea<\/b> & cake/)
  const address = page.url().split('?')[0]!
  await page.getByRole('button', { name: 'Pay exactly' }).click()
  await page.getByText('Payment sent.').waitFor()
  await until(() => receiver.bodies.length === 1)
  await until(async () => {
    await page.goto(address)
    await page.getByText('Technical').click()
    return page.getByText('delivered', { exact: true }).isVisible()
  })
  assert.ok(await page.getByRole('region', { name: 'Payments', exact: true }).getByText('counted').isVisible())
  await page.getByRole('button', { name: /^Redeliver/ }).click()
  await page.getByText('Event queued for redelivery.').waitFor()
  await until(() => receiver.bodies.length === 2)
  assert.equal(receiver.bodies[0], receiver.bodies[1], 'the same bytes')
  assertGood(misconduct)
})

test('with the keyboard alone: past the menu, to a new payment, and it is cancelled', async (t) => {
  const { dashboard, page, misconduct } = await open(t)
  const { key } = await dashboard.join('merchant@example.com')
  await page.goto(`${dashboard.url}/dashboard/sign-in`)
  const focused = () => page.evaluate<string>('document.activeElement.textContent || document.activeElement.name || ""')
  const tabTo = async (text: string) => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab')
      if ((await focused()).trim() === text) return
    }
    assert.fail(`The keyboard does not reach ${text}.`)
  }
  await tabTo('email')
  await page.keyboard.type(key)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
  await tabTo('New')
  await page.keyboard.press('Enter')
  await tabTo('A single payment')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'New payment' }).waitFor()
  await tabTo('amount')
  await page.keyboard.type('2')
  await tabTo('address')
  await page.keyboard.type(shopAddress)
  await page.keyboard.press('Enter')
  await page.getByText('Checkout created. Share its link.').waitFor()
  await tabTo('Cancel checkout')
  await page.keyboard.press('Enter')
  await tabTo('Cancel it')
  await page.keyboard.press('Enter')
  await page.getByText('Checkout cancelled.').waitFor()
  assertGood(misconduct)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listCapturedMail } from '../../src/infra/mail/captured.ts'
import { until } from '../support/until.ts'
import { PHONE, assertGood, inspect, openBrowser, openTab } from './browser.ts'
import { openDashboard } from './dashboard-steps.ts'

/* The first sale of a new merchant, with clicks counted. */

const CLICKS_MAX = 8

test('a newcomer without a wallet takes a first payment in eight clicks, on a phone, without a terminal', async (t) => {
  const dashboard = await openDashboard(t)
  const { url, ctx, gateway } = dashboard
  const { page, misconduct } = await openTab(t, await openBrowser(), gateway, { ...PHONE, reducedMotion: 'reduce' })
  let clicks = 0
  const press = async (name: string) => {
    clicks++
    await page.getByRole('button', { name }).first().click()
  }
  await page.goto(`${url}/dashboard`)
  await page.getByLabel('Email').fill('ida@linden.example')
  await press('Continue')
  const find = async () => (await listCapturedMail(ctx.db, 1))[0]
  await until(async () => (await find()) !== undefined)
  await page.getByLabel('Code from the mail').fill(/code: (\d{6})/.exec((await find())!.text)![1]!)
  await press('Sign in')

  await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
  const faults = await inspect(page, 'newcomer', /^(serious|critical)/)
  assert.deepEqual(faults, [])
  await press('Use this')
  await page.getByText('Saved. Your money goes there.').waitFor()
  await page.getByLabel('What').fill('Coffee')
  await page.getByLabel('Price in nano').fill('1.5')
  await press('Try a sale')
  await page.getByText('Checkout created. Share its link.').waitFor()
  await press('Pay exactly')
  await page.getByText('Payment sent.').waitFor()

  const row = await ctx.db.selectFrom('account_profiles').select('payout_address').executeTakeFirstOrThrow()
  await until(async () => {
    const held = (await gateway.call('account_balance', { account: row.payout_address! })).json()
    return BigInt(held.balance!) + BigInt(held.receivable!) > 0n
  })
  await until(async () => {
    await page.goto(`${url}/dashboard`)
    return (await page.getByRole('heading', { level: 1 }).innerText()) === 'Today'
  })
  assert.equal(await page.getByRole('link', { name: 'Coffee' }).count(), 1)
  t.diagnostic(`${clicks} clicks`)
  assert.ok(clicks <= CLICKS_MAX, `${clicks} clicks`)
  assertGood(misconduct)
})

test('an invalid address is refused beside its field, and the input is kept', async (t) => {
  const dashboard = await openDashboard(t)
  const cookie = await dashboard.enter((await dashboard.join('ida@linden.example')).key)
  const { status, text } = await dashboard.send(
    '/dashboard',
    '/dashboard/payout',
    { to: 'address', address: 'nano_1' },
    cookie,
  )
  assert.equal(status, 400)
  assert.match(text, /value="nano_1"/)
  assert.match(text, /id="address-error"[^>]*>This is not a Nano address\./)
  assert.match((await dashboard.get('/dashboard', cookie)).text, /0 of 3 done/)
})

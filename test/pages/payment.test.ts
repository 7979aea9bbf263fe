import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listCapturedMail } from '../../src/infra/mail/captured.ts'
import { until } from '../support/until.ts'
import { DESK, assertGood, inspect, openBrowser, openCheckout, openTab, pay, signIn } from './browser.ts'
import { openDashboard, shopAddress } from './dashboard-steps.ts'

/* A merchant handles one payment without scripts: assigns it, refunds it, sends the receipt. */

test('a refund ended in “no longer held by this service”, and an amount beside it went back whole', async (t) => {
  const dashboard = await openDashboard(t)
  const { gateway, url, ctx } = dashboard
  const { key } = await dashboard.join(null)
  const { page, misconduct } = await openTab(t, await openBrowser(), gateway, { ...DESK, javaScriptEnabled: false })
  await signIn(page, url, await dashboard.enter(key))
  const { address } = (await gateway.call('cloud_wallet', { wallet_action: 'create_wallet' }, { key })).json<{
    address: string
  }>()
  const sell = async (to: string) => {
    const made = await openCheckout(gateway, { address: to, amount: '2', title: 'Grinder brush', key })
    await pay(gateway, made.address!, made.amount_raw!)
    const path = `/check/${made.id}`
    await until(async () => (await gateway.rest('GET', path)).json<{ status: string }>().status === 'complete')
    return `${url}/dashboard/checkouts/${made.id}`
  }
  const elsewhere = await sell(shopAddress)
  await page.goto(elsewhere)
  await page.getByRole('link', { name: 'Refund' }).click()
  await page.getByText(/2\.\d+ nano short of all of it/).waitFor()
  assert.ok(await page.getByRole('link', { name: 'Add money' }).isVisible())

  const held = await sell(address)
  await page.goto(`${held}/refund`)
  await page.getByLabel('Amount in nano').fill('0.5')
  await page.getByRole('button', { name: 'Refund now' }).click()
  await page.getByText('Choose “A part”, or leave the amount empty.').waitFor()
  await page.getByLabel('A part').check()
  await page.getByRole('button', { name: 'Refund now' }).click()
  await page.getByText('Refund started.').waitFor()
  await page.goto(held)
  await page.getByText('Partly refunded').first().waitFor()

  await page.getByLabel('Send the receipt to').fill('marta@example.com')
  await page.getByRole('button', { name: 'Send receipt' }).click()
  await page.getByText('The receipt is on its way.').waitFor()
  const mailed = async () =>
    (await listCapturedMail(ctx.db, 10)).filter((mail) => mail.recipient === 'marta@example.com')
  await until(async () => (await mailed()).length === 1)
  assert.equal((await mailed())[0]!.subject, 'Your receipt')
  assertGood(misconduct)
})

test('a payment of slightly too little waited for a merchant who had to find and copy an id', async (t) => {
  const dashboard = await openDashboard(t)
  const { gateway, url } = dashboard
  const { key } = await dashboard.join(null)
  const { page, misconduct } = await openTab(t, await openBrowser(), gateway, DESK)
  await signIn(page, url, await dashboard.enter(key))
  await openCheckout(gateway, { address: shopAddress, amount: '9', title: 'Something else', key })
  const brush = await openCheckout(gateway, { address: shopAddress, amount: '2', title: 'Grinder brush', key })
  await pay(gateway, shopAddress, BigInt(brush.amount_raw!) - 1_000n)
  await until(async () => {
    await page.goto(`${url}/dashboard/checkouts/unmatched`)
    return page.getByRole('link', { name: 'Grinder brush' }).isVisible()
  })
  assert.deepEqual(await inspect(page, 'unmatched'), [])
  await page.getByRole('button', { name: /^Yes, it is paid/ }).click()
  await page.getByText('Payment assigned.').waitFor()
  await page.goto(`${url}/dashboard/checkouts/${brush.id}`)
  await page.getByText('Paid, by your word').waitFor()
  assert.deepEqual(await inspect(page, 'payment'), [])
  assertGood(misconduct)
})

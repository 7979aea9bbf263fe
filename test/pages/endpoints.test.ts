import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { verifyWebhook } from '../../src/client/webhook.ts'
import { Signer } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import { type Receiver, openReceiver } from '../support/webhook-steps.ts'
import { pay } from './browser.ts'
import type { Dashboard } from './dashboard-steps.ts'
import { look, press, type, walk } from './story.ts'

/*
 * A merchant's developer, from an empty account to a verified payment event on their own server, with a browser and only a keyboard. On a phone and on a
 * desktop, light or dark.
 */

const { address } = new Signer(72)
const watched = new Signer(73)

interface Story {
  dashboard: Dashboard
  page: Page
  key: string
  receiver: Receiver
  name: string
}

async function tell({ dashboard, page, key, receiver, name }: Story): Promise<void> {
  await page.goto(`${dashboard.url}/dashboard/webhooks`)
  await look(page, `endpoint-none-${name}`)
  await press(page, 'a[href="/dashboard/webhooks/endpoints/new"]')
  await type(page, '#f-url', 'nowhere')
  await page.evaluate("document.querySelector('#f-url').type = 'text'")
  await press(page, 'form[action="/dashboard/webhooks/endpoints"] button:not([class])')
  await look(page, `endpoint-refused-${name}`)
  assert.equal(await page.locator('#f-url').getAttribute('aria-invalid'), 'true')
  await type(page, '#f-url', receiver.url)
  await type(page, '[name="filter.metadata[0].name"]', 'shop')
  await type(page, '[name="filter.metadata[0].value"]', 'berlin')
  await press(page, 'form[action="/dashboard/webhooks/endpoints"] button:not([class])')
  const secret = (await page.locator('.secret code').textContent())!
  await press(page, 'a.button[href^="/dashboard/webhooks/endpoints/"]')
  const home = page.url()
  await press(page, 'form[action$="/test"] button')
  await look(page, `endpoint-tested-${name}`)
  assert.match((await page.locator('main').textContent())!, /200/, 'what the server answered is there at once')
  const checkout = { address, amount: '1', metadata: { shop: 'berlin' } }
  type Made = { id: string; amount_raw: string }
  const { id, amount_raw: raw } = await dashboard.rest<Made>('POST', '/api/checkouts', key, checkout)
  await pay(dashboard.gateway, address, raw)
  const told = () => receiver.requests.find(({ body }) => body.includes('payment.completed'))
  await until(() => told() !== undefined)
  const event = verifyWebhook(told()!.body, told()!.headers, secret.trim())
  assert.equal((event as { checkout_id?: string }).checkout_id, id)
  await until(async () => {
    await page.goto(home)
    return /payment\.completed\s*delivered/.test((await page.locator('main').textContent())!)
  })
  await look(page, `endpoint-${name}`)
  await watchAddress({ dashboard, page, receiver, name })
  await press(page, 'form[action$="/pause"] button')
  await look(page, `endpoint-paused-${name}`)
  await page.goto(`${dashboard.url}/dashboard/webhooks`)
  await look(page, `endpoint-listed-${name}`)
  assert.doesNotMatch(await page.content(), new RegExp(secret.trim().replaceAll(/[+/]/g, '\\$&')), 'shown once')
}

/** A payment to a watched address, without a checkout. */
async function watchAddress({ dashboard, page, receiver, name }: Omit<Story, 'key'>): Promise<void> {
  const cell = (at: number) => `[name="addresses[${at}]"]`
  await type(page, cell(0), 'nano_nobody')
  await press(page, 'form[action$="/watch"] button:not([type])')
  await look(page, `endpoint-watch-refused-${name}`)
  assert.equal(await page.locator(cell(0)).getAttribute('aria-invalid'), 'true')
  assert.equal(await page.locator('main [role=alert]').count(), 0, 'said once, beside its field')
  await type(page, cell(0), watched.address)
  await type(page, cell(1), new Signer(74).address)
  await press(page, 'form[action$="/watch"] button:not([type])')
  await pay(dashboard.gateway, watched.address, '1')
  await until(() => receiver.requests.some(({ body }) => body.includes('address.received')))
  await page.reload()
  await look(page, `endpoint-watching-${name}`)
  await press(page, 'form[action$="/unwatch"] button')
  assert.match((await page.locator('main').textContent())!, /Watched here: 1; in your account: 1 of 100,000/)
}

test('a developer adds an endpoint, tests it, and their server checks the event of a payment', (t) =>
  walk(t, async ({ dashboard, merchant, key, name }) =>
    tell({ dashboard, page: merchant, key, receiver: await openReceiver(t), name }),
  ))

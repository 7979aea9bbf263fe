import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openGateway } from '../support/gateway.ts'
import { THEMES, findViolations, openBrowser, takeShot, weigh } from './browser.ts'

/* The landing page and the documentation in a real browser. */

const closing: (() => unknown)[] = []
let opened: ReturnType<typeof openOnce> | undefined

/** One gateway and one browser for all tests here, because starting them would take longer than the tests. */
async function openOnce() {
  const t = { after: (close: () => unknown) => void closing.unshift(close) } as TestContext
  const gateway = await openGateway(t, { DEVNET_TREASURY_NANO: '1000000' })
  return { url: gateway.url, browser: await openBrowser(), createdKey: gateway.app.createdKey! }
}

const open = () => (opened ??= openOnce())

/** The browser's errors about our pages: scripts refused by the policy, missing files. */
function listenForComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}

test('a person runs an action from its form and stays on the page', async () => {
  const { url, browser } = await open()
  const page = await browser.newPage()
  const complaints = listenForComplaints(page)
  await page.goto(`${url}/docs/actions/account_balance`)
  await page.evaluate('window.stayed = true')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('Status 200').waitFor()
  assert.match((await page.locator('#docs-result pre').textContent())!, /"balance_nano": "339282366\./)
  await page.getByLabel('account').first().fill('nano_wrong')
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('Refused, status 400').waitFor()
  await page.getByRole('button', { name: 'Show as code' }).click()
  await page.locator('#docs-code').getByText('nano_wrong').first().waitFor()
  assert.equal(await page.evaluate('window.stayed'), true)
  assert.deepEqual(complaints, [])
})

test('a form runs without scripts as well', async () => {
  const { url, browser, createdKey } = await open()
  const page = await browser.newPage({ javaScriptEnabled: false })
  await page.goto(`${url}/docs/actions/cloud_wallet`)
  await page.getByLabel('API key').fill(createdKey)
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('Status 200').waitFor()
  assert.match((await page.locator('#docs-result pre').textContent())!, /"address": "nano_/)
  assert.equal(await page.getByLabel('API key').inputValue(), '', 'the key is not kept in the page')
})

test('a search narrows the lists as one types, finds guides too, and looks into every page when it is sent', async () => {
  const { url, browser } = await open()
  const page = await browser.newPage()
  await page.goto(`${url}/docs`)
  await page.keyboard.press('/')
  await page.keyboard.type('receivable exi')
  await page.locator('#receivable_exists').waitFor()
  await page.locator('#account_info').waitFor({ state: 'hidden' })
  const field = page.getByLabel('Search the documentation')
  await field.fill('webhooks')
  const guide = page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Webhooks' })
  await guide.click()
  await page.getByRole('heading', { name: 'Five rules for a receiver' }).waitFor()
  await field.fill('webhook_url')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'checkout › Fields' }).click()
  await page.getByRole('heading', { name: 'Fields' }).waitFor()
})

test('code is copied with the keyboard, also from an answer, and that is said aloud; without scripts no button is offered', async () => {
  const { url, browser } = await open()
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  await page.goto(`${url}/docs/actions/nano_to_raw`)
  const copied = async (place: string) => {
    await page.locator(`${place} .copy`).first().focus()
    await page.keyboard.press('Enter')
    await page.locator('#copy-said', { hasText: 'Copied' }).waitFor({ state: 'attached' })
    return page.evaluate<string>('navigator.clipboard.readText()')
  }
  assert.match(await copied('#docs-code'), /^curl -d '/)
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText('Status 200').waitFor()
  assert.match(await copied('#docs-result'), /^\{\n {2}"raw"/)
  await context.close()
  const plain = await browser.newPage({ javaScriptEnabled: false })
  await plain.goto(`${url}/docs/first-payment`)
  assert.equal(await plain.getByRole('button', { name: 'Copy' }).count(), 0)
})

test('the landing page has a payment to try for who sells, and leads who builds to a guide, and that to the contract', async () => {
  const { url, browser } = await open()
  const page = await browser.newPage()
  const complaints = listenForComplaints(page)
  await page.goto(url)
  await page.getByRole('button', { name: 'Pay with play money' }).click()
  await page.getByRole('heading', { level: 1, name: 'One coffee' }).waitFor()
  await page.getByRole('button', { name: 'Pay exactly' }).click()
  await page.waitForSelector('#pay[data-state=complete]')
  await page.goto(url)
  await page.getByRole('link', { name: 'Your first payment' }).click()
  await page.getByRole('heading', { level: 1, name: 'Take your first payment' }).waitFor()
  await page.getByRole('link', { name: 'the contract', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: /Part 2/ }).waitFor()
  assert.deepEqual(complaints, [])
})

test('everything works with the keyboard alone', async () => {
  const { url, browser } = await open()
  const page = await browser.newPage()
  await page.goto(`${url}/docs/actions/nano_to_raw`)
  const focused = () =>
    page.evaluate<string>('document.activeElement.name || document.activeElement.textContent.trim()')
  for (let presses = 0; (await focused()) !== 'amount'; presses++) {
    assert.ok(presses < 10, 'the first field is near the top')
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Control+A')
  await page.keyboard.type('2.5')
  await page.keyboard.press('Enter')
  await page.getByText('"raw": "2500000000000000000000000000000"').waitFor()
})

const PAGES = {
  landing: '/',
  docs: '/docs',
  search: '/docs?q=webhook',
  action: '/docs/actions/cloud_wallet',
  guide: '/docs/first-payment',
}

/** A phone in light mode and a desktop in dark mode: every rule depends on one or the other. */
const JUDGED = { light: 390, dark: 1280 }

test('pages fit phone and desktop, and axe finds nothing serious', async (t) => {
  const { url, browser } = await open()
  for (const colorScheme of THEMES) {
    const found: string[] = []
    for (const width of [390, 1280]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true })
      for (const [name, path] of Object.entries(PAGES)) {
        await page.goto(`${url}${path}`)
        await takeShot(page, `docs-${name}-${width}-${colorScheme}`)
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        if (wide > 0) found.push(`${path} is ${wide} pixels wider than ${width}`)
        if (width !== JUDGED[colorScheme]) continue
        const violations = await findViolations(page)
        found.push(
          ...violations.filter((text) => /^(?:serious|critical) /.test(text)).map((text) => `${path}: ${text}`),
        )
        t.diagnostic(`${path}, ${colorScheme}: axe finds ${violations.join(', ') || 'nothing'}`)
      }
      await page.close()
    }
    assert.deepEqual(found, [])
  }
})

const WEIGHT_MAX = 60 * 1024

test('pages are light: each is less than 60 KB on the wire, with everything it loads', async (t) => {
  t.after(async () => {
    for (const close of closing) await close()
  })
  const { url, browser } = await open()
  for (const [name, path] of Object.entries(PAGES)) {
    const page = await browser.newPage()
    const bytes = await weigh(page, () => page.goto(`${url}${path}`, { waitUntil: 'networkidle' }))
    t.diagnostic(`${name}: ${(bytes / 1024).toFixed(1)} KB`)
    assert.ok(bytes < WEIGHT_MAX, `${path} weighs ${bytes} bytes`)
    await page.close()
  }
})

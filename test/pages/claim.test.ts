import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { parseNano } from '../../src/kernel/money.ts'
import { alice, codeOf, openWorld } from '../support/email-steps.ts'
import { turningWhenStuck } from '../support/clock.ts'
import { findViolations, openBrowser } from './browser.ts'

/* The claim page in a real browser, as recipients open it: from a mail, on a phone, with and without scripts. */

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const PHONE = { width: 360, height: 740 }

/** A page that records every request and every policy violation. */
async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: PHONE, ...options })
  const page = await context.newPage()
  const requests: { url: string; method: string; body: string | null }[] = []
  const problems: string[] = []
  page.on('request', (request) => {
    requests.push({ url: request.url(), method: request.method(), body: request.postData() })
  })
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  return { page, requests, problems }
}

/** No violation of WCAG 2.2 AA that a program can find, and nothing wider than the phone. */
async function assertAccessible(page: Page): Promise<void> {
  assert.deepEqual(await findViolations(page, WCAG), [])
  const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')
  assert.equal(isWide, false, 'the page is wider than the phone')
}

async function openFunded(t: TestContext) {
  const world = await openWorld(t)
  const made = await world.open({ from: 'Bob', message: 'Thank you\nfor everything', emails: ['alice@example.com'] })
  await world.fund(made.address, '2')
  await world.turnUntil(() => world.mails.received.length >= 1)
  const code = codeOf(world.mails.received[0]!)
  return { world, made, code, link: `${world.gateway.url}/claim#${code}` }
}

test('from the link in the mail to the nano, with scripts: the code is in the address of no request', async (t) => {
  const { world, code, link } = await openFunded(t)
  const browser = await openBrowser()
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, requests, problems } = await openPage(browser, { colorScheme })
    await page.goto(link)
    await page.getByLabel('Your Nano address or @username').waitFor()
    assert.ok(!page.url().includes(code))
    await assertAccessible(page)
    assert.ok(await page.getByText('not verified', { exact: true }).isVisible())
    // Opening the page claims nothing: the second browser finds everything unchanged.
    if (colorScheme === 'light') {
      await page.context().close()
      continue
    }
    // A wrong address is refused, and the claim stays open.
    await page.getByLabel('Your Nano address or @username').fill('nano_wrong')
    await page.getByRole('button', { name: 'Send to this address' }).click()
    assert.match((await page.getByRole('alert').textContent())!, /not a Nano address/)
    await assertAccessible(page)
    await page.getByLabel('Your Nano address or @username').fill(alice)
    await page.keyboard.press('Enter')
    await turningWhenStuck(world.clock, page.getByRole('heading', { name: 'Payment on its way' }).waitFor())
    await assertAccessible(page)
    for (const { url, method, body } of requests) {
      assert.ok(url.startsWith(world.gateway.url), `a request went to ${url}`)
      // A browser never sends the fragment of a URL.
      assert.ok(!url.split('#')[0]!.includes(code))
      if (method === 'POST') assert.ok(body!.includes(code))
    }
    // The browser logs responses with an error status; anything else would be a defect of the page.
    assert.deepEqual(
      problems.filter((text) => !/status of 400/.test(text)),
      [],
    )
    await page.context().close()
  }
  assert.equal(world.fundsOf(alice), parseNano('2')!)
})

test('without scripts: the code is typed, and the payment can be declined', async (t) => {
  const { world, made, code, link } = await openFunded(t)
  const { page, problems } = await openPage(await openBrowser(), { javaScriptEnabled: false })
  await page.goto(link)
  await page.getByLabel('Code from the email').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Decline…' }).click()
  await page.getByRole('button', { name: 'Decline and stop these emails' }).click()
  await page.getByRole('heading', { name: 'Declined' }).waitFor()
  await world.untilStatus(made, 'completed')
  await page.goto(`${world.gateway.url}/claim`)
  await page.getByLabel('Code from the email').fill(code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'Expired' }).waitFor()
  assert.deepEqual(problems, [])
})

test('the page where a sender pays, and the empty form, are accessible in both colours', async (t) => {
  const world = await openWorld(t)
  const made = await world.open({ emails: ['a@example.com', 'b@example.com'] })
  const browser = await openBrowser()
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, problems } = await openPage(browser, { colorScheme })
    for (const url of [made.browser, `${world.gateway.url}/claim`, `${world.gateway.url}/claim/decline`]) {
      await page.goto(url)
      await assertAccessible(page)
    }
    assert.deepEqual(problems, [])
    await page.context().close()
  }
})

test('the page on which a sender pays had an address without a way to copy it', async (t) => {
  const world = await openWorld(t)
  const made = await world.open({ emails: ['alice@example.com'] })
  const { page, problems } = await openPage(await openBrowser(), { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(`${world.gateway.url}/email/${made.id}?lang=de`)
  await assertAccessible(page)
  await page.getByRole('button', { name: 'Kopieren: An' }).click()
  await page.getByText('Kopiert').waitFor()
  assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), made.address)
  assert.deepEqual(problems, [])
})

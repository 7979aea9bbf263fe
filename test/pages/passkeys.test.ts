import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { listCapturedMail } from '../../src/infra/mail/captured.ts'
import { listKeys } from '../../src/modules/accounts/index.ts'
import { TestClock } from '../support/clock.ts'
import { tokenOf } from '../support/mail-server.ts'
import { until } from '../support/until.ts'
import { DESK, PHONE, VIEWS, assertGood, openBrowser, openTab } from './browser.ts'
import { type Dashboard, openDashboard } from './dashboard-steps.ts'
import { look, press, reach, type } from './story.ts'

/* A person's passkeys in a browser with a virtual authenticator, using only the keyboard. */

const EMAIL = 'owner@example.com'

interface Visit {
  dashboard: Dashboard
  /** The URL with the host name that passkeys are bound to. */
  url: string
  page: Page
}

async function visit(
  t: TestContext,
  { view, env = {}, clock }: { view: BrowserContextOptions; env?: Record<string, string>; clock?: TestClock },
  story: (visit: Visit) => Promise<void>,
): Promise<void> {
  const dashboard = await openDashboard(t, env, clock)
  const url = dashboard.url.replace('127.0.0.1', 'localhost')
  const options = { ...view, reducedMotion: 'reduce' as const }
  const { page, misconduct } = await openTab(t, await openBrowser(), { url }, options)
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await story({ dashboard, url, page })
  assertGood(misconduct)
}

async function signInByMail({ dashboard, url, page }: Visit): Promise<void> {
  const linkOf = async () =>
    (await listCapturedMail(dashboard.ctx.db, 20)).find(({ subject }) => subject === 'Sign in to nano-gateway')
  await page.goto(`${url}/dashboard/sign-in`)
  await type(page, '#f-email', EMAIL)
  await press(page, 'form[action$="/sign-in/mail"] button')
  await until(async () => (await linkOf()) !== undefined)
  await page.goto(`${url}/dashboard/sign-in#${tokenOf((await linkOf())!.text)}`)
  await press(page, '#by-link button')
}

/** Adds a passkey on the current page; returns the recovery codes shown. */
async function addPasskey({ page }: Visit, name: string): Promise<string[]> {
  await type(page, '#f-name', 'My phone')
  await press(page, '[data-passkey] form button')
  assert.equal(await page.locator('h1').textContent(), 'Your recovery codes')
  await look(page, `${name}-codes`)
  return page.locator('.codes code').allTextContents()
}

/** On narrow screens the menu is folded and the button hidden. */
const signOut = async ({ page }: Visit) => {
  await page.evaluate(`document.querySelector('form[action="/dashboard/sign-out"]').submit()`)
  await page.waitForURL(/sign-in$/)
}

const signInByPasskey = async ({ url, page }: Visit) => {
  if (!page.url().startsWith(`${url}/dashboard/sign-in`)) await page.goto(`${url}/dashboard/sign-in`)
  await reach(page, '[data-passkey] button')
  await Promise.all([page.waitForURL(/\/dashboard(\/[\w/]*)?$/), page.keyboard.press('Enter')])
}

test('added, signed in and proved with, a code once and not twice (contract 5, rule 34)', async (t) => {
  for (const { name: view, options } of VIEWS) {
    const name = `passkeys-${view}`
    const clock = new TestClock()
    await visit(t, { view: options, clock }, async (at) => {
      const { page, url, dashboard } = at
      const { accountId } = await dashboard.join(EMAIL)
      await page.goto(`${url}/dashboard/sign-in`)
      await look(page, `${name}-sign-in`)
      await signInByMail(at)
      await page.goto(`${url}/dashboard/security`)
      await look(page, `${name}-none`)
      const codes = await addPasskey(at, name)
      assert.equal(codes.length, 10)
      await press(page, 'main a.button')
      await look(page, `${name}-one`)
      await signOut(at)
      await signInByPasskey(at)
      // The browser is left alone for a while, and somebody else tries to make a key.
      clock.advance(15 * 60_000 + 1)
      const before = (await listKeys(dashboard.ctx.db, accountId, 20)).length
      await page.goto(`${url}/dashboard/keys`)
      await type(page, '#f-name', 'Till')
      await press(page, 'form[action="/dashboard/keys"] > button')
      assert.equal(await page.locator('h1').textContent(), 'Confirm it’s you')
      assert.equal((await listKeys(dashboard.ctx.db, accountId, 20)).length, before)
      await look(page, `${name}-prove`)
      assert.equal(await page.locator('form[action="/dashboard/prove/mail"]').count(), 0, 'mail proves nothing')
      await reach(page, '[data-passkey] button')
      await Promise.all([page.waitForURL(/\/dashboard\/keys$/), page.keyboard.press('Enter')])
      await type(page, '#f-name', 'Till')
      await press(page, 'form[action="/dashboard/keys"] > button')
      assert.equal((await listKeys(dashboard.ctx.db, accountId, 20)).length, before + 1)
      await signOut(at)
      const recover = async () => {
        await page.goto(`${url}/dashboard/sign-in/recovery`)
        await type(page, '#f-email', EMAIL)
        await type(page, '#f-code', codes[0]!)
        await press(page, 'form[action$="/sign-in/recovery"] button')
      }
      await recover()
      assert.equal(await page.locator('h1').textContent(), 'Security')
      await signOut(at)
      await recover()
      assert.match((await page.locator('.error').first().textContent())!, /or the code is wrong/)
      await look(page, `${name}-recovery`)
    })
  }
})

test('who must have a passkey is led to the page that adds one, and nowhere else (contract 5, rule 36)', async (t) => {
  await visit(t, { view: PHONE, env: { PASSKEYS_REQUIRED: 'members' } }, async (at) => {
    const { page, url, dashboard } = at
    await dashboard.join(EMAIL)
    await signInByMail(at)
    for (const path of ['', '/keys', '/accounts']) {
      await page.goto(`${url}/dashboard${path}`)
      assert.equal(new URL(page.url()).pathname, '/dashboard/security', path)
    }
    await look(page, 'passkeys-required')
    const ways = await page.locator('.side a, .top a, .tabs a').all()
    const hrefs = await Promise.all(ways.map((way) => way.getAttribute('href')))
    assert.deepEqual([...new Set(hrefs)], ['/dashboard/security'])
    await addPasskey(at, 'passkeys-required')
    await page.goto(`${url}/dashboard/keys`)
    assert.equal(await page.locator('h1').textContent(), 'API keys')
  })
})

test('at another name than that of its passkeys the page says where they work, and the other ways stay', async (t) => {
  const dashboard = await openDashboard(t)
  const { page, misconduct } = await openTab(t, await openBrowser(), dashboard, DESK)
  await page.goto(`${dashboard.url}/dashboard/sign-in`)
  assert.equal(await page.locator('[data-elsewhere]').isVisible(), true)
  assert.equal(await page.locator('[data-passkey] button').isVisible(), false)
  assert.equal(await page.locator('#f-email').isVisible(), true)
  assertGood(misconduct)
})

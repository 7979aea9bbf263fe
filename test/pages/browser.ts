import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { type TestContext, after } from 'node:test'
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import type { Raw } from '../../src/kernel/money.ts'
import { give } from '../support/blocks.ts'
import { CHROMIUM } from '../support/chromium.ts'
import { type Gateway, ask } from '../support/gateway.ts'
import { SEED } from '../support/random.ts'
import { isThorough } from '../support/thorough.ts'

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking']
const SHOTS = resolve(import.meta.dirname, '../../test-output/screenshots')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
/** Both in a thorough run, otherwise one chosen by the seed. */
export const THEMES = isThorough ? (['light', 'dark'] as const) : ([SEED % 2 === 0 ? 'light' : 'dark'] as const)
export const DESK = { viewport: { width: 1280, height: 800 } } as const

/**
 * Combinations of phone or desktop, light or dark. A story runs with one of them, chosen by the seed, and in a thorough run with two opposite ones,
 * because each costs seconds of a browser.
 */
function viewsOf(seed: number) {
  const all = [PHONE, DESK].flatMap((size) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ ...size, colorScheme })),
  )
  const views = isThorough ? [all[seed % 4]!, all[3 - (seed % 4)]!] : [all[seed % 4]!]
  return views.map((options) => ({ name: `${options.viewport.width}-${options.colorScheme}`, options }))
}
export const VIEWS = viewsOf(SEED)

/** Forbidden behaviour of a page. */
export interface Misconduct {
  policy: string[]
  errors: string[]
  foreign: string[]
}

/** Generous, because many tests may share a slow machine. */
const PATIENCE = 90_000

let launched: Promise<Browser> | undefined

/** One browser for the whole run, because starting it takes longer than most tests. Contexts keep tests apart. */
export function openBrowser(): Promise<Browser> {
  return (launched ??= launch())
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS, timeout: PATIENCE })
  const open = browser.newContext.bind(browser)
  // Pages that are opened without a context of their own come through here as well.
  browser.newContext = async (options) => {
    const context = await open(options)
    context.setDefaultTimeout(PATIENCE)
    return context
  }
  return browser
}
after(async () => (await launched)?.close())

/** A tab in its own context that records every policy violation, every error and every request to another host. */
export async function openTab(
  t: TestContext,
  browser: Browser,
  { url }: Pick<Gateway, 'url'>,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; misconduct: Misconduct }> {
  // The browser's language would override the header that a test sets.
  const locale = options.extraHTTPHeaders ? {} : { locale: 'en-US' }
  const context = await browser.newContext({ ...locale, ...options })
  t.after(() => context.close())
  const page = await context.newPage()
  const misconduct: Misconduct = { policy: [], errors: [], foreign: [] }
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) misconduct.policy.push(message.text())
  })
  page.on('pageerror', (error) => misconduct.errors.push(error.message))
  page.on('dialog', (dialog) => {
    misconduct.errors.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      misconduct.foreign.push(request.url())
  })
  return { page, misconduct }
}

/** Sets the session cookie as the sign-in's response would. */
export async function signIn(page: Page, url: string, cookie: string): Promise<void> {
  const [name, value] = cookie.split('=') as [string, string]
  await page.context().addCookies([{ name, value, url, sameSite: 'Strict', httpOnly: true }])
}

export function assertGood(misconduct: Misconduct): void {
  assert.deepEqual(misconduct, { policy: [], errors: [], foreign: [] })
}

interface Violation {
  id: string
  impact: string | null
  nodes: { html: string; failureSummary?: string }[]
}

/** Violations found by axe-core with its default rules, or with all rules of the given tags. It is injected past the page's policy. */
export async function findViolations(page: Page, tags?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe)
  const options = { resultTypes: ['violations'], preload: false, ...(tags && { runOnly: tags }) }
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}

/** Checks a tab at the sizes of a phone and a desktop in each theme; returns the serious problems. */
export async function inspect(page: Page, name: string, grave = /./): Promise<string[]> {
  const wrong: string[] = []
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    for (const { viewport } of [PHONE, DESK]) {
      await page.setViewportSize(viewport)
      const over = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
      if (over > 0) wrong.push(`${name} at ${viewport.width} is ${over} px wider than the window`)
      await takeShot(page, `${name}-${viewport.width}-${colorScheme}`)
    }
    const violations = await findViolations(page)
    wrong.push(...violations.filter((text) => grave.test(text)).map((text) => `${name} ${colorScheme}: ${text}`))
  }
  return wrong
}

/** Takes a screenshot for people, only if asked to: a screenshot costs more than all checks of its page. */
export async function takeShot(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES !== 'true') return
  mkdirSync(SHOTS, { recursive: true })
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true })
}

/** Bytes transferred during an action, headers included. */
export async function weigh(page: Page, run: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
  await run()
  return bytes
}

/** A checkout that must succeed. */
export async function openCheckout(gateway: Gateway, fields: object): Promise<Record<string, string>> {
  const reply = await gateway.call('checkout', fields)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}

/** Sends on the development ledger, as an external wallet would. */
export async function pay({ app }: Gateway, address: string, raw: string | bigint): Promise<void> {
  await give(app.devnet!.node, fromAddress(address)!, BigInt(raw) as Raw)
}

export async function play({ url }: Gateway, path: string, fields: object = {}): Promise<void> {
  const { status, text } = await ask(`${url}/developer${path}`, { body: JSON.stringify(fields) })
  assert.equal(status, 200, text)
}

/** Waits until the page shows a state, without a reload. */
export async function untilState(page: Page, state: string): Promise<void> {
  await page.waitForSelector(`#pay[data-state="${state}"]`)
}

/** Pays the amount of the page's payment link, as a wallet would; returns the address. */
export async function payLink(gateway: Gateway, page: Page): Promise<string> {
  const link = (await page.locator('a.wallet').getAttribute('href'))!
  const [, to, raw] = /^nano:(nano_\w+)\?amount=(\d+)$/.exec(link)!
  await pay(gateway, to!, raw!)
  await untilState(page, 'complete')
  return to!
}

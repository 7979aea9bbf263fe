import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { VIEWS, assertGood, findViolations, openBrowser, openTab, signIn, takeShot } from './browser.ts'
import { type Dashboard, openDashboard } from './dashboard-steps.ts'

/* Shared by the stories of merchants: a merchant's tab and another person's, on a phone and on a desktop, light or dark, with a keyboard. */

export interface Walk {
  dashboard: Dashboard
  /** The merchant's tab, signed in. */
  merchant: Page
  /** Another person's tab. */
  visitor: Page
  /** The merchant's key. */
  key: string
  accountId: string
  name: string
}

/** Takes a screenshot for people and runs axe-core. */
export async function look(page: Page, name: string): Promise<void> {
  const over = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
  assert.ok(over <= 0, `${name} is ${over} px wider than the window`)
  assert.deepEqual(await findViolations(page), [], name)
  await takeShot(page, name)
}

/** Moves the focus to a control with the keyboard; fails if no number of tabs reaches it. */
export async function reach(page: Page, selector: string): Promise<void> {
  for (let tabs = 0; tabs < 120; tabs++) {
    if (await page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)}) === true`)) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`The keyboard does not reach ${selector}.`)
}

export async function type(page: Page, selector: string, text: string): Promise<void> {
  await reach(page, selector)
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}

export async function press(page: Page, selector: string): Promise<void> {
  await reach(page, selector)
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
}

export async function walk(t: TestContext, story: (walk: Walk) => Promise<void>): Promise<void> {
  const browser = await openBrowser()
  for (const { name, options } of VIEWS) {
    const dashboard = await openDashboard(t)
    const { key, accountId } = await dashboard.join(null)
    const calm = { ...options, reducedMotion: 'reduce' as const }
    const merchant = await openTab(t, browser, dashboard.gateway, calm)
    const visitor = await openTab(t, browser, dashboard.gateway, calm)
    await signIn(merchant.page, dashboard.url, await dashboard.enter(key))
    const pages = { merchant: merchant.page, visitor: visitor.page }
    await story({ dashboard, ...pages, key, accountId, name })
    assertGood(merchant.misconduct)
    assertGood(visitor.misconduct)
  }
}

import type { TestContext } from 'node:test'
import { DESK, openBrowser, openTab, takeShot } from '../pages/browser.ts'
import { ADMIN, type Framework } from './framework.ts'

export interface OrderPage {
  /** Waits until the extension's panel has all these texts. */
  shows(texts: readonly (string | null)[]): Promise<void>
  hrefOf(link: string): Promise<string | null>
  reload(): Promise<unknown>
  picture(name: string): Promise<void>
}

/** Signs in to Medusa's dashboard as an administrator and opens an order. */
export async function openOrderPage(t: TestContext, { url }: Framework, orderId: string): Promise<OrderPage> {
  const { page } = await openTab(t, await openBrowser(), { url }, DESK)
  await page.goto(`${url}/app/login`)
  await page.fill('input[name="email"]', ADMIN.email)
  await page.fill('input[name="password"]', ADMIN.password)
  await page.click('button[type="submit"]')
  await page.waitForURL(/\/app\/orders/)
  await page.goto(`${url}/app/orders/${orderId}`)
  const heading = page.getByRole('heading', { name: 'Nano', exact: true })
  const section = page
    .locator('div')
    .filter({ has: heading })
    .filter({ has: page.getByText('Payment page') })
    .last()
  return {
    async shows(texts) {
      for (const text of texts)
        await section
          .getByText(text ?? 'null')
          .first()
          .waitFor()
    },
    hrefOf: (link) => section.getByRole('link', { name: link }).getAttribute('href'),
    reload: () => page.reload(),
    async picture(name) {
      await section.getByText('Payment page').scrollIntoViewIfNeeded()
      await takeShot(page, name)
    },
  }
}

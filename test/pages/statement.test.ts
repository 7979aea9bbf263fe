import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { Signer } from '../support/blocks.ts'
import { payLink, takeShot } from './browser.ts'
import { type Walk, look, press, reach, type, walk } from './story.ts'

/* A bookkeeper, from an empty account to a printed month, with a browser and only a keyboard. On a phone and on a desktop, light or dark. */

const { address } = new Signer(73)
/** Sheets in CSS pixels, without their margins. */
const SHEETS = { a4: { width: 688, height: 1017 }, letter: { width: 710, height: 950 } }

/** Checks the printed form of a page on both sheets. */
async function print(page: Page, name: string): Promise<void> {
  const screen = page.viewportSize()!
  await page.emulateMedia({ media: 'print' })
  for (const [sheet, size] of Object.entries(SHEETS)) {
    await page.setViewportSize(size)
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
    assert.ok(over <= 0, `${sheet}: ${over} px are beside the sheet`)
    assert.equal(await page.locator('nav:visible, form:visible, button:visible, summary:visible').count(), 0)
    await takeShot(page, `${name}-${sheet}`)
  }
  await page.emulateMedia({ media: 'screen' })
  await page.setViewportSize(screen)
}

/** Makes a checkout with an invoice in its form. */
async function makeCheckout({ dashboard, merchant, name }: Walk): Promise<string> {
  await merchant.goto(`${dashboard.url}/dashboard/checkouts/new`)
  await type(merchant, '#f-title', 'Blue mug <b>')
  await type(merchant, '#f-amount', '1.5')
  await type(merchant, '#f-address', address)
  await reach(merchant, 'details.card summary')
  await merchant.keyboard.press('Enter')
  const fill = (field: string, text: string) => type(merchant, `[name="invoice.${field}"]`, text)
  await fill('lines[0].title', 'Blue mug <b>')
  await fill('lines[0].price', '0,6')
  await fill('lines[0].quantity', '2')
  await fill('lines[1].title', 'Post')
  await fill('lines[1].price', '0.05')
  await fill('tax[0].title', 'VAT')
  await fill('tax[0].percent', '10')
  await fill('buyer.name', 'Anna Example')
  await fill('buyer.address', 'Main Street 1\n1010 Vienna')
  await type(merchant, '[name="metadata[0].name"]', 'order_id')
  await type(merchant, '[name="metadata[0].value"]', 'A-17')
  await press(merchant, 'main form button:not([class])')
  const wrong = await merchant.innerText('[id="f-invoice.lines"] > .error')
  assert.match(wrong, /add up to 1\.375, but the price is 1\.5/)
  await fill('tax[0].percent', '20,0 %')
  await look(merchant, `story-invoice-form-${name}`)
  await press(merchant, 'main form button:not([class])')
  return /checkouts\/([0-9a-f]{16})/.exec(merchant.url())![1]!
}

test(
  'statement: from an empty account to money on the ledger, an invoice and a printed month, by keyboard',
  { timeout: 600_000 },
  async (t) => {
    await walk(t, async (walk) => {
      const { dashboard, merchant, visitor, name } = walk
      await merchant.goto(`${dashboard.url}/dashboard/statement`)
      assert.match(await merchant.innerText('main'), /No sales or refunds this month/)
      await look(merchant, `story-statement-empty-${name}`)
      const id = await makeCheckout(walk)
      await visitor.goto(`${dashboard.url}/pay/${id}`)
      assert.equal(await payLink(dashboard.gateway, visitor), address)
      await press(visitor, `a[href^="/pay/${id}/invoice"]`)
      assert.match(await visitor.innerText('main'), /INV-000001[^]*Anna Example[^]*Blue mug <b>[^]*Total\s+1\.5 nano/)
      await look(visitor, `story-invoice-${name}`)
      await print(visitor, `story-invoice-${name}`)

      await merchant.goto(`${dashboard.url}/dashboard/statement`)
      const lines = await merchant.innerText('main')
      assert.match(lines, /Blue mug <b>\s+[0-9a-f]{16}\s+INV-000001 · A-17/)
      assert.match(lines, /NANO\s+1\s+1\.5\d*\s+nano\s+0\s+nano\s+1\.5\d*\s+nano/)
      await look(merchant, `story-statement-${name}`)
      await print(merchant, `story-statement-${name}`)
      await type(merchant, '#f-time_zone', 'Mars/Base')
      await press(merchant, 'form.filters button')
      assert.match(await merchant.innerText('#time_zone-error'), /Europe\/Berlin/)
      await type(merchant, '#f-time_zone', 'Pacific/Kiritimati')
      await press(merchant, 'form.filters button')
      assert.match(await merchant.innerText('main'), /zone Pacific\/Kiritimati/)
    })
  },
)

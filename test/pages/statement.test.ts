import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { pay, takeShot, untilState } from './browser.ts'
import { look, press, reach, type, walk } from './story.ts'

/* A bookkeeper from an empty account to a printed month, with a browser and a keyboard alone. On a phone and on a desk, light or dark. */

const { address } = new Signer(73)
/** Sheets in pixels of CSS, without their margins of 14 mm. */
const SHEETS = { a4: { width: 688, height: 1017 }, letter: { width: 710, height: 950 } }

test(
  'statement: from an empty account to money on the ledger and a printed month, by keyboard',
  { timeout: 600_000 },
  async (t) => {
    await walk(t, async ({ dashboard, merchant, visitor, name }) => {
      await merchant.goto(`${dashboard.url}/dashboard/statement`)
      assert.match(await merchant.innerText('main'), /Nothing was taken or given back/)
      await look(merchant, `story-statement-empty-${name}`)
      await merchant.goto(`${dashboard.url}/dashboard/checkouts/new`)
      await type(merchant, '#f-title', 'Blue mug <b>')
      await type(merchant, '#f-amount', '1.5')
      await type(merchant, '#f-address', address)
      await reach(merchant, 'details.card summary')
      await merchant.keyboard.press('Enter')
      await type(merchant, '#f-metadata', '{"order_id":"A-17"}')
      await press(merchant, 'main form button:not([class])')
      const id = /checkouts\/([0-9a-f]{16})/.exec(merchant.url())![1]!
      await visitor.goto(`${dashboard.url}/pay/${id}`)
      const link = (await visitor.locator('a.wallet').getAttribute('href'))!
      await pay(dashboard.gateway, address, /amount=(\d+)$/.exec(link)![1]!)
      await untilState(visitor, 'complete')

      await merchant.goto(`${dashboard.url}/dashboard/statement`)
      const lines = await merchant.innerText('main')
      assert.match(lines, /Blue mug <b>\s+[0-9a-f]{16}\s+A-17/)
      assert.match(lines, /NANO\s+1\s+1\.5\d*\s+nano\s+0\s+nano\s+1\.5\d*\s+nano/)
      await look(merchant, `story-statement-${name}`)
      const screen = merchant.viewportSize()!
      await merchant.emulateMedia({ media: 'print' })
      for (const [sheet, size] of Object.entries(SHEETS)) {
        await merchant.setViewportSize(size)
        const over = await merchant.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth')
        assert.ok(over <= 0, `${sheet}: ${over} px are beside the sheet`)
        assert.equal(await merchant.locator('nav:visible, form:visible, button:visible, summary:visible').count(), 0)
        await takeShot(merchant, `story-statement-${sheet}-${name}`)
      }
      await merchant.emulateMedia({ media: 'screen' })
      await merchant.setViewportSize(screen)
      await type(merchant, '#f-time_zone', 'Mars/Base')
      await press(merchant, 'form.filters button')
      assert.match(await merchant.innerText('#time_zone-error'), /Europe\/Berlin/)
      await type(merchant, '#f-time_zone', 'Pacific/Kiritimati')
      await press(merchant, 'form.filters button')
      assert.match(await merchant.innerText('main'), /zone Pacific\/Kiritimati/)
    })
  },
)

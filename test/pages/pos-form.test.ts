import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { openBrowser, openTab, signIn } from './browser.ts'
import { openDashboard } from './dashboard-steps.ts'

/* The form of a declared resource without scripts: list fields are rows, and all errors are shown at once, next to their fields. */

test(
  'a form named one mistake at a time, in the words of the API, and lost which item was meant',
  { timeout: 200_000 },
  async (t) => {
    const dashboard = await openDashboard(t)
    const { key } = await dashboard.join(null)
    const { page } = await openTab(t, await openBrowser(), dashboard.gateway, { javaScriptEnabled: false })
    await signIn(page, dashboard.url, await dashboard.enter(key))
    await page.goto(`${dashboard.url}/dashboard/pos/new`)
    const fill = (name: string, value: string) => page.fill(`[name="${name}"]`, value)
    const send = () => page.click('main form button:not([class])')
    await fill('title', 'Counter')
    await fill('address', 'nano_1')
    await fill('items[0].title', 'Espresso')
    await fill('items[0].price', '2.20')
    // One row is left empty, and the next one has no price.
    await page.click('details:has([name="items[2].title"]) summary')
    await fill('items[2].title', 'Cake')
    await fill('tips[1]', '500')
    await send()
    assert.deepEqual(await page.locator('.field .error').allInnerTexts(), [
      'Your address must be a Nano address or an @name.',
      'Price 3 must be a price.',
      'Tip 2 must be whole percentages from 1 to 100.',
    ])
    const ways = await page.locator('[role=alert] a').allInnerTexts()
    assert.deepEqual(ways, ['Your address', 'Items', 'Tips'])
    assert.equal(await page.inputValue('[name="items[2].title"]'), 'Cake')
    await fill('address', new Signer(72).address)
    await fill('items[2].price', '3.80')
    await fill('tips[0]', '5')
    await fill('tips[1]', '10 %')
    await send()
    assert.match(page.url(), /done=made$/)
    assert.equal(await page.inputValue('[name="items[1].title"]'), 'Cake', 'the empty row is gone')
    // An emptied row is removed, and the PIN next to it has its own error.
    await fill('items[0].title', '')
    await fill('items[0].price', '')
    await page.click('main form[aria-label=Edit] button:not([class])')
    assert.match(page.url(), /done=saved$/)
    assert.equal(await page.inputValue('[name="items[0].title"]'), 'Cake')
    await fill('pin', '12')
    await page.click('main form[aria-label=PIN] button')
    assert.match(await page.innerText('#pin-error'), /^PIN must be a text of 4 to 8 digits/)
    assert.equal(await page.inputValue('[name="items[0].title"]'), 'Cake', 'the other form shows what there is')
  },
)

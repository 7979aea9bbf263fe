import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { pay } from './browser.ts'
import { shopAddress } from './dashboard-steps.ts'
import { look, walk } from './story.ts'

/* Dashboard pages update themselves, in a real browser. */

/** A mark that is lost if the page is reloaded. */
const mark = (page: Page) => page.evaluate('window.isTheSame = true')
const assertSame = async (page: Page) =>
  assert.equal(await page.evaluate('window.isTheSame === true'), true, 'the page was loaded again')

test('a payment appears on the open list and on the open checkout by itself; input, open parts and focus stay', async (t) => {
  await walk(t, async ({ dashboard, merchant, key, name }) => {
    const { url, rest, gateway } = dashboard
    const make = (title: string) =>
      rest<{ id: string }>('POST', '/api/checkouts', key, { address: shopAddress, amount: '2', title })
    await merchant.goto(`${url}/dashboard/checkouts`)
    await mark(merchant)
    await merchant.getByText('Dates and more').click()
    const search = merchant.getByLabel('Search', { exact: true })
    await search.fill('mug')
    const { id } = await make('Blue mug')
    const row = merchant.getByRole('link', { name: 'Blue mug' })
    await row.waitFor()
    await make('Green mug')
    await merchant.getByRole('link', { name: 'Green mug' }).waitFor()
    assert.equal(await search.inputValue(), 'mug')
    assert.equal(await merchant.evaluate('document.activeElement.name'), 'text')
    assert.ok(await merchant.getByLabel('Metadata').isVisible(), 'what was opened stays open')
    // The focus stays on its row when another row appears above it.
    await row.focus()
    await make('Red mug')
    await merchant.getByRole('link', { name: 'Red mug' }).waitFor()
    assert.equal(await merchant.evaluate('document.activeElement.textContent'), 'Blue mug')
    assert.match((await merchant.locator('#live-said').textContent()) ?? '', /This page has changed/)
    await assertSame(merchant)
    await look(merchant, `live-list-${name}`)
    await merchant.goto(`${url}/dashboard/checkouts/${id}`)
    await mark(merchant)
    const { checkout } = await rest<{ checkout: { amount_raw: string } }>('GET', `/api/checkouts/${id}`, key)
    await merchant.getByText('Technical').click()
    await pay(gateway, shopAddress, checkout.amount_raw)
    await merchant.locator('.lead .badge', { hasText: 'Paid' }).waitFor()
    await merchant.getByText('payment.completed').waitFor()
    await assertSame(merchant)
    await look(merchant, `live-checkout-${name}`)
  })
})

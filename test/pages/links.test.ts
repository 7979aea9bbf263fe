import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { payLink } from './browser.ts'
import { look, press, reach, type, walk } from './story.ts'

/*
 * Two merchants from an empty account to money on the ledger, with a browser and a keyboard alone: one takes donations, one sells a
 * thing of which there are few. On a phone and on a desk, light or dark.
 */

const { address } = new Signer(71)

test('a donation: from an empty account to money on the ledger, by keyboard', { timeout: 600_000 }, async (t) => {
  await walk(t, async ({ dashboard, merchant, visitor, name }) => {
    await merchant.goto(`${dashboard.url}/dashboard/profile`)
    await type(merchant, '#f-name', 'Seabird Rescue')
    await type(merchant, '#f-accent', '#e8b800')
    await press(merchant, 'main form button')
    await look(merchant, `story-profile-${name}`)
    await merchant.goto(`${dashboard.url}/dashboard/links`)
    await look(merchant, `story-no-links-${name}`)
    await merchant.goto(`${dashboard.url}/dashboard/links/new`)
    await type(merchant, '#f-title', 'Feed the seabirds')
    await type(merchant, '#f-suggested', '1 5 10')
    await type(merchant, '#f-address', address)
    await type(merchant, '#f-slug', 'seabirds')
    await look(merchant, `story-new-link-${name}`)
    await press(merchant, 'main form button:not([class])')
    assert.match(merchant.url(), /\/dashboard\/links\/lnk_\w+\?done=made$/)

    await visitor.goto(`${dashboard.url}/buy/seabirds`)
    assert.match(await visitor.innerText('body'), /Seabird Rescue[^]*Feed the seabirds/)
    await look(visitor, `story-donation-${name}`)
    await type(visitor, '#own', 'a lot')
    await press(visitor, 'form button')
    assert.match(await visitor.innerText('#wrong-own'), /Enter an amount/)
    assert.equal(await visitor.inputValue('#own'), 'a lot', 'nothing typed is lost')
    await type(visitor, '#own', '2.5')
    await press(visitor, 'form button')
    assert.match(visitor.url(), /\/pay\/[0-9a-f]{16}/)
    const mine = visitor.url()
    await visitor.reload()
    assert.equal(visitor.url(), mine, 'a reload shows the same payment')
    await look(visitor, `story-donation-pay-${name}`)
    assert.equal(await payLink(dashboard.gateway, visitor), address)
    await look(visitor, `story-donation-paid-${name}`)
    await merchant.reload()
    assert.match(await merchant.innerText('main'), /Paid orders\s*1/)
    await look(merchant, `story-donation-link-${name}`)
  })
})

test('a web shop: few pieces, a plan, a quantity, sold out, by keyboard', { timeout: 600_000 }, async (t) => {
  await walk(t, async ({ dashboard, merchant, visitor, name }) => {
    await merchant.goto(`${dashboard.url}/dashboard/links/new`)
    await type(merchant, '#f-title', 'Blue mug')
    await type(merchant, '#f-address', address)
    await type(merchant, '#f-slug', 'blue-mug')
    await type(merchant, '#f-sold_max', '2')
    await reach(merchant, 'main summary')
    await merchant.keyboard.press('Enter')
    for (const [at, title, value] of [
      [0, 'Small', '0.5'],
      [1, 'Large', '0.8'],
    ] as const) {
      await type(merchant, `[name="plans[${at}].title"]`, title)
      await type(merchant, `[name="plans[${at}].value"]`, value)
    }
    await type(merchant, '[name="quantity.max"]', '2')
    await reach(merchant, '[name="invoice.buyer"]')
    await merchant.keyboard.press('End')
    await type(merchant, '[name="invoice.tax[0].title"]', 'VAT')
    await type(merchant, '[name="invoice.tax[0].amount"]', '0.1')
    await press(merchant, 'main form button:not([class])')
    assert.match(await merchant.innerText('[id="f-invoice.tax"] > .error'), /plans/, 'taxes are of one price')
    await look(merchant, `story-shop-tax-refused-${name}`)
    await type(merchant, '[name="invoice.tax[0].title"]', ' ')
    await type(merchant, '[name="invoice.tax[0].amount"]', ' ')
    await press(merchant, 'main form button:not([class])')
    assert.match(merchant.url(), /\?done=made$/)
    await look(merchant, `story-shop-link-${name}`)

    await visitor.goto(`${dashboard.url}/buy/blue-mug`)
    await look(visitor, `story-shop-${name}`)
    await reach(visitor, '[name=plan]')
    await visitor.keyboard.press('ArrowDown')
    await type(visitor, '#quantity', '2')
    await type(visitor, '#buyer_name', 'Anna Berg')
    await type(visitor, '#buyer_address', 'Main Street 1')
    await look(visitor, `story-shop-buyer-${name}`)
    await press(visitor, 'form button')
    assert.match(await visitor.innerText('.price'), /^1\.6/, 'two large ones')
    assert.equal(await payLink(dashboard.gateway, visitor), address)
    const paper = (await visitor.locator('a[href*="/invoice"]').first().getAttribute('href'))!
    await visitor.goto(new URL(paper, dashboard.url).href)
    assert.match(await visitor.innerText('main'), /INV-000001[^]*Anna Berg[^]*Blue mug · Large/)
    await look(visitor, `story-shop-invoice-${name}`)
    await visitor.goto(`${dashboard.url}/buy/blue-mug`)
    assert.match(await visitor.innerText('main'), /Sold out/)
    await look(visitor, `story-sold-out-${name}`)
    await merchant.reload()
    assert.match(await merchant.innerText('main'), /Units sold\s*2 of 2/)
    await look(merchant, `story-shop-sold-${name}`)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, openTab, takeShot } from '../pages/browser.ts'
import { fundsOf } from '../support/blocks.ts'
import { ask } from '../support/gateway.ts'
import { isThorough } from '../support/thorough.ts'
import { until } from '../support/until.ts'
import { findMissing, serveWordPress } from './real-wordpress.ts'
import { openWooShop } from './woo-shop.ts'

/* The WooCommerce plug-in in a real WordPress on a real MariaDB. Distributions have no WooCommerce package, so its classes are stubs. */

const skip = isThorough ? (findMissing() ?? false) : 'with --thorough'

test(
  'in a real WordPress an order is paid, told by the webhook and refunded, and settings keep what they were given',
  { skip, timeout: 300_000 },
  async (t) => {
    const shop = await openWooShop(t, serveWordPress)
    const { node } = shop.gateway.app.devnet!
    assert.equal((await ask(shop.hook, { body: '{}' })).status, 503, 'without a secret nothing is taken')
    // WordPress adds slashes to input, so the value has backslashes and quotes.
    assert.deepEqual(await shop.save({ title: 'Nano \\ "fast" & free' }), [])
    const { html } = await shop.play<{ html: string }>('settings')
    assert.ok(html.includes('Nano \\ &quot;fast&quot; &amp; free'), html.slice(0, 400))
    assert.ok(!html.includes(shop.settings.secret_key!), 'the key never returns to a browser')
    await shop.save()
    const id = await shop.order('12.50')
    const checkout = await shop.checkout(await shop.toPay(id))
    const before = fundsOf(node, shop.customer.address)
    const hash = await shop.send(checkout.address, checkout.amount_raw)
    const paid = await shop.untilStatus(id, 'processing')
    assert.deepEqual([paid.transaction, paid.happened], [hash, ['payment_complete']])
    // Four workers at once: the lock is a row of the real options table.
    const body = JSON.stringify({
      id: 'evt_2',
      type: 'payment.completed',
      checkout_id: paid.checkouts[0],
      metadata: { order_id: String(id) },
    })
    const told = await Promise.all(Array.from({ length: 20 }, () => shop.tell(body)))
    assert.ok(
      told.every((status) => status === 200 || status === 503),
      String(told),
    )
    assert.deepEqual((await shop.show(id)).happened, ['payment_complete'])
    assert.deepEqual(await shop.play('refund', { id, amount: '12.50' }), { success: true })
    await until(() => fundsOf(node, shop.customer.address) === before)
    assert.deepEqual(await shop.play('log'), [])
    assert.ok(
      JSON.stringify(await shop.play('cron')).includes('nano_gateway_look'),
      'the time to pay is watched by its scheduler',
    )
  },
)

test(
  'in the admin of a real WordPress the plug-in is listed, and its button tests the connection as whoever is signed in',
  { skip, timeout: 300_000 },
  async (t) => {
    const shop = await openWooShop(t, serveWordPress)
    const { page } = await openTab(t, await openBrowser(), shop)
    await page.goto(`${shop.url}/wp-login.php`)
    await page.fill('#user_login', 'merchant')
    await page.fill('#user_pass', 'only for this test')
    await page.click('#wp-submit')
    await page.goto(`${shop.url}/wp-admin/plugins.php`)
    assert.match(
      await page.innerText('#the-list'),
      /Nano for WooCommerce[^]*Takes payments in nano through a nano-gateway/,
    )
    const press = async () => {
      await page.goto(`${shop.url}/wp-admin/admin.php?page=nano`)
      await page.click('#nano-gateway-test')
      await page.waitForSelector(
        '#nano-gateway-test-result li:has-text("✓"), #nano-gateway-test-result li:has-text("✗")',
      )
      return page.locator('#nano-gateway-test-result li').allInnerTexts()
    }
    assert.match((await press()).join(), /^✗ Not set yet: Gateway URL/)
    await shop.save()
    const lines = await press()
    await takeShot(page, 'wordpress-settings')
    assert.ok(lines.length === 4 && lines.every((line) => line.startsWith('✓')), lines.join())
    // Users without a session or without the settings page may not run the test.
    const body = new URLSearchParams({ action: 'nano_gateway_test', _ajax_nonce: '0123456789' }).toString()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await ask(`${shop.url}/wp-admin/admin-ajax.php`, { body, headers: form })).status, 400)
  },
)

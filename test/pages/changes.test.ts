import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertLease } from '../../src/modules/names/index.ts'
import { payLink } from './browser.ts'
import { shopAddress } from './dashboard-steps.ts'
import { type Walk, look, press, type, walk } from './story.ts'

/* Edits and purchases in the dashboard, and back again, with a browser and a keyboard. */

/** Pays the amount of the page's payment link, as a wallet would; then the page redirects back by itself. */
async function payAndReturn({ dashboard, merchant }: Walk): Promise<void> {
  // If there are several plans, one must be chosen first.
  await merchant.locator('a.wallet, [data-plan="0"]').first().waitFor()
  if ((await merchant.locator('a.wallet').count()) === 0) await press(merchant, '[data-plan="0"]')
  await payLink(dashboard.gateway, merchant)
  await press(merchant, 'a[data-return]')
}

test(
  'a checkout is changed, credits and a change of a name are bought, and each page says what was done',
  { timeout: 600_000 },
  async (t) => {
    await walk(t, async (walk) => {
      const { dashboard, merchant, key, accountId, name } = walk
      const { url, rest, ctx } = dashboard
      const made = { address: shopAddress, amount: '2', title: 'Blue mug', metadata: { order: 'A-17' } }
      const { id } = await rest<{ id: string }>('POST', '/api/checkouts', key, made)
      await merchant.goto(`${url}/dashboard/checkouts/${id}`)
      await press(merchant, 'a[href$="/edit"]')
      await type(merchant, '#f-title', 'Green mug')
      await type(merchant, '#f-amount', 'a lot')
      await press(merchant, 'main .save button')
      // The summary links to the field, which already has the focus.
      assert.equal(await merchant.locator('.notice.failed a').getAttribute('href'), '#f-amount')
      assert.equal(await merchant.evaluate('document.activeElement.id'), 'f-amount')
      assert.equal(await merchant.getAttribute('#f-amount', 'aria-invalid'), 'true')
      assert.equal(await merchant.inputValue('#f-title'), 'Green mug', 'nothing typed is lost')
      await look(merchant, `changes-refused-${name}`)
      await type(merchant, '#f-amount', '3')
      await press(merchant, 'main .save button')
      assert.match(await merchant.innerText('main'), /Green mug[^]*Changes saved/)
      type Own = { checkout: { title: string; fiat_amount?: string; metadata: object }; timeline: unknown[] }
      const { checkout } = await rest<Own>('GET', `/api/checkouts/${id}`, key)
      assert.deepEqual([checkout.title, checkout.metadata], ['Green mug', { order: 'A-17' }])
      // Once the payment page was opened, its terms are fixed, and the form has no fields for them.
      await walk.visitor.goto(`${url}/pay/${id}`)
      await merchant.goto(`${url}/dashboard/checkouts/${id}/edit`)
      assert.equal(await merchant.locator('#f-amount').count(), 0)

      await merchant.goto(`${url}/dashboard/credits`)
      await press(merchant, 'main .actions button')
      await payAndReturn(walk)
      assert.match(await merchant.innerText('main .notice.done'), /^Paid: .*credits\.$/i)
      await look(merchant, `changes-bought-${name}`)
      const back = new URL(merchant.url())
      const stranger = await dashboard.enter((await dashboard.join('other@example.com')).key)
      const theirs = await dashboard.get(`${back.pathname}${back.search}`, stranger)
      assert.deepEqual([theirs.status, /Paid:/.test(theirs.text)], [200, false], 'another account is not told')

      const now = ctx.clock.now()
      const lease = {
        key: 'bluemug',
        name: 'BlueMug',
        owner: shopAddress,
        address: shopAddress,
        accountId,
        indexed: false,
      }
      const times = { createdAt: now, expiresAt: now + 86_400_000, graceUntil: now + 2 * 86_400_000, changedAt: now }
      await insertLease(ctx.db, { ...lease, ...times, profile: { title: 'Mugs', github: 'mugs' } })
      await merchant.goto(`${url}/dashboard/names`)
      await press(merchant, 'a[href$="/names/bluemug"]')
      await type(merchant, '#f-website', 'https://mugs.example')
      await type(merchant, '#f-github', ' ')
      await look(merchant, `changes-name-${name}`)
      await press(merchant, 'form[aria-label="Edit name"] button')
      await payAndReturn(walk)
      assert.match(await merchant.innerText('main .notice.done'), /@BlueMug changed/)
      assert.equal(await merchant.inputValue('#f-website'), 'https://mugs.example')
      assert.equal(await merchant.inputValue('#f-github'), '')
      assert.equal(await merchant.inputValue('#f-title'), 'Mugs')
    })
  },
)

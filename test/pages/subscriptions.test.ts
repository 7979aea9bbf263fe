import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { until } from '../support/until.ts'
import { payLink } from './browser.ts'
import { type Walk, look, press, reach, type, walk } from './story.ts'

/* A club and its member, with a browser and only a keyboard: subscribed, reminded, paid again, ended. On a phone and on a desktop, light or dark. */

const { address } = new Signer(74)

/** Advances to the reminder and returns the link of its mail. The member also got a receipt. */
async function reminded({ dashboard: { ctx, url } }: Walk): Promise<string> {
  const { db } = ctx
  await db.updateTable('subscriptions').set({ due_at: 1 }).execute()
  await db.updateTable('jobs').set({ run_at: 1 }).where('kind', '=', 'links.subscriptions').execute()
  ctx.wakeJobs()
  const find = async () => {
    const mails = await db.selectFrom('mails').select('text').execute()
    return mails.map(({ text }) => /\/subscriptions\/\S+/.exec(text)?.[0]).find((path) => path !== undefined)
  }
  await until(async () => (await find()) !== undefined)
  return `${url}${await find()}`
}

test('a subscription: made, paid, reminded, paid again and ended, by keyboard', { timeout: 600_000 }, async (t) => {
  await walk(t, async (walk) => {
    const { dashboard, merchant, visitor, name } = walk
    await merchant.goto(`${dashboard.url}/dashboard/links/new?for=membership`)
    await type(merchant, '#f-title', 'Chess club <b>')
    await type(merchant, '#f-slug', 'chess-club')
    await type(merchant, '#f-address', address)
    await press(merchant, 'main form button:not([class])')
    assert.equal(await merchant.innerText('#amount-error'), 'Price must be an amount such as 12.50.')
    await type(merchant, '#f-amount', '2')
    await look(merchant, `story-subscription-form-${name}`)
    await press(merchant, 'main form button:not([class])')

    await visitor.goto(`${dashboard.url}/buy/chess-club`)
    await type(visitor, '#email', 'member@example.com')
    await look(visitor, `story-subscription-offer-${name}`)
    await press(visitor, 'form button')
    assert.equal(await payLink(dashboard.gateway, visitor), address)
    await press(merchant, '.title .actions a[href$="/subscriptions"]')
    assert.match(await merchant.innerText('main'), /member@example\.com[^]*active/)
    await look(merchant, `story-subscriptions-${name}`)

    await visitor.goto(await reminded(walk))
    assert.match(await visitor.innerText('.price'), /^2 nano$/)
    await look(visitor, `story-subscription-payer-${name}`)
    const own = visitor.url()
    await press(visitor, 'form[action$="/renew"] button')
    assert.equal(await payLink(dashboard.gateway, visitor), address)
    await merchant.reload()
    assert.match(await merchant.innerText('main'), /active[^]*\s2\s/)
    await visitor.goto(own)
    await reach(visitor, 'details.ending summary')
    await visitor.keyboard.press('Enter')
    await press(visitor, 'form[action$="/end"] button')
    assert.match(await visitor.innerText('main'), /is cancelled/)
    assert.equal(await visitor.locator('main form').count(), 0)
    await look(visitor, `story-subscription-ended-${name}`)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallClockOf } from '../../src/kernel/calendar.ts'
import { until } from '../support/until.ts'
import { pay } from './browser.ts'
import { groupsOf, openDashboard, shopAddress, tabsOf } from './dashboard-steps.ts'

/* Lists of payments: revenue by day, the buyers, and open tasks in the menu. */

const bare = (html: string) => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

test('days of payments have their sales, in the time zone of the shop, and rows the buyer', async (t) => {
  const { get, enter, join, rest, ctx } = await openDashboard(t)
  const { key } = await join('owner@example.com')
  const cookie = await enter(key)
  await rest('PUT', '/api/account/profile', key, { currency: 'EUR', time_zone: 'Pacific/Auckland' })
  // Half an hour before midnight in Auckland, in summer and in winter, whenever this runs.
  const day = Math.floor(ctx.clock.now() / 86_400_000) * 86_400_000
  const sold = async (title: string, amount: string, paid: number | undefined, more: object = {}) => {
    const fields = { title, amount, currency: 'EUR', address: shopAddress, ...more }
    const { id, amount_raw: raw } = await rest<{ id: string; amount_raw: string }>(
      'POST',
      '/api/checkouts',
      key,
      fields,
    )
    const state = paid === undefined ? {} : { status: 'complete' as const, paid_raw: raw, paid_at: paid }
    const at = { created_at: paid ?? day - 40 * 3_600_000 }
    await ctx.db
      .updateTable('checkouts')
      .set({ ...at, ...state })
      .where('id', '=', id)
      .execute()
  }
  await sold('Beans', '8.90', day - 40 * 3_600_000, { buyer: { name: 'Marta Kowalska', email: 'marta@example.com' } })
  await sold('Cake', '3.80', day - 39 * 3_600_000, { buyer: { email: 'jonas@example.com' } })
  await sold('Brush', '4.20', undefined)
  await sold('Club', '15', day - 70 * 3_600_000)
  const page = bare((await get('/dashboard/checkouts', cookie)).text)
  const sums = [...page.matchAll(/(?:day) \d+ \w+ (€[\d.]+)/g)].map(([, sum]) => sum)
  assert.deepEqual(sums, ['€12.70', '€15.00'])
  assert.match(page, /Beans \d\d:\d\d · Marta Kowalska/)
  assert.match(page, /Cake \d\d:\d\d · jonas@example\.com/)
  const found = bare((await get('/dashboard/checkouts?text=beans', cookie)).text)
  assert.doesNotMatch(found, /€12\.70/, 'a part of a day is not its sum')
  const { text } = await get('/dashboard/keys', cookie)
  const [, iso, utc, shown] = /<time datetime="([^"]+)" title="([^"]+) UTC">([^<]+)</.exec(text)!
  assert.equal(utc, iso!.slice(0, 16).replace('T', ' '))
  assert.equal(shown, wallClockOf('Pacific/Auckland')(Date.parse(iso!)), 'no page is in another time')
  assert.match(bare((await get('/dashboard/checkouts/refunds', cookie)).text), /Nothing was refunded/)
})

test('money that fits nothing was seen only by who looked for it: the menu counts it', async (t) => {
  const { get, enter, join, rest, gateway } = await openDashboard(t)
  const { key } = await join(null)
  const cookie = await enter(key)
  const stranger = await enter((await join(null)).key)
  const titles = async (as: string) => {
    const { text } = await get('/dashboard/checkouts', as)
    return [groupsOf(text), tabsOf(text)].map((links) =>
      links.map(({ title }) => title).find((title) => / waiting/.test(title)),
    )
  }
  await rest('POST', '/api/checkouts', key, { address: shopAddress, amount: '1' })
  assert.deepEqual(await titles(cookie), [undefined, undefined])
  await pay(gateway, shopAddress, 7n * 10n ** 30n)
  await until(async () => (await titles(cookie))[0] !== undefined)
  assert.deepEqual(await titles(cookie), ['Payments1 waiting', 'Unmatched1 waiting'])
  assert.deepEqual(await titles(stranger), [undefined, undefined])
})

test('an invoice was found by searching alone', async (t) => {
  const { get, enter, join, rest } = await openDashboard(t)
  const { key } = await join(null)
  const cookie = await enter(key)
  const invoice = { lines: [{ title: 'Lamp', price: '1' }], buyer: { name: 'Studio Nord' } }
  await rest('POST', '/api/checkouts', key, { address: shopAddress, amount: '1', title: 'Lamp', invoice })
  await rest('POST', '/api/checkouts', key, { address: shopAddress, amount: '1', title: 'Mug' })
  const page = bare((await get('/dashboard/checkouts/invoices', cookie)).text)
  assert.match(page, /Lamp \d\d:\d\d · Studio Nord/)
  assert.doesNotMatch(page, /Mug/)
})

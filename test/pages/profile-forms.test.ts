import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLease } from '../../src/modules/names/index.ts'
import { sendUpload } from '../support/form-steps.ts'
import { leaseName } from '../support/lease-name.ts'
import { PNG } from '../support/pictures.ts'
import { until } from '../support/until.ts'
import { openBrowser, openTab, pay, signIn } from './browser.ts'
import { openDashboard, shopAddress, tokensOf } from './dashboard-steps.ts'

/* What payers see of a shop and of a name, as their owners fill it in. */

test('a colour had to be known as six digits; now it is picked, with scripts or without, and can still be typed', async (t) => {
  const dashboard = await openDashboard(t)
  const { key } = await dashboard.join(null)
  const cookie = await dashboard.enter(key)
  const stored = async () =>
    (await dashboard.rest<{ profile: { accent: string | null } }>('GET', '/api/account/profile', key)).profile.accent
  for (const javaScriptEnabled of [false, true]) {
    const { page } = await openTab(t, await openBrowser(), dashboard.gateway, { javaScriptEnabled })
    await signIn(page, dashboard.url, cookie)
    const picker = page.getByLabel('Pick the colour')
    const save = async (text: string | undefined, picked: string | undefined) => {
      await page.goto(`${dashboard.url}/dashboard/profile`)
      if (picked !== undefined) await picker.fill(picked)
      if (javaScriptEnabled && picked !== undefined) assert.equal(await page.inputValue('#f-accent'), picked)
      if (text !== undefined) await page.fill('#f-accent', text)
      if (javaScriptEnabled && text?.length === 7) assert.equal(await picker.inputValue(), text.toLowerCase())
      await page.click('main form button')
      return stored()
    }
    assert.equal(await save(undefined, '#e8b800'), '#e8b800')
    assert.equal(await save(undefined, undefined), '#e8b800')
    assert.equal(await save('#ABC', undefined), '#aabbcc')
    assert.equal(await save('#12AB56', '#e8b800'), '#12ab56')
    assert.equal(await save('blue', '#e8b800'), '#12ab56')
    assert.equal(await page.inputValue('#f-accent'), 'blue')
    assert.equal(await page.innerText('#accent-error'), 'Colour must be a colour such as #1a5fc7.')
    assert.equal(await save('', undefined), null)
  }
})

test('the picture of a name had to be online somewhere; now a file is enough, and all mistakes are named at once', async (t) => {
  const { get, url, enter, join, ctx, gateway } = await openDashboard(t)
  const { key, accountId } = await join('owner@example.com')
  const cookie = await enter(key)
  const name = await leaseName(ctx, accountId, shopAddress)
  const path = `/dashboard/names/${name}`
  const send = async (fields: Record<string, string>, files: Record<string, Buffer> = {}) =>
    sendUpload(`${url}${path}`, { ...tokensOf((await get(path, cookie)).text), ...fields }, files, { cookie })
  const profile = async (): Promise<Record<string, unknown>> => {
    const { address, profile: held } = (await findLease(ctx.db, name))!
    return { address, ...held }
  }
  const buy = async (fields: Record<string, string>, files?: Record<string, Buffer>) => {
    const before = await profile()
    const sent = await send(fields, files)
    assert.equal(sent.status, 303, sent.text)
    const [id] = /[0-9a-f]{16}/.exec(sent.headers.location!)!
    const checkout = (await gateway.rest('GET', `/checkout/${id}`)).json<{ address: string; amount_raw: string }>()
    await pay(gateway, checkout.address, checkout.amount_raw)
    await until(async () => JSON.stringify(await profile()) !== JSON.stringify(before))
    return profile()
  }
  const wrong = await send(
    { address: 'nano_nobody', title: 'Tea & Co', website: 'javascript:alert(1)', github: 'x'.repeat(100) },
    { 'image.file': Buffer.from('<svg/>') },
  )
  assert.equal(wrong.status, 400)
  const errors = [...wrong.text.matchAll(/class="error" id="(.+?)-error">(.+?)</g)].map(([, , text]) => text)
  assert.deepEqual(errors, [
    'Address must be a Nano address.',
    'Website must be an address that begins with https:// or http://.',
    'The file must be a still picture in PNG, JPEG or WebP.',
    'GitHub must be a text of 1 to 99 characters.',
  ])
  for (const typed of ['nano_nobody', 'Tea &amp; Co', 'javascript:alert(1)'])
    assert.ok(wrong.text.includes(`"${typed}"`))

  const fields = { address: shopAddress, title: 'Tea & Co' }
  const { image, ...rest } = await buy(fields, { 'image.file': PNG })
  assert.deepEqual(rest, fields)
  assert.match(String(image), new RegExp(`^${url}/pictures/[0-9a-f]{32}$`))
  assert.equal((await get(new URL(String(image)).pathname)).headers['content-type'], 'image/png')
  assert.match((await get(path, cookie)).text, /<img src="\/pictures\/[0-9a-f]{32}" alt="The picture as it is"/)
  assert.deepEqual(await buy({ ...fields, image: String(image), title: 'Tea' }), { ...fields, image, title: 'Tea' })
  const without = await buy({ ...fields, title: 'Tea', image: String(image), 'image.remove': 'yes' })
  assert.deepEqual(without, { ...fields, title: 'Tea' })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertLease } from '../../src/modules/names/store.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { ask } from '../support/gateway.ts'
import { DESK, PHONE, assertGood, openBrowser, openTab } from './browser.ts'
import { type Dashboard, openDashboard } from './dashboard-steps.ts'
import { look as lookAt, press, type } from './story.ts'

/* `/@name`: the page that shows whom a name pays, for people who come across it. Search engines must not index it. */

const { address } = new Signer(91)
const DAY = 86_400_000
const EMAIL = 'hidden@example.org'

async function lease({ ctx }: Dashboard, accountId: string | null, key = 'seabirds', endsIn = 30 * DAY): Promise<void> {
  const now = ctx.clock.now()
  await insertLease(ctx.db, {
    ...{ key, name: 'SeaBirds', owner: address, address, accountId, createdAt: now, changedAt: now, indexed: false },
    ...{ expiresAt: now + endsIn, graceUntil: now + endsIn + 10 * DAY },
    profile: { title: '<b>We feed</b> seabirds', website: 'https://seabirds.example/about', location: 'Texel' },
  })
}

test(
  'a name has a page to pay it, with and without scripts, by keyboard, and names no account',
  { timeout: 300_000 },
  async (t) => {
    const dashboard = await openDashboard(t)
    const { url, rest } = dashboard
    const { key, accountId } = await dashboard.join(EMAIL)
    const profile = { name: 'Seabird Rescue', accent: '#e8b800', support_email: EMAIL }
    await rest('PUT', '/api/account/profile', key, profile)
    await lease(dashboard, accountId)
    const browser = await openBrowser()
    for (const [size, colorScheme, javaScriptEnabled] of [
      [PHONE, 'light', true],
      [DESK, 'dark', true],
      [DESK, 'light', false],
    ] as const) {
      const options = { ...size, colorScheme, javaScriptEnabled }
      // axe-core itself needs scripts.
      const look = javaScriptEnabled ? lookAt : () => undefined
      const { page, misconduct } = await openTab(t, browser, dashboard.gateway, options)
      await page.goto(`${url}/@seabirds`)
      const name = `name-${size.viewport.width}-${colorScheme}`
      await look(page, name)
      const text = await page.content()
      assert.match(
        await page.innerText('body'),
        /Seabird Rescue[^]*@SeaBirds[^]*<b>We feed<\/b> seabirds[^]*seabirds\.example[^]*Texel/,
      )
      for (const secret of [EMAIL, accountId]) assert.ok(!text.includes(secret), secret)
      assert.equal(await page.locator('a.wallet').getAttribute('href'), `nano:${address}`)
      await type(page, '#amount', '1,5')
      await press(page, 'form.amount button')
      assert.equal(await page.locator('a.wallet').getAttribute('href'), `nano:${address}?amount=15${'0'.repeat(29)}`)
      assert.match((await page.getByRole('img').getAttribute('aria-label'))!, /1\.5 nano/)
      await look(page, `${name}-amount`)
      await type(page, '#amount', '-3')
      await press(page, 'form.amount button')
      assert.match(await page.innerText('#wrong'), /Enter an amount/)
      assert.equal(await page.locator('a.wallet').count(), 0, 'nothing to pay with where it is not clear how much')
      assert.equal(await page.locator('.qr').count(), 0)
      await look(page, `${name}-wrong`)
      assert.equal(await page.locator('.copy:visible').count(), 0)
      await page.goto(`${url}/@SEABIRDS?lang=de`)
      assert.match(await page.innerText('h2'), /@SeaBirds\u2069 bezahlen/)
      assert.equal(await page.locator('.copy:visible').count(), javaScriptEnabled ? 1 : 0)
      await page.goto(`${url}/@nobody`)
      assert.match(await page.innerText('h1'), /Name not found/)
      await look(page, `${name}-none`)
      assertGood(misconduct)
    }
  },
)

test('a buyer of a name sees its future owner before the QR code, and chooses the period', async (t) => {
  const dashboard = await openDashboard(t)
  const { browser } = (await dashboard.gateway.call('get_name', { name: 'puffin' })).json<{ browser: string }>()
  const { page, misconduct } = await openTab(t, await openBrowser(), dashboard.gateway, PHONE)
  await page.goto(browser)
  assert.match(
    await page.innerText('.description'),
    /the address that pays becomes its owner[^]*Do not pay from an exchange/,
  )
  assert.equal(await page.locator('.qr, a.wallet, .price, [data-plan][aria-current]').count(), 0, 'nothing is chosen')
  await lookAt(page, 'name-offer-390-light')
  await page.locator('[data-plan="0"]').click()
  await page.locator('.qr').waitFor()
  assert.match(page.url(), /plan=0/)
  const [warning, code] = await Promise.all([
    page.locator('.description').boundingBox(),
    page.locator('.qr').boundingBox(),
  ])
  assert.ok(warning!.y + warning!.height <= code!.y, 'the warning stands above the code')
  await lookAt(page, 'name-offer-chosen-390-light')
  assertGood(misconduct)
})

test('search engines list a page only where its owner has said so, and a lapsed name has none', async (t) => {
  const clock = new TestClock()
  const dashboard = await openDashboard(t, {}, clock)
  const { url, rest, get, enter, send } = dashboard
  const { key, accountId } = await dashboard.join(null)
  const other = await dashboard.join(null)
  await lease(dashboard, accountId)
  const robots = async (path: string) => {
    const { headers, text, status } = await get(path)
    assert.equal(status, 200)
    assert.equal(
      headers['x-robots-tag'] !== undefined,
      text.includes('<meta name="robots" content="noindex, nofollow"'),
    )
    return headers['x-robots-tag']
  }
  assert.equal(await robots('/@seabirds'), 'noindex, nofollow')
  for (const [name, body, who, status] of [
    ['seabirds', { indexed: true }, other.key, 404],
    ['nobody', { indexed: true }, key, 404],
    ['seabirds', { indexed: 'perhaps' }, key, 400],
    ['seabirds', {}, key, 400],
  ] as const) {
    assert.equal((await dashboard.gateway.rest('PUT', `/api/names/${name}`, who, body)).status, status)
  }
  assert.equal(await robots('/@seabirds'), 'noindex, nofollow')
  const changed = await rest<{ indexed: boolean }>('PUT', '/api/names/SeaBirds', key, { indexed: true })
  assert.equal(changed.indexed, true)
  assert.equal(await robots('/@seabirds'), undefined)
  assert.equal(await robots('/@seabirds?amount=1'), 'noindex, nofollow')
  const { names } = await rest<{ names: { name: string }[] }>('GET', '/api/names', key)
  assert.deepEqual([names.length, names[0]?.name], [1, 'SeaBirds'])
  assert.deepEqual(await rest('GET', '/api/names', other.key), { names: [], next_cursor: null })
  const cookie = await enter(key)
  assert.match((await get('/dashboard/names', cookie)).text, /Hide from search engines/)
  await send('/dashboard/names', '/dashboard/names/SeaBirds/indexing', { indexed: 'false' }, cookie)
  assert.equal(await robots('/@seabirds'), 'noindex, nofollow')
  const program = (path: string) => ask(`${url}${path}`, { method: 'GET', headers: { accept: 'application/json' } })
  assert.deepEqual((await program('/@seabirds?amount=2')).json(), {
    name: 'SeaBirds',
    address,
    link: `nano:${address}?amount=2${'0'.repeat(30)}`,
    amount: '2',
    amount_raw: `2${'0'.repeat(30)}`,
    title: '<b>We feed</b> seabirds',
    website: 'https://seabirds.example/about',
  })
  for (const amount of ['0', '-1', 'NaN', '1e3', '9'.repeat(60), '1&amount=2', '%00']) {
    assert.equal((await program(`/@seabirds?amount=${amount}`)).status, 400, amount)
    assert.equal((await get(`/@seabirds?amount=${amount}`)).status, 400, amount)
  }
  clock.advance(31 * DAY)
  const { status, text } = await get('/@seabirds')
  assert.equal(status, 404)
  assert.ok(!text.includes(address))
  assert.equal((await program('/@seabirds')).json<{ code: string }>().code, 'not_found')
  for (const name of ['', 'a%2fb', '%3Cscript%3E', 'a'.repeat(900), 'nаme']) {
    assert.equal((await get(`/@${encodeURI(name)}`)).status, 404, name)
  }
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ask } from '../support/gateway.ts'
import { JPEG, PNG, WEBP_LOSSY } from '../support/pictures.ts'
import { type Shop, bearer, merchant, openWorld, untilStatus } from '../support/checkout-steps.ts'
import { until } from '../support/until.ts'
import { serve } from '../support/serve.ts'
import { assertNamed, wrongIn } from '../support/wrong-fields.ts'

/* Contract 4.9: the profile of a merchant. Every field is set by the merchant and shown to payers. */

const { address } = merchant
const PATH = '/api/account/profile'
const EMPTY = {
  ...{ name: null, logo: null, logo_url: null, website: null, accent: null, updated_unix: null },
  ...{ support_email: null, support_url: null, terms_url: null, currency: null, time_zone: null },
}
const EVIL = '"><script>alert(1)</script>'

type Profile = Record<keyof typeof EMPTY, string | null>

const change = async (shop: Shop, key: string, body: object) => {
  const reply = await shop.rest('PUT', PATH, key, body)
  return { status: reply.status, ...reply.json<{ profile: Profile; field: string; error: string }>() }
}

/** A web server with images; returns its address. */
async function openHost(t: TestContext, files: Record<string, Buffer>): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const url = await serve(t, ({ url = '' }, response) => {
    asked.push(url)
    const file = files[url]
    if (url === '/moved') response.writeHead(302, { location: '/logo.png' }).end()
    else if (file) response.writeHead(200, { 'content-type': 'text/html' }).end(file)
    else response.writeHead(404).end()
  })
  return { url, asked }
}

const page = (shop: Shop, path: string) =>
  ask(`${shop.url}${path}`, { method: 'GET', headers: { accept: 'text/html' } })

test('a profile is empty at first, changes only the given fields, is private, and names invalid ones (contract 4.9, rules 1 and 2)', async (t) => {
  const shop = await (await openWorld(t)).start({ WEBHOOK_ALLOW_PRIVATE: 'true' })
  const [owner, other] = [await shop.join(), await shop.join()]
  assert.deepEqual((await shop.rest('GET', PATH, owner.key)).json(), { profile: EMPTY })
  const first = await change(shop, owner.key, { name: 'Blue Mug', website: 'https://shop.example/', accent: '#FA0' })
  assert.equal(first.status, 200)
  const { updated_unix: at } = first.profile
  assert.ok(Number(at) > 0)
  const said = { name: 'Blue Mug', website: 'https://shop.example/', accent: '#ffaa00', updated_unix: at }
  assert.deepEqual(first.profile, { ...EMPTY, ...said })
  const second = await change(shop, owner.key, { website: null, accent: '', support_email: 'help@shop.example' })
  const { name, website, accent, support_email: mail } = second.profile
  assert.deepEqual([name, website, accent, mail], ['Blue Mug', null, null, 'help@shop.example'])
  assert.deepEqual((await shop.rest('GET', PATH, owner.key)).json(), { profile: second.profile })
  assert.deepEqual((await shop.rest('GET', PATH, other.key)).json(), { profile: EMPTY })
  assert.equal((await shop.rest('GET', PATH)).status, 401)

  const { key } = owner
  await assertNamed(
    (wrong) => shop.rest('PUT', PATH, key, { name: 'Changed', ...wrong }),
    [
      wrongIn('name', 'x'.repeat(81), 'Blue\u0000Mug', { toString: 1 }),
      wrongIn('website', 'javascript://shop.example/%0aalert(1)', 'https://shop.example@evil.example/'),
      wrongIn('terms_url', 'data:text/html,x'),
      wrongIn('support_url', 'ftp://shop.example/'),
      wrongIn('support_email', 'a@b\r\nbcc: c@d.example'),
      wrongIn('accent', 'red;}body{display:none', 7),
    ],
  )
  assert.deepEqual((await shop.rest('GET', PATH, key)).json(), { profile: second.profile }, 'nothing was changed')
  assert.equal((await change(shop, key, { name: '  Blue\u202e\u200b Mug\u0007 ' })).profile.name, 'Blue Mug')
  assert.equal((await change(shop, key, { name: 'é'.repeat(80) })).status, 200)
})

test('a logo is fetched once, written anew and served by us; what is no picture is refused (contract 4.9, rule 3)', async (t) => {
  const shop = await (await openWorld(t)).start({ WEBHOOK_ALLOW_PRIVATE: 'true' })
  const { key } = await shop.join()
  const host = await openHost(t, {
    '/logo.png': Buffer.concat([PNG, Buffer.from(EVIL)]),
    '/photo.jpg': JPEG,
    '/logo.webp': WEBP_LOSSY,
    '/logo.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><script/></svg>'),
    '/large.png': Buffer.concat([PNG, Buffer.alloc(512 * 1024)]),
    '/page.html': Buffer.from('<script>alert(1)</script>'),
  })
  const { profile } = await change(shop, key, { logo: `${host.url}/logo.png` })
  assert.equal(profile.logo, `${host.url}/logo.png`)
  assert.match(profile.logo_url!, new RegExp(`^${shop.url}/logos/[0-9a-f]{32}$`))
  const { status, headers, text } = await ask(profile.logo_url!, { method: 'GET' })
  assert.deepEqual([status, headers['content-type']], [200, 'image/png'])
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['content-security-policy'], "default-src 'none'; sandbox")
  assert.ok(!text.includes('script'))
  for (const [file, type] of Object.entries({ 'photo.jpg': 'image/jpeg', 'logo.webp': 'image/webp' })) {
    const changed = (await change(shop, key, { logo: `${host.url}/${file}` })).profile.logo_url!
    assert.equal((await ask(changed, { method: 'GET' })).headers['content-type'], type)
  }
  assert.equal((await ask(profile.logo_url!, { method: 'GET' })).status, 404, 'the old one is gone')
  for (const file of ['logo.svg', 'large.png', 'page.html', 'none.png', 'moved']) {
    const refused = await change(shop, key, { logo: `${host.url}/${file}` })
    assert.deepEqual([refused.status, refused.field], [400, 'logo'], file)
  }
  const kept = (await shop.rest('GET', PATH, key)).json<{ profile: Profile }>().profile
  assert.equal(kept.logo, `${host.url}/logo.webp`)
  const before = host.asked.length
  await change(shop, key, { name: 'Blue Mug' })
  assert.equal(host.asked.length, before, 'what is not sent is not fetched')
  const gone = (await change(shop, key, { logo: null })).profile
  assert.deepEqual([gone.logo, gone.logo_url], [null, null])
  assert.equal((await ask(kept.logo_url!, { method: 'GET' })).status, 404)
})

test('with a name, payers see who is being paid, in a colour with a sheet of its own; without one, the address and nothing else (contract 4.9, rules 4 and 5)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start({ WEBHOOK_ALLOW_PRIVATE: 'true' })
  const { key } = await shop.join()
  const host = await openHost(t, { '/logo.png': PNG })
  const made = await shop.open({ address, amount: '1', notify: 'shop@example.com' }, bearer(key))
  const links = { website: 'https://shop.example/', terms_url: 'https://shop.example/terms' }
  const support_email = 'help@shop.example'
  await change(shop, key, { ...links, support_email, accent: '#ffee00', logo: `${host.url}/logo.png` })
  const nameless = await page(shop, `/pay/${made.id}`)
  assert.match(nameless.text, new RegExp(address.slice(-6)))
  assert.doesNotMatch(nameless.text, /shop\.example|logos|accents|class="merchant/)
  assert.equal((await shop.rest('GET', `/checkout/${made.id}`)).json<{ merchant?: object }>().merchant, undefined)

  await change(shop, key, { name: `Blue Mug ${EVIL}` })
  await world.pay(address, made.amount_raw)
  await untilStatus(shop, made.id, 'complete')
  for (const path of [`/pay/${made.id}`, `/pay/${made.id}/receipt`]) {
    const { text } = await page(shop, path)
    assert.match(text, /<span dir="auto">Blue Mug &quot;(>|&gt;)&lt;script/, path)
    assert.doesNotMatch(text, /<script>alert/)
    assert.match(text, /src="\/logos\/[0-9a-f]{32}"/, path)
    assert.match(text, /<link rel="stylesheet" href="\/accents\/ffee00\.css"/, path)
    for (const link of [...Object.values(links), `mailto:${support_email}`]) {
      assert.ok(text.includes(`<a href="${link}"`), `${path} ${link}`)
    }
  }
  const record = await shop.rest('GET', `/checkout/${made.id}`)
  const { name, logo } = record.json<{ merchant: Record<string, string> }>().merchant
  assert.equal(name, `Blue Mug ${EVIL}`)
  assert.match(logo!, new RegExp(`^${shop.url}/logos/`))
  const admin = shop.app.createdKey!
  await until(async () => {
    const { mails } = (await shop.rest('GET', '/api/mails', admin)).json<{ mails: { text: string }[] }>()
    return mails.some(({ text }) => text.includes(`To: Blue Mug ${EVIL}`))
  })
  const anonymous = await shop.open({ address, amount: '1' })
  assert.doesNotMatch((await page(shop, `/pay/${anonymous.id}`)).text, /Blue Mug/)

  const sheet = await ask(`${shop.url}/accents/ffee00.css`, { method: 'GET' })
  assert.deepEqual([sheet.status, sheet.headers['content-type']], [200, 'text/css; charset=utf-8'])
  // Yellow on white is not readable, so texts are darker and the buttons have black letters.
  assert.match(sheet.text, /^\.pay\{--accent:#(?!ffee00)[0-9a-f]{6};/)
  assert.match(sheet.text, /\.button:not\(\.quiet\)\{background:#ffee00;color:#000000;/)
  for (const name of ['ffee0.css', 'ffee00', 'FFEE00.css', 'ffee00%7D.css']) {
    assert.equal((await ask(`${shop.url}/accents/${name}`, { method: 'GET' })).status, 404, name)
  }
})

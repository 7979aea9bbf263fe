import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { type TestContext, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { revokeKey } from '../../src/modules/accounts/index.ts'
import { Signer } from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { emptyUrl } from '../support/empty-store.ts'
import { ENGINES } from '../support/engines.ts'
import { type Gateway, type Reply, ask, bearer, openGateway, sharedKeys } from '../support/gateway.ts'
import { row } from './row.ts'

/* An anonymous caller can only use up their own limits (contract 8). */

const SHOP = 'https://shop.example'
const merchant = new Signer(1).address
const other = new Signer(2).address

async function openOn(t: TestContext, engine: StoreEngine, env: Record<string, string> = {}, clock = new TestClock()) {
  return openGateway(t, { DATABASE_URL: await emptyUrl(t, engine), ...env }, clock)
}

/** A merchant with a secret key and a public one that is in every page of the shop. */
async function openShop({ call, join }: Gateway) {
  const { accountId, key: secretKey, keyId, headers, issue } = await join({ role: 'admin' })
  const public_key = await issue('public', [SHOP])
  const sale = { address: merchant, amount: '1' }
  return {
    accountId,
    secretKey,
    keyId,
    asStranger: (fields: object = {}) => call('checkout', { ...sale, public_key, ...fields }, { origin: SHOP }),
    asMerchant: (fields: object = {}) => call('checkout', { ...sale, ...fields }, headers),
  }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

/** Signs in with a key; returns the cookie. */
async function enter({ url }: Gateway, key: string): Promise<string> {
  const body = new URLSearchParams({ key }).toString()
  const { headers } = await ask(`${url}/dashboard/sign-in/key`, { headers: FORM, body })
  return String(headers['set-cookie']).split(';')[0]!
}

const assertOverLimit = (reply: Reply, detail: RegExp, code = 'too_many_requests') => {
  const body = reply.json()
  assert.deepEqual([reply.status, body.code], [429, code], reply.text)
  assert.match(body.detail!, detail)
}

describe('strangers', { concurrency: 2 }, () => {
  for (const engine of ENGINES) {
    test(`${engine}: the shop still sells with its secret key while somebody uses up its public key (contract 8, Plans: public key; 8, Checkout: open checkouts of a public key on one address; 5, rule 20)`, async (t) => {
      const gateway = await openOn(t, engine, {
        LIMIT_PUBLIC_KEY_PER_MINUTE: '5',
        LIMIT_FREE_PER_MINUTE: '20',
        CHECKOUT_OPEN_PUBLIC_KEY_MAX: '3',
        CHECKOUT_OPEN_MAX: '4',
      })
      const { asStranger, asMerchant } = await openShop(gateway)
      for (let made = 0; made < 3; made++) assert.equal((await asStranger()).status, 200)
      assertOverLimit(await asStranger(), /^3 open checkouts on one address with a public key/)
      // The cap of one address does not affect others, and the fifth request of the minute was the last.
      assert.equal((await asStranger({ address: other })).status, 200)
      for (let more = 0; more < 50; more++) {
        assertOverLimit(await asStranger(), /^5 requests a minute with a public key from one address/)
      }
      for (let made = 0; made < 4; made++) assert.equal((await asMerchant()).status, 200)
      assertOverLimit(await asMerchant(), /^4 open checkouts on one address\./)
    })

    test(`${engine}: customers who order at the same moment open no more checkouts than one address may have (contract 8, Checkout: open checkouts of a public key on one address)`, async (t) => {
      const gateway = await openOn(t, engine, {
        LIMIT_PUBLIC_KEY_PER_MINUTE: '0',
        LIMIT_FREE_PER_MINUTE: '0',
        LIMIT_FREE_CONCURRENCY: '0',
        CHECKOUT_OPEN_PUBLIC_KEY_MAX: '3',
        CHECKOUT_OPEN_MAX: '4',
        CHECKOUT_OPEN_ANONYMOUS_MAX: '2',
      })
      const { asStranger, asMerchant } = await openShop(gateway)
      const anonymous = () => gateway.call('checkout', { address: other, amount: '1' })
      for (const [order, max] of [
        [asMerchant, 4],
        [asStranger, 3],
        [anonymous, 2],
      ] as const) {
        const replies = await Promise.all(Array.from({ length: 25 }, () => order()))
        const statuses = replies.map(({ status }) => status)
        assert.deepEqual(
          [200, 429].map((one) => statuses.filter((status) => status === one).length),
          [max, 25 - max],
        )
      }
    })

    test(`${engine}: a text with the character U+0000 was a failure of ours: it is refused by the name of its field (contract 7, Texts and codes: a text with the character U+0000)`, async (t) => {
      const gateway = await openOn(t, engine, { LIMIT_FREE_PER_MINUTE: '0' })
      const { secretKey } = await openShop(gateway)
      const asked: [string, Promise<Reply>][] = [
        ['payment_link', gateway.rest('GET', '/api/subscriptions?payment_link=a%00b', secretKey)],
        ['search', gateway.rest('GET', '/api/checkouts?search=a%00b', secretKey)],
        ['title', gateway.rest('POST', '/api/links', secretKey, { address: merchant, amount: '1', title: 'a\0b' })],
        [
          'metadata.deep[0]',
          gateway.call('checkout', { address: merchant, amount: '1', metadata: { deep: ['a\0b'] } }, bearer(secretKey)),
        ],
        ['name', gateway.call('get_name', { name: 'a\0b' })],
      ]
      for (const [field, reply] of asked) {
        const { status, text } = await reply
        const { code, error, field: named } = JSON.parse(text) as Record<string, string>
        row('7, Texts and codes: a text with the character U+0000', () =>
          assert.deepEqual(
            [status, code, error, named],
            [400, 'invalid_request', `${field} cannot contain the character U+0000.`, field],
          ),
        )
      }
      // The six characters of the escape are text like any other.
      const letters = await gateway.call('checkout', { address: merchant, amount: '1', title: 'a\\u0000b' })
      assert.equal(letters.status, 200, letters.text)
    })

    test(`${engine}: a session that was opened with a stolen key is over when the key is revoked, on every instance, and makes no key (contract 5, rule 19)`, async (t) => {
      const env = { ...sharedKeys(), DATABASE_URL: await emptyUrl(t, engine) }
      const clock = new TestClock()
      const here = await openGateway(t, env, clock)
      const elsewhere = engine === 'postgres' ? await openGateway(t, env, clock) : here
      const { secretKey, keyId, accountId } = await openShop(here)
      const cookie = await enter(elsewhere, secretKey)
      const headers = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
      const use = () => ask(`${elsewhere.url}/api/keys`, { method: 'GET', headers })
      const mint = () => ask(`${elsewhere.url}/api/keys`, { headers, body: '{"name":"mine"}' })
      assert.deepEqual([(await use()).status, (await mint()).status], [200, 201])
      // Revoked as the command line does it; a gateway on SQLite is not notified of that.
      await revokeKey(here.ctx, { accountId, keyId, actor: OPERATOR })
      assert.deepEqual([(await use()).status, (await mint()).status], [401, 401])
      const page = await ask(`${elsewhere.url}/dashboard/keys`, { method: 'GET', headers: { cookie } })
      assert.deepEqual([page.status, page.headers.location], [303, '/dashboard/sign-in?next=%2Fdashboard%2Fkeys'])
    })

    test(`${engine}: an id with characters that no id has is 404 at every endpoint, and no failure`, async (t) => {
      const clock = new TestClock()
      const gateway = await openOn(t, engine, { LIMIT_FREE_PER_MINUTE: '0', LIMIT_CHECK_PER_MINUTE: '0' }, clock)
      const { url, app, call } = gateway
      const { secretKey } = await openShop(gateway)
      const cookie = await enter(gateway, app.createdKey!)
      const endpoints = app.endpoints.routes.filter(
        ({ path, method }) => path.includes('/:') && method !== 'OPTIONS' && !/docs|assets/.test(path),
      )
      assert.ok(endpoints.length > 25, String(endpoints.length))
      for (const { method, path } of endpoints) {
        // Orders have a separate limit, which is not tested here.
        if (/^\/(buy|subscriptions)\//.test(path)) clock.advance(60_000)
        for (const id of ['%00', 'a%00b', 'evt_%F0%9F%92%A9', '%0A%0D', "x'--", 'x'.repeat(101)]) {
          const isPage = path.startsWith('/dashboard')
          const headers: Record<string, string> = isPage
            ? { cookie, ...FORM }
            : { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' }
          const sent = method === 'GET' || method === 'HEAD' ? {} : { body: isPage ? 'csrf=x' : '{}' }
          const reply = await ask(url + path.replaceAll(/:\w+/g, id), { method, headers, ...sent })
          const what = `${method} ${path} with ${id}: ${reply.text.slice(0, 200)}`
          row('7, Texts and codes: an id that no id can be', () => {
            assert.equal(reply.status, 404, what)
            if (/json/.test(reply.headers['content-type']!) && method !== 'HEAD') {
              assert.equal(reply.json().code, 'not_found', what)
            }
          })
        }
      }
      for (const id of ['\0', 'swp_\0', '\ud800']) {
        const code = id.includes('\0') ? 'invalid_request' : 'swap_not_found'
        assert.equal((await call('nano_swap_status', { id })).json().code, code)
        const checkout = { address: merchant, amount: '1', template: id }
        assert.equal((await call('checkout', checkout, { authorization: `Bearer ${secretKey}` })).status, 400)
      }
      assert.doesNotMatch(gateway.log(), /"level":50/)
    })
  }

  test('a shop that polls many checkouts misses none: its key has a separate limit, and a refusal repeats the status (contract 4.6, rule 12)', async (t) => {
    const limits = { LIMIT_CHECK_PER_MINUTE: '3', LIMIT_CHECK_ACCOUNT_PER_MINUTE: '5' }
    const gateway = await openGateway(t, limits, new TestClock())
    const { asMerchant, secretKey } = await openShop(gateway)
    const { id } = (await asMerchant()).json()
    const check = (headers: Record<string, string> = {}) =>
      ask(`${gateway.url}/check/${id}`, { method: 'GET', headers })
    const keyed = { authorization: `Bearer ${secretKey}` }
    for (const left of ['2', '1', '0']) {
      const { status, headers } = await check()
      assert.deepEqual([status, headers['ratelimit-limit'], headers['ratelimit-remaining']], [200, '3', left])
    }
    const refused = await check()
    assertOverLimit(refused, /^3 requests a minute about checkouts from one address\. With a secret key/)
    assert.deepEqual([refused.json().id, refused.json().status], [id, 'pending'])
    assert.deepEqual([refused.headers['ratelimit-remaining'], typeof refused.headers['retry-after']], ['0', 'string'])
    // A wrong key counts as none.
    assert.equal((await check({ authorization: 'Bearer rpc_sk_nothing' })).status, 429)
    for (const left of ['4', '3', '2', '1', '0']) {
      const { status, headers } = await check(keyed)
      assert.deepEqual([status, headers['ratelimit-limit'], headers['ratelimit-remaining']], [200, '5', left])
    }
    assertOverLimit(await check(keyed), /^5 requests a minute about checkouts of one account/)
  })

  test('a caller who loads documents without end is refused, and a shop at the same address still sells (contract 8, Requests: documents, lists, status, the description of the API)', async (t) => {
    const env = { LIMIT_PAGES_PER_MINUTE: '12', TRUSTED_PROXIES: '127.0.0.1' }
    const gateway = await openGateway(t, env, new TestClock())
    const { asMerchant } = await openShop(gateway)
    const read = (path: string, ip = '203.0.113.7', accept = '*/*') =>
      ask(`${gateway.url}${path}`, { method: 'GET', headers: { 'x-forwarded-for': ip, accept } })
    const shared = `/ /llms.txt /docs /docs.md /docs/webhooks /docs/actions/checkout /actions/checkout /openapi.json
      /status /status.json /known.json /aliases.json`.split(/\s+/)
    for (const path of shared) assert.equal((await read(path)).status, 200, path)
    for (const path of shared) {
      const refused = await read(path)
      assertOverLimit(refused, /^Limit: 12 requests a minute from one IP address/)
      assert.ok(Number(refused.headers['retry-after']) > 0)
    }
    assert.match((await read('/docs', '203.0.113.7', 'text/html')).text, /^<!doctype html>[^]*Limit: 12 requests/)
    assert.equal((await read('/docs', '203.0.113.8')).status, 200)
    assert.equal((await asMerchant()).status, 200)
    assert.doesNotMatch(gateway.log(), /"level":50/)
  })

  test('a page that is the same for everybody is sent compressed, and not again to those who have it (contract 1, rule 9)', async (t) => {
    const gateway = await openGateway(t, {}, new TestClock())
    const read = async (path: string, headers: Record<string, string> = {}) => {
      const { statusCode: status, headers: told, body } = await request(`${gateway.url}${path}`, { headers })
      return { status, told, bytes: Buffer.from(await body.arrayBuffer()) }
    }
    const pages = ['/', '/docs', '/docs/webhooks', '/docs/actions/checkout', '/status']
    const texts = ['/docs/webhooks.md', '/llms.txt', '/actions/checkout', '/openapi.json', '/status.json']
    for (const path of [...pages, ...texts]) {
      const html = { accept: pages.includes(path) ? 'text/html' : '*/*' }
      const plain = await read(path, html)
      assert.equal(plain.told['content-encoding'], undefined)
      for (const [taken, encoding, open] of [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip', 'gzip', gunzipSync],
        ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
      ] as const) {
        const packed = await read(path, { ...html, 'accept-encoding': taken })
        assert.deepEqual([packed.status, packed.told['content-encoding']], [200, encoding], path)
        assert.match(String(packed.told.vary), /accept-encoding/)
        assert.ok(open(packed.bytes).equals(plain.bytes), path)
        assert.ok(packed.bytes.length < plain.bytes.length * 0.6, `${path} ${packed.bytes.length}`)
      }
      const etag = String(plain.told.etag)
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
        const again = await read(path, { ...html, 'if-none-match': known })
        assert.deepEqual([again.status, again.bytes.length, again.told.etag], [304, 0, etag], path)
      }
      assert.equal((await read(path, { ...html, 'if-none-match': '"other"' })).status, 200)
    }
    // One visitor's search must not affect another's.
    assert.equal((await read('/docs?q=webhook', { accept: 'text/html' })).told.etag, undefined)
    const asked = await read('/docs/actions/nano_to_raw?amount=1', { accept: 'text/html' })
    assert.deepEqual([asked.told.etag, asked.told['cache-control']], [undefined, 'no-store'])
  })

  test('no limit on checks where the operator wants none (contract 4.6, rule 12)', async (t) => {
    const gateway = await openGateway(t, { LIMIT_CHECK_PER_MINUTE: '0' }, new TestClock())
    const { asMerchant } = await openShop(gateway)
    const { check } = (await asMerchant()).json()
    for (let asked = 0; asked < 700; asked++) assert.equal((await ask(check!, { method: 'GET' })).status, 200)
  })
})

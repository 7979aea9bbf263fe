import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer } from '../support/blocks.ts'
import { type Gateway, ask, openGateway } from '../support/gateway.ts'
import { shareGateway } from '../support/shared-gateway.ts'
import { openWorld } from '../support/checkout-steps.ts'
import { PIXEL, openImage } from '../support/image.ts'

/* The payment page as a browser gets it: headers, language, forms and images. */

const { address } = new Signer(111)
const html = { accept: 'text/html,*/*' }

const get = ({ url }: Gateway, path: string, headers: Record<string, string> = {}) =>
  ask(`${url}${path}`, { method: 'GET', headers: { ...html, ...headers } })

const open = async (gateway: Gateway, fields: object = {}) =>
  (await gateway.call('checkout', { address, amount: '1', ...fields })).json()

const gateway = shareGateway()

test('only our own scripts, styles and pictures are allowed on the page, and it cannot be framed', async () => {
  const { id } = await open(gateway)
  const { headers, text } = await get(gateway, `/pay/${id}`)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|\*|https?:/)
  assert.equal(headers['x-frame-options'], 'DENY')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['cache-control'], 'no-store')
  assert.doesNotMatch(text, / style=| on\w+=|<script>|<style/)
  const [copy] = /<button[^>]*class="copy"[^>]*>/.exec(text)!
  assert.match(copy, / hidden/, 'without scripts there is no button that does nothing')
  for (const [, url] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
    const asset = await get(gateway, url!, { 'accept-encoding': 'gzip, br' })
    assert.deepEqual([asset.status, asset.headers['content-encoding']], [200, 'br'], url)
    assert.match(asset.headers['cache-control']!, /immutable/)
    const { etag } = asset.headers
    assert.equal((await get(gateway, url!, { 'if-none-match': String(etag) })).status, 304)
  }
})

test('only the origin that a framed page reports to may frame it, and hostile origins none', async () => {
  const { id } = await open(gateway)
  const ancestors = async (embed: string) => {
    const { headers } = await get(gateway, `/pay/${id}?embed=${encodeURIComponent(embed)}`)
    return /frame-ancestors (.*)$/.exec(String(headers['content-security-policy']))![1]
  }
  for (const origin of ['https://shop.example', 'http://localhost:3000', 'https://a-b.shop.example:8443']) {
    assert.equal(await ancestors(origin), origin)
  }
  const hostile = ['*', "https://a.example; script-src 'unsafe-inline'", 'https://a.example https://b.example', '']
  for (const origin of [...hostile, 'https://*', 'javascript:alert(1)', 'https://a.example/', 'https://a.example,b']) {
    assert.equal(await ancestors(origin), "'none'", origin)
  }
  const receipt = await get(gateway, `/pay/${id}/receipt?embed=${encodeURIComponent('https://shop.example')}`)
  assert.match(String(receipt.headers['content-security-policy']), /frame-ancestors 'none'/)
})

test('the page is in the requested language and declares it', async () => {
  const { id } = await open(gateway)
  for (const [accept, query, language] of [
    ['de-AT,de;q=0.9,en;q=0.5', '', 'de'],
    ['fi,sv;q=0.9,ja;q=0.3', '', 'ja'],
    ['en;q=0.1,pt-BR', '', 'pt'],
    ['zh-Hant-TW', '', 'zh'],
    ['fi', '', 'en'],
    ['*', '', 'en'],
    ['de;q=0,fr', '', 'fr'],
    ['x'.repeat(8_000), '', 'en'],
    ['de', '?lang=es', 'es'],
    ['de', '?lang=klingon', 'de'],
  ] as const) {
    const { headers, text } = await get(gateway, `/pay/${id}${query}`, { 'accept-language': accept })
    assert.equal(headers['content-language'], language, accept)
    assert.match(text, new RegExp(`^<!doctype html><html lang="${language}">`))
    assert.match(String(headers.vary), /accept-language/)
  }
})

test('a price in nano is also shown in the currency of the reader; a price in fiat is not converted', async () => {
  const { id } = await open(gateway)
  assert.match((await get(gateway, `/pay/${id}`)).text, /≈ <bdi dir="ltr">\$\d+\.\d\d/)
  assert.match((await get(gateway, `/pay/${id}`, { 'accept-language': 'de-DE' })).text, /≈ <bdi dir="ltr">\d+,\d\d\s€/)
  const fiat = await open(gateway, { amount: '19.9', currency: 'EUR' })
  const { text } = await get(gateway, `/pay/${fiat.id}`)
  assert.match(text, /<p class="worth"><bdi dir="ltr">€19\.90<\/bdi><\/p>/)
  assert.match(text, /data-until="\d+" data-text="Price valid for \{left\}"/)
})

test('a form chooses the amount and gets the page back; programs get the record as ever', async () => {
  const { id } = (await gateway.call('checkout', { address })).json()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const send = (body: string, headers = form) => ask(`${gateway.url}/pay/${id}/amount`, { headers, body })
  const wrong = await send('amount=lots&lang=de')
  assert.deepEqual([wrong.status, wrong.headers.location], [303, `/pay/${id}?lang=de&amount=wrong`])
  const chosen = await send('amount=2%2C5&lang=de')
  assert.equal(chosen.status, 303)
  assert.match(chosen.headers.location!, new RegExp(`^/pay/${id}\\?lang=de&choice=25\\d{29}$`))
  assert.match((await get(gateway, chosen.headers.location!)).text, /2,50/)
  const other = await get(gateway, `${chosen.headers.location}&amount=other`)
  assert.match(other.text, /data-state="choose"/)
  // As `curl -d` sends it.
  const program = await send('{"amount":"3"}')
  assert.equal(program.status, 200)
  assert.match(program.json().amount!, /^3\.0/)
})

test('404 and a page that says so, in the language of the reader, for what does not exist', async () => {
  const page = await get(gateway, '/pay/0123456789abcdef', { 'accept-language': 'es' })
  assert.equal(page.status, 404)
  assert.match(page.text, /Este pago no existe/)
  const program = await get(gateway, '/pay/0123456789abcdef', { accept: 'application/json' })
  assert.deepEqual([program.status, program.json().error], [404, 'Checkout not found.'])
})

test("a merchant's picture is fetched once, by the gateway, and only when it is nothing but pixels", async (t) => {
  const good = await openImage(t)
  const { id } = await open(gateway, { image: good.url })
  for (let times = 0; times < 3; times++) {
    const reply = await get(gateway, `/pay/${id}/image`)
    assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'image/png'])
    assert.match(String(reply.headers['content-security-policy']), /sandbox/)
  }
  assert.equal(good.asked(), 1)
  const bad: Record<string, Parameters<typeof openImage>[1]> = {
    'a drawing with scripts': (_request, response) =>
      response
        .setHeader('content-type', 'image/svg+xml')
        .end('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'),
    'a page that calls itself a picture': (_request, response) =>
      response.setHeader('content-type', 'image/png').end('<script>alert(1)</script>'),
    'too much': (_request, response) => response.end(Buffer.concat([PIXEL, Buffer.alloc(600 * 1024)])),
    'a way to somewhere else': (_request, response) => response.writeHead(302, { location: good.url }).end(),
    'half a picture': (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write(PIXEL)
      response.destroy()
    },
    'a refusal': (_request, response) => response.writeHead(403).end(PIXEL),
  }
  for (const [what, answer] of Object.entries(bad)) {
    const image = await openImage(t, answer)
    const made = await open(gateway, { image: image.url })
    assert.equal((await get(gateway, `/pay/${made.id}/image`)).status, 404, what)
    assert.equal((await get(gateway, `/pay/${made.id}`)).status, 200, what)
  }
  const none = await open(gateway)
  assert.equal((await get(gateway, `/pay/${none.id}/image`)).status, 404)
})

test('with real nodes pictures of the network around the gateway stay where they are', async (t) => {
  const gateway = await openGateway(t, { WEBHOOK_ALLOW_PRIVATE: 'false' })
  const inside = await openImage(t)
  const { id } = await open(gateway, { image: inside.url })
  assert.equal((await get(gateway, `/pay/${id}/image`)).status, 404)
  assert.equal(inside.asked(), 0)
})

test('a payer without a wallet is named two for their device in front of the live network, and none that cannot pay test nano', async (t) => {
  const phone = { 'user-agent': 'Mozilla/5.0 (Linux; Android 15; Pixel 9)' }
  assert.doesNotMatch((await get(gateway, `/pay/${(await open(gateway)).id}`, phone)).text, /natrium/)
  const world = await openWorld(t)
  const shop = await world.start()
  const { id } = await shop.open({ address, amount: '1' })
  const { text } = await get(shop, `/pay/${id}`, phone)
  assert.match(text, /No wallet yet\?[^]*href="https:\/\/nautilus\.io"[^]*href="https:\/\/natrium\.io"/)
  assert.doesNotMatch(text, /nault\.cc/)
  assert.match((await get(shop, `/pay/${id}`)).text, /href="https:\/\/nault\.cc"/)
})

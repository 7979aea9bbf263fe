import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { ask } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { bearer, merchant, openWorld, untilStatus } from './world.ts'

/* What anybody may ask about a checkout: check, record, page and events. */

const address = merchant.address

test('check answers GET and POST, in every spelling of path and id, with CORS and without a store (contract 4.6, Payment verification; 4.6, rules 1 and 5; 2, rule 15; 9, Synonyms: checkout check, checkout ids; 1, rule 11; 7, Texts and codes: checkout id unknown)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const { id } = await shop.open({ address, amount: '1' })
  const paths = [`/check/${id}`, `/confirm/${id}`, `/checkout/${id}/check`, `/check/inv_${id.toUpperCase()}`]
  for (const path of paths) {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: '{"note":"hi","email":"a@b.example"}' } : {}
      const reply = await ask(`${shop.url}${path}`, { method, headers: { 'content-type': 'text/plain' }, ...body })
      assert.equal(reply.status, 200, `${method} ${path}`)
      assert.equal(reply.json().id, id)
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      assert.equal(reply.headers['cache-control'], 'no-store')
    }
  }
  for (const unknown of ['0123456789abcdef', 'nonsense', '../x']) {
    const reply = await ask(`${shop.url}/check/${encodeURIComponent(unknown)}`, { method: 'GET' })
    assert.deepEqual([reply.status, reply.json().error], [404, 'Checkout not found.'])
  }
})

test('neither check nor record nor page tells of webhooks, mail, metadata or the account (contract 2, rule 17; 4.6, rule 6)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const secrets = {
    webhook_url: 'https://planted-hook.example/',
    webhook_secret: 'planted secret',
    notify: 'planted@example.com',
    metadata: { planted: 'planted metadata' },
  }
  const { id, amount_raw: raw } = await shop.open(
    { address, amount: '1', title: 'A book', ...secrets },
    bearer(world.key()),
  )
  const read = async () => {
    for (const path of [`/check/${id}`, `/checkout/${id}`, `/pay/${id}`, `/pay/${id}?json=true`]) {
      const reply = await ask(`${shop.url}${path}`, { method: 'GET', headers: { accept: 'text/html' } })
      assert.equal(reply.status, 200)
      assert.doesNotMatch(reply.text, /planted|acc_/, path)
    }
  }
  await read()
  await world.pay(address, raw)
  await untilStatus(shop, id, 'complete')
  await read()
})

test('the page shows hostile text as text, and the record to whoever wants JSON (contract 4.6, Payment verification: GET /pay/<id> with ?json=true or Accept: application/json)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const { id, link } = await shop.open({ address, amount: '1', title: '<script>alert(1)</script>\u202e' })
  const page = await ask(`${shop.url}/pay/${id}`, { method: 'GET', headers: { accept: 'text/html,*/*' } })
  assert.match(page.headers['content-type']!, /text\/html/)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  assert.doesNotMatch(page.text, /<script>|\u202e/)
  const record = await ask(`${shop.url}/pay/${id}`, { method: 'GET', headers: { accept: 'application/json' } })
  const { title, link: shown } = record.json()
  assert.deepEqual([title, shown], ['<script>alert(1)</script>', link])
})

test('events: a snapshot first, then each change, and the end of the stream with the end of the story (contract 4.6, Payment verification: GET /pay/<id>/events)', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const made = await shop.open({ address, amount: '1', mode: 'unique_address' })
  let text = ''
  let ended = false
  const request = httpRequest(`${shop.url}/pay/${made.id}/events`, (response) => {
    assert.match(response.headers['content-type']!, /text\/event-stream/)
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('end', () => (ended = true))
  })
  request.end()
  const statuses = () =>
    [...text.matchAll(/^data: (.*)$/gm)].map((match) => (JSON.parse(match[1]!) as { status: string }).status)
  await until(() => statuses().length === 1)
  assert.match(text, /^retry: 3000\n\nid: \d+\nevent: status\n/)
  await world.pay(address, `${BigInt(made.amount_raw) / 2n}`)
  await until(() => statuses().length === 2)
  await world.pay(address, `${BigInt(made.amount_raw) / 2n}`)
  await until(() => ended)
  assert.deepEqual(statuses(), ['pending', 'partial', 'complete'])
})

test('events reach whoever watches on another instance, and a closing gateway ends its streams', async (t) => {
  const world = await openWorld(t, 'postgres')
  const [first, second] = [await world.start(), await world.start()]
  const paid = await first.open({ address, amount: '1' })
  const open = await first.open({ address, amount: '1' })
  const texts: Record<string, string> = {}
  for (const { id } of [paid, open]) {
    texts[id] = ''
    const request = httpRequest(`${second.url}/pay/${id}/events`, (response) => {
      response.setEncoding('utf8').on('data', (chunk: string) => (texts[id] += chunk))
    })
    request.end()
  }
  await until(() => Object.values(texts).every((text) => text.includes('"status":"pending"')))
  await world.pay(address, paid.amount_raw)
  await until(() => texts[paid.id]!.includes('"status":"complete"'))
  await second.close()
})

test('429 no more than ten streams from one address', async (t) => {
  const world = await openWorld(t)
  const shop = await world.start()
  const { id } = await shop.open({ address, amount: '1' })
  let opened = 0
  for (let at = 0; at < 10; at++) httpRequest(`${shop.url}/pay/${id}/events`, () => opened++).end()
  await until(() => opened === 10)
  const reply = await ask(`${shop.url}/pay/${id}/events`, { method: 'GET' })
  assert.equal(reply.status, 429)
})

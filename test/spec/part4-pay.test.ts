import assert from 'node:assert/strict'
import { type ClientRequest, request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { type Raw, parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { Signer, give } from '../support/blocks.ts'
import { sendForm } from '../support/form-steps.ts'
import { type Gateway, ask, openGateway } from '../support/gateway.ts'
import { PIXEL, openImage } from '../support/image.ts'
import { until } from '../support/until.ts'

/* Contract 4.6: the payment page and its parts over HTTP; test/pages uses it with a browser. */

const { address } = new Signer(45)
type Members = Record<string, unknown>

const get = (url: string, accept = 'text/html') => ask(url, { method: 'GET', headers: { accept } })

async function openCheckout({ call }: Gateway, fields: object) {
  const reply = await call('checkout', { address, ...fields })
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}

const pay = ({ app }: Gateway, raw: string) => give(app.devnet!.node, fromAddress(address)!, BigInt(raw) as Raw)

async function untilComplete({ url }: Gateway, id: string): Promise<void> {
  await until(async () => (await get(`${url}/check/${id}`)).json().status === 'complete')
}

test('all texts on the page are inert, and programs that want JSON get the record (contract 4.6, Payment verification: GET /pay/<id>, GET /pay/<id> with ?json=true or Accept: application/json)', async (t) => {
  const gateway = await openGateway(t)
  const { url } = gateway
  const hostile = '<script>alert(1)</script>\u202e'
  const { id, link, amount } = await openCheckout(gateway, { amount: '1', title: hostile })
  const page = await get(`${url}/pay/${id}`, 'text/html,*/*')
  assert.equal(page.status, 200)
  assert.match(page.headers['content-type']!, /text\/html/)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  assert.equal(page.headers['cache-control'], 'no-store')
  assert.doesNotMatch(page.text, /<script>|\u202e/)
  assert.match(page.text, /&lt;script>alert\(1\)&lt;\/script>/)
  for (const shown of [address, amount!, link!.replace('&', '&amp;')]) assert.ok(page.text.includes(shown), shown)
  const record = (await get(`${url}/checkout/${id}`)).text
  assert.equal(JSON.parse(record).title, '<script>alert(1)</script>')
  for (const path of [`/pay/${id}?json=true`, `/pay/${id}?json=1`]) assert.equal((await get(url + path)).text, record)
  const asJson = await get(`${url}/pay/${id}`, 'application/json')
  assert.equal(asJson.text, record)
  assert.match(asJson.headers['content-type']!, /application\/json/)
})

test('a payer types an amount where none was fixed, and gets one that is unique (contract 4.6, Payment verification: POST /pay/<id>/amount; 2, Checkout modes: neither amount nor plans)', async (t) => {
  const gateway = await openGateway(t)
  const { url } = gateway
  const open = await openCheckout(gateway, {})
  assert.equal('amount' in open, false)
  const type = (amount: unknown) => ask(`${url}/pay/${open.id}/amount`, { body: JSON.stringify({ amount }) })
  for (const wrong of ['0', '-1', 'much', '', '0.0000001']) {
    const reply = await type(wrong)
    assert.deepEqual([reply.status, reply.json().code], [400, 'invalid_amount'], wrong)
  }
  const reply = await type('1.5')
  assert.equal(reply.status, 200, reply.text)
  const { amount_raw: raw, status, link, browser } = reply.json()
  assert.match(browser!, new RegExp(`^${url}/pay/${open.id}\\?choice=\\d+$`))
  const most = parseNano('1.5')! + parseNano('0.0075')!
  assert.ok(BigInt(raw!) > parseNano('1.5')! && BigInt(raw!) <= most, raw)
  assert.deepEqual([status, link], ['pending', `nano:${address}?amount=${raw}`])
  const form = await sendForm(`${url}/pay/${open.id}/amount`, { amount: '2,5' }, {})
  assert.equal(form.status, 303)
  assert.match(form.headers.location!, new RegExp(`^/pay/${open.id}\\?choice=\\d+$`))
  const record = (await get(`${url}${form.headers.location}&json=true`)).json()
  assert.ok(BigInt(record.amount_raw!) > parseNano('2.5')!)
  await pay(gateway, record.amount_raw!)
  await untilComplete(gateway, open.id!)
})

test('receipt, picture and button: each is there when it should be (contract 4.6, Payment verification: GET /pay/<id>/receipt, GET /pay/<id>/image, GET /button.js)', async (t) => {
  const gateway = await openGateway(t)
  const { url } = gateway
  const image = await openImage(t)
  const made = await openCheckout(gateway, { amount: '1', title: 'A lamp', image: image.url })
  const receiptUrl = `${url}/pay/${made.id}/receipt`
  const early = await get(receiptUrl)
  assert.equal(early.status, 303)
  assert.match(early.headers.location!, new RegExp(`^/pay/${made.id}\\b`))
  const hash = await pay(gateway, made.amount_raw!)
  await untilComplete(gateway, made.id!)
  const receipt = await get(receiptUrl)
  assert.equal(receipt.status, 200)
  assert.match(receipt.headers['content-type']!, /text\/html/)
  for (const shown of ['A lamp', hash, made.amount!]) assert.ok(receipt.text.includes(shown), shown)

  const picture = await fetch(`${url}/pay/${made.id}/image`)
  assert.equal(picture.headers.get('content-type'), 'image/png')
  assert.ok(Buffer.from(await picture.arrayBuffer()).equals(PIXEL))
  assert.equal(image.asked(), 1)
  assert.equal((await get(`${url}/pay/${made.id}/image`)).status, 200)
  assert.equal(image.asked(), 1, 'the merchant’s server is not asked for every payer')
  const { id: bare } = await openCheckout(gateway, { amount: '2' })
  const none = await get(`${url}/pay/${bare}/image`, 'image/*')
  assert.deepEqual([none.status, none.json().error], [404, 'Image not found.'])

  const button = await get(`${url}/button.js`, '*/*')
  assert.equal(button.status, 200)
  assert.match(button.headers['content-type']!, /javascript/)
  for (const part of ['data-nano-checkout', '/pay/${id}', '.showModal()']) assert.ok(button.text.includes(part), part)
})

test('events: a snapshot first, then each change, and the end of the stream with the end of the story (contract 4.6, Payment verification: GET /pay/<id>/events; 4.6, rule 9)', async (t) => {
  const gateway = await openGateway(t)
  const { url } = gateway
  const fresh = new Signer(46)
  const made = await openCheckout(gateway, { address: fresh.address, amount: '1', mode: 'unique_address' })
  let text = ''
  let ended = false
  const request = httpRequest(`${url}/pay/${made.id}/events`, { agent: false }, (response) => {
    assert.match(response.headers['content-type']!, /text\/event-stream/)
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('end', () => (ended = true))
  })
  request.end()
  const told = () => [...text.matchAll(/^data: (.*)$/gm)].map((match) => JSON.parse(match[1]!) as Members)
  await until(() => told().length === 1)
  assert.match(text, /^retry: 3000\n\nid: \d+\nevent: status\n/)
  assert.deepEqual(told()[0], (await get(`${url}/check/${made.id}`)).json())
  const half = parseNano('0.5')!
  await give(gateway.app.devnet!.node, fresh.key, half)
  await until(() => told().at(-1)!.status === 'partial')
  assert.deepEqual(told().at(-1), (await get(`${url}/check/${made.id}`)).json())
  await give(gateway.app.devnet!.node, fresh.key, half)
  await until(() => ended)
  // Whether a check happens between the detection of a block and its confirmation is chance.
  const statuses = told().map(({ status }) => status)
  assert.equal(statuses.filter((status) => status !== 'detected').join(), 'pending,partial,complete')
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))
  assert.deepEqual(
    ids,
    [...new Set(ids)].toSorted((one, other) => one - other),
    'ids grow',
  )

  const { id } = await openCheckout(gateway, { amount: '1' })
  const requests: ClientRequest[] = []
  let opened = 0
  for (let at = 0; at < 10; at++) {
    const stream = httpRequest(`${url}/pay/${id}/events`, { agent: false }, () => opened++)
    requests.push(stream.on('error', () => undefined))
    stream.end()
  }
  await until(() => opened === 10)
  const eleventh = await get(`${url}/pay/${id}/events`, 'text/event-stream')
  assert.deepEqual([eleventh.status, eleventh.json().error], [429, 'Too many requests.'])
  assert.ok(Number(eleventh.headers['retry-after']) > 0)
  for (const stream of requests) stream.destroy()
})

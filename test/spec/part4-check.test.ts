import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, openGateway } from '../support/gateway.ts'
import { bearer, merchant, openShop, openWorld } from '../support/checkout-steps.ts'

/* Contract 4.6: the public status of a payment. The payment page is in part4-pay. */

const { address } = merchant
const ANSWERED_404 = { error: 'Checkout not found.', message: 'Checkout not found.', code: 'not_found' }
type Members = Record<string, unknown>

const get = (url: string, headers: Record<string, string> = {}) => ask(url, { method: 'GET', headers })

test('check answers GET and POST, in every spelling of path and id, with CORS and without a store (contract 4.6, Payment verification: GET or POST /check/<id>, /confirm/<id>, /checkout/<id>/check; 4.6, rules 5 and 7; 2, rule 15; 9, Synonyms: checkout check, checkout ids; 1, rule 11; 7, Texts and codes: checkout id unknown)', async (t) => {
  const { shop } = await openShop(t)
  const { id } = await shop.open({ address, amount: '1' })
  const expected = await shop.check(id)
  const spellings = [id, id.toUpperCase(), `id_${id}`, `pay_${id}`, `inv_${id.toUpperCase()}`]
  for (const path of spellings.flatMap((one) => [`/check/${one}`, `/confirm/${one}`, `/checkout/${one}/check`])) {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? { body: '{"note":"hi","email":"a@b.example"}' } : {}
      const reply = await ask(`${shop.url}${path}`, { method, headers: { 'content-type': 'text/plain' }, ...body })
      assert.equal(reply.status, 200, `${method} ${path}`)
      assert.deepEqual(reply.json(), expected)
      assert.equal(reply.headers['access-control-allow-origin'], '*')
      assert.equal(reply.headers['cache-control'], 'no-store')
    }
  }
  for (const unknown of ['0123456789abcdef', 'nonsense', '../x', `x_${id}`]) {
    const written = encodeURIComponent(unknown)
    const paths = [`/check/${written}`, `/confirm/${written}`, `/checkout/${written}/check`, `/checkout/${written}`]
    for (const path of [...paths, `/pay/${written}?json=true`, `/pay/${written}/image`, `/pay/${written}/events`]) {
      const reply = await get(`${shop.url}${path}`)
      assert.deepEqual([reply.status, reply.json()], [404, ANSWERED_404], path)
    }
    for (const path of [`/pay/${written}`, `/pay/${written}/receipt`]) {
      const page = await get(`${shop.url}${path}`, { accept: 'text/html' })
      assert.equal(page.status, 404, path)
      assert.match(page.headers['content-type']!, /text\/html/)
    }
  }
})

test('a program that waits at /check is answered as soon as the order moves, and when the gateway stops (contract 4.6, Payment verification: GET or POST /check/<id>)', async (t) => {
  const gateway = await openGateway(t)
  const { key } = await gateway.join()
  const open = async () => (await gateway.rest('POST', '/api/checkouts', key, { address, amount: '1' })).json().id!
  const id = await open()
  assert.equal((await get(`${gateway.url}/check/${id}?wait=0`)).json().status, 'pending')
  assert.equal((await get(`${gateway.url}/check/${id}?wait=soon`)).json().status, 'pending')
  const waiting = get(`${gateway.url}/check/${id}?wait=60`)
  await gateway.rest('DELETE', `/api/checkouts/${id}`, key)
  assert.equal((await waiting).json().status, 'cancelled')
  const other = await open()
  const last = get(`${gateway.url}/check/${other}?wait=60`)
  await get(`${gateway.url}/check/${other}`)
  await gateway.close()
  assert.equal((await last).json().status, 'pending')
})

test('check URLs: of checkouts and names at the host for programs, of e-mail payments too (contract 4.6, rule 1)', async (t) => {
  const world = await openWorld(t)
  const apart = { BASE_URL: 'https://rpc.example', CHECKOUT_URL: 'https://pay.example', API_URL: 'https://api.example' }
  const shop = await world.start(apart)
  const made = await shop.open({ address, amount: '1' })
  assert.equal(made.check, `https://api.example/check/${made.id}`)
  assert.equal(made.json, `https://api.example/checkout/${made.id}`)
  assert.equal(made.browser, `https://pay.example/pay/${made.id}`)
  const check = (await get(`${shop.url}/check/${made.id}`)).json<Members>()
  assert.deepEqual([check.json, check.browser], [made.json, made.browser])
  const offer = (await shop.call('get_name', { name: 'Somebody' })).json<Members>()
  assert.equal(offer.check, `https://api.example/check/${String(offer.id)}`)
  const sale = (await get(`${shop.url}/check/${String(offer.id)}`)).json<Members>()
  assert.deepEqual(
    [sale.status, sale.success, sale.address, (sale.order as Members).status],
    ['pending', false, offer.address, 'waiting'],
  )

  const gift = { refund_address: address, amount: '1', emails: ['zoe@example.com'] }
  const mailed = (await shop.call('nano_email', gift, bearer(world.key()))).json()
  assert.equal(mailed.check, `https://api.example/email/${mailed.id}/check`)
})

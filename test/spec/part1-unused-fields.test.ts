import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listDescribed } from '../../src/http/openapi/index.ts'
import type { Action } from '../../src/kernel/action.ts'
import type { Described } from '../../src/kernel/described.ts'
import { OFFERED } from '../../src/offered.ts'
import { ENGINES } from '../support/engines.ts'
import { type Gateway, ask, openGateway } from '../support/gateway.ts'
import { bearer, merchant, openWorld } from '../support/checkout-steps.ts'

/* Contract 1, rule 5: no field of a request is ignored silently. */

const { address } = merchant
const NO_LIMITS = { LIMIT_FREE_PER_MINUTE: '0', LIMIT_ANONYMOUS_PER_MINUTE: '0' }

const fieldsOf = ({ input, fieldSynonyms = {}, unusedByClients = [] }: Action) => [
  ...Object.keys(input.properties),
  ...Object.keys(fieldSynonyms),
  ...unusedByClients,
]
const bodyOf = ({ body }: Described) => {
  const schema: { properties?: object } = body?.schema ?? {}
  return [...Object.keys(schema.properties ?? {}), ...Object.keys(body?.synonyms ?? {})]
}
const queryOf = ({ query = [] }: Described) => query.map(({ name }) => name)

/** Picks a field of another action, a different one each time. */
function openForeign(all: readonly string[]) {
  let at = 0
  return (own: readonly string[]): string => {
    const others = [...new Set(all)].filter((name) => name !== 'key' && !own.includes(name))
    return others[at++ % others.length]!
  }
}

test('a caller who sends an action a field of another learns of it: refused by the service, named by the node (contract 1, rule 5)', async (t) => {
  const gateway = await openGateway(t, { ...NO_LIMITS, X402_ACTIONS: '' })
  const { actions } = gateway.app.endpoints
  const foreignTo = openForeign(actions.flatMap(fieldsOf))
  const headers = bearer(gateway.app.createdKey!)
  for (const action of actions) {
    const { name, ofNode } = action
    const foreign = foreignTo(fieldsOf(action))
    const ways = {
      '/': await gateway.call(name, { [foreign]: 'x' }, headers),
      '/actions': await ask(`${gateway.url}/actions/${name}`, { headers, body: JSON.stringify({ [foreign]: 'x' }) }),
    }
    for (const [way, reply] of Object.entries(ways)) {
      const at = `${way} ${name} ${foreign}: ${reply.text.slice(0, 200)}`
      assert.equal(reply.headers['x-ignored-fields'], foreign, at)
      if (ofNode) assert.doesNotMatch(reply.text, /is not used here/, at)
      else
        assert.deepEqual([reply.status, reply.json().field, reply.json().code], [400, foreign, 'invalid_request'], at)
    }
  }
  // The same at the endpoints for batches and for other formats.
  const call = { jsonrpc: '2.0', id: 1, method: 'price', params: { amount: '1' } }
  const { error } = (await gateway.post(JSON.stringify(call))).json<{
    error: { code: number; data: { field: string } }
  }>()
  assert.deepEqual([error.code, error.data.field], [-32602, 'amount'])
  const batch = [
    { action: 'price', amount: '1' },
    { action: 'price', currency: 'USD' },
  ]
  const [refused, priced] = (await gateway.post(JSON.stringify(batch))).json<{ field?: string; symbol?: string }[]>()
  assert.deepEqual([refused?.field, priced?.symbol], ['amount', 'XNO'])
})

test('a program that sends a route of the REST interface a field or a parameter of another is refused by its name (contract 1, rule 5)', async (t) => {
  const gateway = await openGateway(t, NO_LIMITS)
  const routes = listDescribed(OFFERED).filter(({ path }) => path.startsWith('/api/'))
  const foreignField = openForeign(routes.flatMap(bodyOf))
  const foreignParameter = openForeign(routes.flatMap(queryOf))
  const headers = bearer(gateway.app.createdKey!)
  const wrong: string[] = []
  const refuses = async (route: Described, path: string, field: string, body?: object) => {
    const method = route.method.toUpperCase()
    const reply = await ask(`${gateway.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const { field: named, code } = reply.json<{ field?: string; code?: string }>()
    if (reply.status !== 400 || named !== field || code !== 'invalid_request')
      wrong.push(`${method} ${path} ${field}: ${reply.status} ${reply.text.slice(0, 150)}`)
  }
  for (const route of routes) {
    const path = route.path.replaceAll(/\{\w+\}/g, 'a1')
    const parameter = foreignParameter(queryOf(route))
    await refuses(route, `${path}?${parameter}=x`, parameter)
    if (route.method === 'get') continue
    const field = foreignField(bodyOf(route))
    await refuses(route, path, field, { [field]: 'x' })
  }
  assert.deepEqual(wrong, [])
})

for (const engine of ENGINES) {
  test(`on ${engine} a merchant who changes what cannot be changed, or misspells it, is not answered "success" (contract 4.5, rule 15)`, async (t) => {
    const shop = await (await openWorld(t, engine)).start()
    const { key } = await shop.join()
    const made = await shop.open({ address, amount: '1', title: 'Lamp' }, bearer(key))
    const put = (body: object, base = '/api/checkouts') => shop.rest('PUT', `${base}/${made.id}`, key, body)
    const before = (await shop.rest('GET', `/api/checkouts/${made.id}`, key)).json<{ checkout: object }>().checkout
    const changes = {
      ...{ expire: '1 hour', line_items: [{ price: '2' }], shipping: '1', template: made.id, public_key: 'rpc_pk_x' },
      ...{ titel: 'Lump', status: 'complete', id: 'x', success: true, action: 'checkout', expires_unix: 1 },
      ...{ address: null, amount: '', currency: null, plans: null, mode: '' },
    }
    for (const base of ['/api/checkouts', '/api/admin/checkouts']) {
      for (const [field, value] of Object.entries(changes)) {
        const reply = await put({ title: 'Changed', [field]: value }, base)
        assert.deepEqual([reply.status, reply.json().field], [400, field], reply.text)
      }
    }
    const after = (await shop.rest('GET', `/api/checkouts/${made.id}`, key)).json<{ checkout: object }>().checkout
    assert.deepEqual(after, before)
    assert.equal(
      (await put({ title: 'Changed', webhook: 'https://shop.example/paid', idempotency_key: 'k' })).status,
      200,
    )
  })
}

test('the OpenAPI document lists only the fields that a change of a checkout or a link accepts (contract 4.5, rule 15)', async (t) => {
  const { url } = await openGateway(t)
  const offered = async (path: string) => {
    const { paths } = (await ask(`${url}/openapi.json`, { method: 'GET' })).json<Offer>()
    return Object.keys(paths[path]!.put.requestBody.content['application/json'].schema.properties)
  }
  for (const path of ['/api/checkouts/{id}', '/api/admin/checkouts/{id}', '/api/links/{id}']) {
    const fields = await offered(path)
    assert.ok(fields.includes('title') && fields.includes('amount') && fields.includes('webhook_url'))
    for (const absent of ['template', 'line_items', 'shipping', 'public_key'])
      assert.ok(!fields.includes(absent), absent)
  }
  assert.ok(!(await offered('/api/checkouts/{id}')).includes('expire'))
})

interface Offer {
  paths: Record<
    string,
    { put: { requestBody: { content: { 'application/json': { schema: { properties: object } } } } } }
  >
}

test('what the payment dialog of a shop sends along still opens a checkout, and is named (contract 1, rule 5)', async (t) => {
  const gateway: Gateway = await openGateway(t)
  const sent = { address, amount: 2, random: true, cloud: true, line_items: [{ name: 'Mug', price: 2 }] }
  const reply = await gateway.call('checkout', sent)
  assert.deepEqual([reply.status, reply.headers['x-ignored-fields']], [200, 'cloud'], reply.text)
})

test('a program that asks for a list with a filter that means nothing is not answered with the whole list (contract 1, rule 5)', async (t) => {
  const gateway = await openGateway(t, NO_LIMITS)
  const headers = bearer(gateway.app.createdKey!)
  const wrong: string[] = []
  const routes = listDescribed(OFFERED).filter(({ path }) => path.startsWith('/api/') && !path.includes('{'))
  for (const route of routes) {
    for (const name of queryOf(route)) {
      // `search` accepts any text, and filters by a link or endpoint that does not exist give an empty list. `key` is read as a credential.
      const isFree = ['search', 'payment_link', 'endpoint'].includes(name)
      if (name === 'key') continue
      const values = isFree ? [] : ['zzz!', '-1!']
      for (const query of [...values.map((value) => `${name}=${value}`), `${name}=1&${name}=2`]) {
        const reply = await ask(`${gateway.url}${route.path}?${query}`, { method: 'GET', headers })
        // 404 if the object of the path does not exist.
        const isRefused = reply.status === 404 || (reply.status === 400 && reply.json().field === name)
        if (!isRefused) wrong.push(`${route.path}?${query}: ${reply.status} ${reply.text.slice(0, 80)}`)
      }
    }
  }
  for (const query of ['from=zzz', 'to=2026-02-30', 'kind=nothing', 'person=a%00b']) {
    const reply = await ask(`${gateway.url}/api/activity.csv?${query}`, { method: 'GET', headers })
    assert.deepEqual([reply.status, reply.json().field], [400, query.split('=')[0]], query)
  }
  assert.deepEqual(wrong, [])
})

for (const engine of ENGINES) {
  test(`on ${engine} a value that says nothing in its field is refused, not taken for a field that was left out (contract 1, rules 5 and 6)`, async (t) => {
    const shop = await (await openWorld(t, engine)).start({ CHECKOUT_GENERATED_WALLETS: 'all' })
    const headers = bearer((await shop.join()).key)
    const refuses = async (action: string, fields: object, field: string) => {
      const reply = await shop.call(action, fields, headers)
      assert.deepEqual([reply.status, reply.json().field], [400, field], `${JSON.stringify(fields)}: ${reply.text}`)
    }
    const sale = { address, amount: '1' }
    const fields =
      `address amount currency title description image webhook_url webhook_secret webhook_events notify success_url
      cancel_url metadata template mode expire note plans invoice`.split(/\s+/)
    for (const field of fields) await refuses('checkout', { ...sale, [field]: false }, field)
    const letter = { amount: '1', emails: ['ann@example.com'], refund_address: address }
    for (const field of ['from', 'message', 'email_receipt', 'expiration'])
      await refuses('nano_email', { ...letter, [field]: false }, field)
    // A minimum in a currency needs a mode in which the payer types the amount.
    for (const mode of ['unique_address', 'generated_wallet'])
      await refuses('checkout', { address, mode, currency: 'USD' }, 'currency')
    assert.equal((await shop.call('checkout', { address, currency: 'USD' }, headers)).status, 200)
    const link = { ...sale, every: 'month' }
    for (const grace_days of ['x', -1, '1e0', 31, false])
      await refuses('payment_link', { ...link, grace_days }, 'grace_days')
    await refuses('payment_link', { ...sale, grace_days: 'x' }, 'grace_days')
    await refuses('payment_link', { ...sale, grace_days: 3 }, 'grace_days')
    const made = await shop.call('payment_link', { ...link, grace_days: 3 }, headers)
    const { id } = made.json<{ id: string }>()
    const ended = await shop.rest('PUT', `/api/links/${id}`, headers.authorization.slice(7), { every: null })
    assert.deepEqual([ended.status, ended.json<{ grace_days: number }>().grace_days], [200, 0], ended.text)
    // null and empty mean absent.
    const nothing = { title: null, image: '', currency: null, plans: null, mode: '' }
    assert.equal((await shop.call('checkout', { ...sale, ...nothing }, headers)).status, 200)
  })

  test(`on ${engine} a buyer who asks for -1 or 1e0 pieces is shown what is wrong, and buys none (contract 4.9, rule 9)`, async (t) => {
    const shop = await (await openWorld(t, engine)).start()
    const { key } = await shop.join()
    const offer = { address, amount: '1', slug: 'mugs', quantity: { min: 2, max: 5 } }
    const { id } = (await shop.rest('POST', '/api/links', key, offer)).json<{ id: string }>()
    for (const quantity of ['-1', '1e0', '2.0', 'two', '1', '6']) {
      const body = new URLSearchParams({ quantity }).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const page = await ask(`${shop.url}/buy/mugs`, { headers: { ...type, accept: 'text/html' }, body })
      assert.equal(page.status, 400, quantity)
      assert.match(page.text, /id="wrong-quantity"/)
    }
    const { orders } = (await shop.rest('GET', `/api/links/${id}`, key)).json<{ orders: number }>()
    assert.equal(orders, 0)
  })
}

for (const engine of ENGINES) {
  test(`on ${engine} an address that leads browsers to one host and programs to another is taken nowhere (contract 1, rule 6)`, async (t) => {
    const shop = await (await openWorld(t, engine)).start()
    const { key, headers } = await shop.join()
    const sale = { address, amount: '1' }
    const made = await shop.open(sale, headers)
    const { id: link } = (await shop.rest('POST', '/api/links', key, sale)).json<{ id: string }>()
    const endpoint = (await shop.rest('POST', '/api/webhook-endpoints', key, { url: 'https://shop.example/' })).json()
    const takes = ({ path, body }: Described) => path.startsWith('/api/') && bodyOf({ body } as Described).some(isUrl)
    const isUrl = (field: string) => /^(url|image|logo|website|webhook)$|_url$/.test(field)
    const needed = (path: string) => (/checkouts$|links$/.test(path) ? sale : {})
    const ways = [
      ...listDescribed(OFFERED)
        .filter(takes)
        .map((route) => {
          const id = route.path.includes('links')
            ? link
            : route.path.includes('endpoint')
              ? String(endpoint.id)
              : made.id
          const path = route.path.replace('{id}', id)
          const send = (body: object) => shop.rest(route.method.toUpperCase(), path, key, { ...needed(path), ...body })
          return { name: `${route.method} ${route.path}`, fields: bodyOf(route).filter(isUrl), send }
        }),
      ...shop.app.endpoints.actions
        .filter((action) => fieldsOf(action).some(isUrl))
        .map((action) => {
          const own = action.name === 'update_name' ? { name: 'alice' } : sale
          const send = (body: object) => shop.call(action.name, { ...own, ...body }, headers)
          return { name: action.name, fields: fieldsOf(action).filter(isUrl), send }
        }),
    ]
    assert.ok(ways.length >= 13, `${ways.length}`)
    const wrong: string[] = []
    for (const { name, fields, send } of ways) {
      for (const field of fields) {
        for (const url of ['https://example.com\\@127.0.0.1/', 'https:\\\\example.com/a', 'https://example.com/a\\b']) {
          const reply = await send({ [field]: url })
          if (reply.status !== 400 || reply.json().field !== field)
            wrong.push(`${name} ${field} ${url}: ${reply.status} ${reply.text.slice(0, 100)}`)
        }
      }
    }
    assert.deepEqual(wrong, [])
  })
}

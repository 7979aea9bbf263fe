import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { listDescribed } from '../../src/http/openapi/index.ts'
import { OFFERED } from '../../src/offered.ts'
import type { Described } from '../../src/kernel/described.ts'
import { parseNano } from '../../src/kernel/money.ts'
import { fromAddress } from '../../src/kernel/nano/address.ts'
import { WEBHOOK_SUBJECTS } from '../../src/http/openapi/webhooks.ts'
import { checkAnswer, checkRoute, findDescribed } from '../support/answers.ts'
import { Signer } from '../support/blocks.ts'
import { type Gateway, type Reply, ask, openGateway } from '../support/gateway.ts'
import { leaseName } from '../support/lease-name.ts'
import { subscribe } from '../support/subscribe.ts'
import { until } from '../support/until.ts'
import { openPayer, openShop, payloadOf, paymentBlock } from '../support/x402-steps.ts'

/* Compares /openapi.json with the gateway that serves it. */

type Members = Record<string, unknown>

interface Document {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: { schemas: Record<string, Members> }
}

interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  responses: Record<string, unknown>
}

/** Not described: pages for people, endpoints of the development ledger, and those with their own protocol. */
const PAGES = [
  /^GET \/status$/,
  /^GET \/ledger(\/|$)/,
  /^(GET|POST) \/(dashboard|docs|developer)(\/|$)/,
  /^GET \/(docs\.md|llms\.txt)$/,
  /^POST \/mcp$/,
  /^GET \/(assets|logos|accents|pictures)\//,
  /^GET \/button\.js$/,
  /^GET \/pay\/:id\/(receipt|invoice|image)$/,
  /^(GET|POST) \/(buy|subscriptions)\//,
  /^GET \/@:name$/,
  // Requests of the till's page, for no other client.
  /^(GET|POST) \/pos\//,
  /^GET \/claim(\/decline)?$/,
]

/** Tested and compared in `test/spec/part5-passkeys.test.ts`, because they need a person's device. */
const DEVICES = /^\/api\/(passkeys|prove|recovery-codes|sign-in\/(passkey$|recovery$))/

const readDocument = async ({ url }: Pick<Gateway, 'url'>) =>
  (await ask(`${url}/openapi.json`, { method: 'GET' })).json<Document>()

test('every route is in the document or is a page, and every path of the document is a route', async (t) => {
  const gateway = await openGateway(t)
  const routes = gateway.app.endpoints.routes
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !route.startsWith('HEAD ') && !PAGES.some((page) => page.test(route)))
  const { paths } = await readDocument(gateway)
  const described = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
  )
  const rpc = ['POST /', ...gateway.app.endpoints.actions.map(({ name }) => `POST /actions/${name}`)]
  assert.deepEqual(new Set(described), new Set([...routes, ...rpc]))
  // The documentation of an endpoint must say who may use it.
  for (const { method, path, access } of gateway.app.endpoints.routes) {
    const who = access === 'account' || access === 'administrator' ? access : 'anybody'
    const told = findDescribed(method, path.replaceAll(/:\w+/g, '1'))?.who
    if (told !== undefined) assert.equal(told, who, `${method} ${path}`)
  }
})

/** Names as generators write them, without special characters. Some generators write a file for each, and many file systems ignore letter case. */
const inCode = (name: string) => name.replaceAll(/[^a-zA-Z0-9]/g, '').toLowerCase()

test('no two schemas or operations have the same name in a generated client, every operation is described, every property has a type, and answers common to all are documented', async (t) => {
  const { paths, webhooks, components } = await readDocument(await openGateway(t))
  const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((verbs) => Object.values(verbs))
  const ids = operations.map(({ operationId }) => operationId)
  for (const names of [ids.map(inCode), Object.keys(components.schemas).map(inCode)]) {
    assert.deepEqual(
      names.filter((each, at) => names.indexOf(each) !== at),
      [],
    )
  }
  for (const { operationId, summary, description, tags } of operations)
    assert.ok(summary && description.length > summary.length && tags.length > 0, operationId)
  for (const [path, verbs] of Object.entries(paths)) {
    for (const { responses } of Object.values(verbs))
      for (const status of [400, 429]) assert.ok(responses[status], path)
  }
  const { responses } = paths['/actions/cloud_wallet']!.post!
  for (const status of [200, 400, 401, 402, 403, 409, 413, 429, 500, 502, 503, 504])
    assert.ok(responses[status], `${status}`)
  const untyped: string[] = []
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'example' || name === 'examples' || name === 'mapping') continue
      walk(inner, `${path}/${name}`)
      if (name !== 'properties' || path.endsWith('/properties')) continue
      for (const [property, schema] of Object.entries(inner as Record<string, Members>)) {
        const { type, anyOf, oneOf, $ref } = schema
        if (!(type ?? anyOf ?? oneOf ?? $ref)) untyped.push(`${path}.${property}`)
      }
    }
  }
  walk({ paths, webhooks, components }, '')
  assert.deepEqual(untyped, [])
})

test('a webhook is described for each kind of event that can be asked for, and for test events', async (t) => {
  const { webhooks, components } = await readDocument(await openGateway(t))
  const { webhook_events: kinds } = components.schemas['checkout.request']!.properties as Record<
    string,
    { items: { enum: string[] } }
  >
  assert.deepEqual(
    new Set(Object.keys(webhooks)),
    new Set([...kinds!.items.enum, ...WEBHOOK_SUBJECTS.flatMap((subject) => Object.keys(subject.kinds)), 'ping']),
  )
})

/** Forbids all fields that a schema does not name: otherwise undocumented fields would go unnoticed. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const shut = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closed(inner)]))
  const { type, properties = {}, additionalProperties } = shut as { type?: unknown; properties?: object } & Members
  const isOpen = type !== 'object' || additionalProperties !== undefined || Object.keys(properties).length === 0
  return isOpen ? shut : { ...shut, additionalProperties: false }
}

const bearer = (key: string | undefined) => ({ authorization: `Bearer ${key}` })
const address = new Signer(31).address

/** Makes one object of each kind, with all fields. */
async function furnish(gateway: Gateway, key: Record<string, string>) {
  const { node } = gateway.app.devnet!
  const at = (path: string, body?: object) =>
    ask(`${gateway.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { ...key, accept: 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  const open = async (fields: object) => (await at('/api/checkouts', { address, ...fields })).json()
  const rich = {
    ...{ amount: '1', title: 'Lamp', description: 'Bright', image: 'https://shop.example/lamp.png', note: 'first' },
    ...{ success_url: 'https://shop.example/thanks', cancel_url: 'https://shop.example/cart' },
    ...{ webhook_url: 'http://127.0.0.1:9/paid', webhook_events: ['payment.detected'] },
    ...{ notify: 'shop@example.com', metadata: { order: 'A-1' } },
  }
  const pay = async (to: string, amount: string) => node.fund(fromAddress(to)!, parseNano(amount)!)
  const checkouts = {
    paid: await open(rich),
    plans: await open({ plans: [{ title: 'Large', value: '3', discount: 10 }] }),
    fiat: await open({ amount: '5', currency: 'USD' }),
    wallet: await open({ amount: '2', mode: 'generated_wallet' }),
    late: await open({ amount: '4' }),
    open: await open({}),
  }
  const wallet = (await gateway.call('cloud_wallet', { wallet_action: 'create_wallet' }, key)).json()
  const sold = (await at('/api/checkouts', { address: wallet.address, amount: '3', currency: 'USD' })).json()
  await pay(sold.address!, sold.amount!)
  await until(async () => (await at(`/check/${sold.id}`)).json().status === 'complete')
  await pay(checkouts.paid.address!, checkouts.paid.amount!)
  await until(async () => (await at(`/check/${checkouts.paid.id}`)).json().status === 'complete')
  const unmatched = await pay(address, '4')
  const waits = async () => (await at('/api/checkouts/unmatched')).json<{ payments: unknown[] }>().payments.length > 0
  await until(waits)
  const offer = (await gateway.call('get_name', { name: 'alice' })).json<{ id: string }>()
  // One recipient claims, one declines, and the third leaves something to cancel.
  const emails = ['a@example.com', 'b@example.com', 'c@example.com']
  const letter = { amount: '1', emails, refund_address: address, message: 'Hi', from: 'Bob' }
  const sent = await gateway.call('nano_email', letter, key)
  const email = sent.json<{ id: string; address: string }>()
  await pay(email.address, '3')
  const mails = async () => (await at('/api/mails')).json<{ mails: { recipient: string; text: string }[] }>().mails
  const codes = async () => (await mails()).flatMap(({ text }) => /\/claim#([\w-]{43})/.exec(text)?.[1] ?? [])
  await until(async () => (await codes()).length === 3)
  const { key: _shown, id: keyId } = (await at('/api/keys', { name: 'Second' })).json()
  const members: string[] = []
  for (const name of ['ann', 'ben']) {
    const { member } = (await at('/api/members', { email: `${name}@example.com`, role: 'reader' })).json<{
      member: { id: string }
    }>()
    await gateway.ctx.db.updateTable('members').set({ joined_at: 1 }).where('id', '=', member.id).execute()
    members.push(member.id)
  }
  const { event } = (await at('/api/webhooks/ping', { url: 'http://127.0.0.1:9/' })).json<{ event: { id: string } }>()
  await at('/api/sign-in/request', { email: 'alice@example.com' })
  const token = async () => (await mails()).flatMap(({ text }) => /sign-in\S*#([\w.-]+)/.exec(text)?.[1] ?? [])[0]
  await until(async () => (await token()) !== undefined)
  const account = await gateway.ctx.db.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
  return {
    checkouts,
    sold: sold.id!,
    unmatched,
    offer,
    email,
    codes: await codes(),
    keyId: keyId!,
    members,
    customer: (await gateway.join()).accountId,
    eventId: event.id,
    endpointId: (await at('/api/webhook-endpoints', { url: 'http://127.0.0.1:9/' })).json().id!,
    name: await leaseName(gateway.ctx, account.id, address),
    posId: (await at('/api/pos', { address, title: 'Counter' })).json().id!,
    linkId: (await at('/api/links', { address, amount: '1' })).json().id!,
    subscriptionId: await subscribe(gateway.ctx, account.id),
    token: (await token())!,
  }
}

test('every route answers as documented', async (t) => {
  const gateway = await openShop(t, {
    DEVNET_TREASURY_NANO: '1000000',
    CHECKOUT_GENERATED_WALLETS: 'all',
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_CHECK_PER_MINUTE: '0',
    PROOF: 'votes',
  })
  const key = bearer(gateway.app.createdKey)
  const made = await furnish(gateway, key)
  const { checkouts, email, codes } = made
  // It is stored a moment after the payment.
  await until(async () => (await gateway.rest('GET', `/checkout/${checkouts.paid.id}/proof`)).status === 200)
  const payer = await openPayer(gateway.node)
  const payment = () => {
    const paymentPayload = payloadOf(paymentBlock(gateway.node, payer))
    return { paymentPayload, paymentRequirements: paymentPayload.accepted }
  }
  const ids = [...Object.values(checkouts).map(({ id }) => id!), made.sold]
  const others = ids.filter((id) => ![checkouts.paid.id, checkouts.late.id, made.sold].includes(id))
  /** The objects with which a path is called; changes use one whose state allows them. */
  const subjectsOf = ({ id, path }: Described): string[] => {
    if (!path.includes('{')) return ['']
    if (id.startsWith('markCheckoutPaid')) return [checkouts.late.id!]
    if (id.startsWith('refundCheckout')) return [made.sold]
    if (id.startsWith('redeliverCheckoutEvents')) return [checkouts.paid.id!]
    if (id.startsWith('updateCheckout')) return others
    if (id === 'getPaymentProof') return [checkouts.paid.id!]
    if (id === 'chooseAmount' || id === 'leaveEmail') return [checkouts.open.id!]
    if (path.startsWith('/api/keys/')) return [made.keyId]
    if (path.startsWith('/api/members/')) return [path.endsWith('/owner') ? made.members[1]! : made.members[0]!]
    if (path.startsWith('/api/webhook-endpoints/')) return [made.endpointId]
    if (path.startsWith('/api/links/')) return [made.linkId]
    if (path.startsWith('/api/subscriptions/')) return [made.subscriptionId]
    if (path.startsWith('/api/pos/')) return [made.posId]
    if (path.startsWith('/api/names/')) return [made.name]
    if (/^\/api\/(accounts|freezes)\//.test(path)) return [made.customer]
    if (path.startsWith('/api/events/')) return [made.eventId]
    if (path.startsWith('/actions/')) return ['account_balance']
    if (path.includes('/email')) return [email.id]
    return path.startsWith('/api/') ? ids : [...ids, made.offer.id]
  }
  const bodies: Record<string, object> = {
    signIn: { token: made.token },
    createCheckout: { address, amount: '1' },
    createCheckoutAsAdmin: { address, amount: '1' },
    createLink: { address, amount: '1' },
    createWebhookEndpoint: { url: 'http://127.0.0.1:9/' },
    changeWebhookEndpoint: { description: 'Till', filter: { metadata: { shop: 1 } } },
    replayToWebhookEndpoint: { from_unix: 1 },
    addWatches: { endpoint: made.endpointId, addresses: [address] },
    removeWatches: { endpoint: made.endpointId, addresses: [address] },
    markCheckoutPaid: { block_hash: made.unmatched },
    refundCheckout: { fiat_amount: '1', as: 'link', reason: 'Broken' },
    refundCheckoutAsAdmin: { amount: '0.1' },
    pingWebhook: { url: 'http://127.0.0.1:9/' },
    claimShare: { code: codes[0], address },
    declineShare: { code: codes[1] },
    verifyPayment: payment(),
    settlePayment: payment(),
  }
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  const wrong: string[] = []
  const compare = ({ id, answer }: Described, { text }: Reply, at: string) => {
    const validate = ajv.compile(closed(answer) as object)
    if (!validate(JSON.parse(text))) wrong.push(`${id} ${at}: ${ajv.errorsText(validate.errors)}`)
  }
  const asked = async (route: Described, path: string) => {
    const body = route.body && JSON.stringify(bodies[route.id] ?? route.body.example)
    const headers = { accept: 'application/json', ...(route.who !== 'anybody' && key) }
    return ask(`${gateway.url}${path}`, { method: route.method.toUpperCase(), headers, ...(body && { body }) })
  }
  // Deletions come last.
  const order = listDescribed(OFFERED).sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'))
  for (const route of order) {
    if (route.type === 'text/event-stream' || DEVICES.test(route.path)) continue
    // The second deletion gives 404, and marking twice gives 409.
    const isAgain = route.id.endsWith('AsAdmin') && (route.method === 'delete' || route.id.startsWith('mark'))
    if (isAgain) continue
    for (const subject of subjectsOf(route)) {
      const reply = await asked(route, route.path.replace(/\{\w+\}/, subject))
      const status = route.status ?? 200
      if (reply.status !== status) wrong.push(`${route.id} ${subject}: ${reply.status} ${reply.text.slice(0, 200)}`)
      else if (route.type === undefined) compare(route, reply, subject)
      else assert.match(String(reply.headers['content-type']), new RegExp(`^${route.type}`))
    }
  }
  assert.deepEqual(wrong, [])

  // Events have the same schemas as webhooks.
  const { webhooks, components } = await readDocument(gateway)
  const list = await ask(`${gateway.url}/api/events`, { method: 'GET', headers: key })
  const { events } = list.json<{ events: { type: string; payload: object }[] }>()
  const api = new Ajv2020({ strict: false }).addSchema(closed({ webhooks, components }) as object, 'api')
  const kinds = new Set(events.map(({ type }) => type))
  assert.ok(kinds.has('payment.completed') && kinds.has('ping'))
  for (const { type, payload } of events) {
    const at = `api#/webhooks/${type}/post/requestBody/content/application~1json/schema`
    const validate = api.getSchema(at)!
    assert.ok(validate(payload), `${type}: ${api.errorsText(validate.errors)}`)
  }
})

test('an answer other than described turns the test red that got it: a member less, another type, a status or a refusal not described', async (t) => {
  const { app } = await openGateway(t)
  const route = (path: string, status: number, body: unknown) => () =>
    checkRoute('GET', `http://gateway${path}`, { status, text: JSON.stringify(body), type: 'application/json' })
  const error = { error: 'No.', message: 'No.', code: 'not_found' }
  assert.doesNotThrow(route('/health/live', 200, { status: 'live', more: 1 }))
  assert.doesNotThrow(route('/api/keys', 401, error))
  assert.throws(route('/health/live', 200, {}), /GET \/health\/live answers other than it says/)
  assert.throws(route('/health/live', 200, { status: 7 }), /answers other/)
  assert.throws(route('/api/keys', 402, error), /nobody is told of the status 402/)
  assert.throws(route('/api/keys', 401, { error: 'No.' }), /answers other/)
  const action = (name: string, status: number, body: object) => () =>
    checkAnswer(app.endpoints.actions, name, { status, text: JSON.stringify(body) })
  assert.doesNotThrow(action('account_info', 200, { error: 'Account not found' }))
  assert.throws(action('nano_to_raw', 200, { error: 'Account not found' }), /it has no refusals/)
  assert.throws(action('nano_to_raw', 409, error), /nobody is told of the status 409/)
})

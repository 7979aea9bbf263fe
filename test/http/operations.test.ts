import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { type Socket, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Registry } from '../../src/guard/registry.ts'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { LEDGER_ACTIONS } from '../../src/modules/ledger/open.ts'
import { WORK_ACTIONS } from '../../src/modules/work/open.ts'
import { type Ask, ask, openGateway } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { until } from '../support/until.ts'

/* The operator's view of a gateway: health, metrics, pages, the API description, and its shutdown. */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const get = (url: string, headers: Ask['headers'] = {}) => ask(url, { method: 'GET', headers })

test('a gateway with a healthy node is live and ready; while no node is healthy it lives, and readiness is 503', async (t) => {
  const { url } = await openGateway(t)
  const away = (await openGateway(t, { NODE_URLS: 'http://127.0.0.1:1' })).url
  const reason = 'no healthy node; node-1 is not used, because it does not answer: refused connection'
  for (const [path, status, body] of [
    [`${url}/health/live`, 200, { status: 'live' }],
    [`${url}/health/ready`, 200, { status: 'ready' }],
    [`${away}/health/live`, 200, { status: 'live' }],
    [`${away}/health/ready`, 503, { status: 'not ready', reason }],
  ] as const) {
    const reply = await get(path)
    assert.deepEqual([reply.status, reply.json()], [status, body], path)
  }
})

/** A node whose answers wait until the test releases them. */
async function openHeldNode(t: TestContext) {
  const gate = Promise.withResolvers<void>()
  const answer = { balance: '5', pending: '0', receivable: '0' }
  const node = await openRecordingNode(t, () => gate.promise.then(() => answer))
  return { ...node, release: gate.resolve }
}

/** A connection with an incomplete request. */
async function beginRequest(t: TestContext, url: string, head: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  await new Promise((resolve) => socket.write(`${head}\r\nHost: gateway\r\n`, resolve))
  return socket
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  if (!socket.closed) await once(socket, 'close')
  return text
}

test('a request in flight is answered while the gateway closes, and new ones are refused', async (t) => {
  const node = await openHeldNode(t)
  // Longer than the test may take: this proves that an open keep-alive connection does not delay the shutdown.
  const gateway = await openGateway(t, { NODE_URLS: node.url, DRAIN_MS: '60000' })
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const answered = ask(gateway.url, { body: JSON.stringify({ action: 'account_balance', account: GENESIS }), agent })
  await node.arrived('account_balance')

  let closed = false
  const closing = gateway.app.close().then(() => (closed = true))
  const isRefused = () =>
    get(gateway.url).then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
    )
  await until(isRefused)
  assert.equal(closed, false)
  node.release()
  const { status, text } = await answered
  assert.equal(status, 200)
  assert.match(text, /^\{"balance":"5","balance_nano":"0\.0+5",/)
  await closing
})

test('503 from readiness while the gateway drains, with the headers of every answer', async (t) => {
  const node = await openHeldNode(t)
  const gateway = await openGateway(t, { NODE_URLS: node.url, DRAIN_MS: '60000' })
  const held = gateway.call('account_balance', { account: GENESIS })
  await node.arrived('account_balance')
  const ready = await beginRequest(t, gateway.url, 'GET /health/ready HTTP/1.1')
  const live = await beginRequest(t, gateway.url, 'GET /health/live HTTP/1.1')
  // Its answer proves that the gateway has seen the two connections before it.
  await get(`${gateway.url}/health/live`)

  const closing = gateway.app.close()
  ready.write('\r\n')
  live.write('\r\n')
  const text = await readToEnd(ready)
  assert.match(text, /^HTTP\/1\.1 503 /)
  assert.match(text, /access-control-allow-origin: \*/)
  assert.match(text, /\{"status":"not ready","reason":"draining"\}$/)
  assert.match(await readToEnd(live), /^HTTP\/1\.1 200 [^]*\{"status":"live"\}$/)
  node.release()
  assert.equal((await held).status, 200)
  await closing
})

test('a port that is taken is named, and another one is proposed', async (t) => {
  const { url } = await openGateway(t)
  const port = Number(new URL(url).port)
  await assert.rejects(openGateway(t, { PORT: String(port) }), {
    message: `Port ${port} is already in use. Start with another one: PORT=${port + 1} npm start`,
  })
  assert.equal((await get(`${url}/health/live`)).status, 200)
})

// Browsers open connections ahead of need.
test('a connection that never asked for anything does not hold the gateway up', async (t) => {
  const gateway = await openGateway(t, { DRAIN_MS: '60000' })
  const silent = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  await once(silent, 'connect')
  await get(`${gateway.url}/health/live`)
  await gateway.app.close()
  assert.equal(await readToEnd(silent), '')
})

test('requests that outlast the time to drain are cut off', async (t) => {
  const node = await openHeldNode(t)
  const gateway = await openGateway(t, { NODE_URLS: node.url, DRAIN_MS: '0' })
  const held = gateway.call('account_balance', { account: GENESIS })
  const cutOff = assert.rejects(held, { code: 'ECONNRESET' })
  await node.arrived('account_balance')
  await gateway.app.close()
  await cutOff
})

test('metrics know actions by their names, and everything unknown by one', async (t) => {
  const { app, call, post } = await openGateway(t)
  await call('block_count')
  await call('pending', { account: GENESIS })
  await call('account_info', { account: 'bad' })
  for (let at = 0; at < 20; at++) await call(`made_up_${at}`)
  await post('nonsense')
  const { headers, text } = await get(app.metricsUrl!)
  assert.match(headers['content-type']!, /^text\/plain/)
  const counted = text.split('\n').filter((line) => line.startsWith('gateway_requests_total{'))
  assert.deepEqual(counted.sort(), [
    'gateway_requests_total{action="account_info",status="400"} 1',
    'gateway_requests_total{action="block_count",status="200"} 1',
    'gateway_requests_total{action="receivable",status="200"} 1',
    'gateway_requests_total{action="unknown",status="400"} 21',
  ])
  const labels = new Set([...text.matchAll(/action="([^"]*)"/g)].map((match) => match[1]))
  assert.deepEqual([...labels].sort(), ['account_info', 'block_count', 'receivable', 'unknown'])
  assert.match(text, /^gateway_upstream_healthy\{upstream="devnet"\} 1$/m)
  for (const line of text.split('\n').filter((line) => line !== '')) {
    assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)*\})? (-?[\d.e+-]+|\+Inf|NaN))$/)
  }
})

interface Schema {
  oneOf: { $ref: string }[]
  discriminator: { mapping: Record<string, string> }
  allOf: [{ required: string[]; properties: Record<string, object> }, { $ref: string }]
}

interface Content {
  'application/json': { schema: Schema; examples: Record<string, { value: Record<string, unknown> }> }
}

interface OpenApi {
  openapi: string
  info: { title: string; version: string }
  servers: { url: string }[]
  paths: {
    '/': {
      post: {
        requestBody: { content: Content }
        responses: Record<string, { content: Content }>
        security: object[]
      }
    }
  }
  components: { schemas: Record<string, Schema>; securitySchemes: object }
}

const registry = new Registry([
  { name: 'ledger', actions: LEDGER_ACTIONS },
  { name: 'work', actions: WORK_ACTIONS },
])

test('the API describes itself: every action under every name', async (t) => {
  const { url } = await openGateway(t, { BASE_URL: 'https://rpc.example' })
  const reply = await get(`${url}/openapi.json`)
  assert.match(reply.headers['content-type']!, /^application\/json/)
  const document = reply.json<OpenApi>()
  assert.match(document.openapi, /^3\.1\.\d+$/)
  assert.ok(document.info.title && document.info.version)
  assert.deepEqual(document.servers, [{ url: 'https://rpc.example' }])

  const { post } = document.paths['/']
  const { schema, examples } = post.requestBody.content['application/json']
  const { schemas, securitySchemes } = document.components
  for (const { name, synonyms = [] } of registry.actions) {
    const own = `#/components/schemas/${name}`
    assert.ok(schema.oneOf.map(({ $ref }) => $ref).includes(own), name)
    const [told, fields] = schemas[name]!.allOf
    assert.deepEqual(told.properties.action, { type: 'string', enum: [name, ...synonyms] })
    assert.deepEqual([told.required, fields.$ref], [['action'], `${own}.request`])
    for (const known of [name, ...synonyms]) assert.equal(schema.discriminator.mapping[known], own)
    assert.equal(examples[name]!.value.action, name)
    assert.ok(name in post.responses['200']!.content['application/json'].examples)
  }
  for (const status of ['400', '401', '402', '403', '409', '413', '429', '500', '502', '503', '504'])
    assert.ok(post.responses[status], status)
  for (const scheme of post.security.flatMap(Object.keys)) assert.ok(scheme in securitySchemes)

  // Internal markers of the schemas must not be published.
  assert.doesNotMatch(reply.text, /"(refusal|reader|~\w+)":/)
})

/** Fields that always hold raw; unit conversion and `find_block` use other names. */
const AMOUNT =
  /^(confirmed_)?(balance|pending|receivable)$|^(amount|weight|available|quorum_delta)$|_(tally|stake_total)$/

test('every documented answer shows the `_nano` counterpart of each amount', () => {
  const lone: string[] = []
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (AMOUNT.test(name) && /^\d+$/.test(String(inner)) && !(`${name}_nano` in value)) lone.push(`${path}.${name}`)
      walk(inner, `${path}.${name}`)
    }
  }
  for (const { name, example } of registry.actions) if (!/_to_(raw|nano)$/.test(name)) walk(example.response, name)
  assert.deepEqual(lone, [])
})

const EVIL = '<script>alert("1")</script>'

test('pages are whole, closed to everything foreign, and write markup as text', async (t) => {
  const gateway = await openGateway(t, {
    BASE_URL: `https://rpc.example/${EVIL}`,
    NODE_URLS: `devnet:#name=${encodeURIComponent(EVIL)}`,
  })
  const home = await get(gateway.url, { accept: 'text/html,application/xhtml+xml' })
  const docs = await get(`${gateway.url}/docs`)
  const entered = await ask(`${gateway.url}/dashboard/sign-in/key`, {
    headers: { origin: gateway.url, 'content-type': 'application/x-www-form-urlencoded' },
    body: `key=${gateway.app.createdKey}`,
  })
  const cookie = entered.headers['set-cookie']![0]!.split(';')[0]!
  const health = await get(`${gateway.url}/dashboard/admin/health`, { cookie })
  for (const { status, headers, text } of [home, docs, health]) {
    assert.equal(status, 200)
    assert.match(headers['content-type']!, /^text\/html; charset=utf-8/)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(text, /^<!doctype html><html lang="en">[^]*<\/html>$/i)
    assert.doesNotMatch(text, /<script(?! src="\/assets\/[\w.-]+\?v=[\w-]+" defer><\/script>)/i)
    assert.match(text, /&lt;script>|&lt;script&gt;/)
    assert.doesNotMatch(text, /(src|href)="(https?:)?\/\//, 'nothing comes from elsewhere')
    assert.match(text, /has no value/, 'the development ledger says what it is')
  }
  for (const { name } of registry.actions) assert.ok(docs.text.includes(`id="${name}"`), name)
  assert.match(health.text, /Confirmed blocks/)

  const [, path] = /<link rel="stylesheet" href="([^"]+)"/.exec(home.text)!
  const css = await get(`${gateway.url}${path}`)
  assert.equal(css.status, 200)
  assert.match(css.headers['content-type']!, /^text\/css/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, openGateway } from '../support/gateway.ts'
import { WsClient } from '../support/ws-client.ts'
import { NASTY } from './values.ts'
import { Wire } from './wire.ts'

/* Well-formed HTTP with harmful contents: slow patterns, prototype pollution, path tricks. */

/** Texts that make backtracking patterns slow. */
const BLOW_UPS = ['a', '1', ' ', '.', '@', '0.', 'a@', '%', '\\', '/..', '(', 'nano_'].map(
  (piece) => `${piece.repeat(Math.floor(100_000 / piece.length))}!`,
)

// A backtracking pattern would take hours for one of these and block all other requests.
test('no value of any field makes an action slow', async (t) => {
  const gateway = await openGateway(t, { LIMIT_FREE_PER_MINUTE: '0', LIMIT_FREE_CONCURRENCY: '0' })
  const key = gateway.app.createdKey!
  let asked = 0
  for (const { name, input, example, fieldSynonyms = {} } of gateway.app.endpoints.actions) {
    for (const field of [...Object.keys(input.properties), ...Object.keys(fieldSynonyms)]) {
      const texts = BLOW_UPS.filter((_, at) => (asked + at) % 3 === 0)
      for (const text of texts) {
        const reply = await gateway.call(
          name,
          { ...example.request, [field]: text },
          { authorization: `Bearer ${key}` },
        )
        assert.ok(reply.status < 500, `${name}.${field}: ${reply.status} ${reply.text.slice(0, 200)}`)
      }
      asked++
    }
  }
  assert.ok(asked > 100)
  for (const text of BLOW_UPS) {
    for (const path of ['/api/sign-in/request', '/api/sign-in', '/facilitator/verify']) {
      const reply = await ask(gateway.url + path, {
        body: JSON.stringify({ email: text, token: text, x402Version: text }),
      })
      assert.ok(reply.status < 500, path)
    }
  }
})

// `String` throws for these values. An internal error would let anybody fill the operator's log.
test('no field of any action fails over a value that cannot be made text', async (t) => {
  const gateway = await openGateway(t, { LIMIT_FREE_PER_MINUTE: '0', LIMIT_FREE_CONCURRENCY: '0' })
  const headers = { authorization: `Bearer ${gateway.app.createdKey!}` }
  for (const { name, input, example, fieldSynonyms = {} } of gateway.app.endpoints.actions) {
    for (const field of new Set(['id', ...Object.keys(input.properties), ...Object.keys(fieldSynonyms)])) {
      const reply = await gateway.call(name, { ...example.request, [field]: { toString: 1 } }, headers)
      assert.ok(reply.status < 500, `${name}.${field}: ${reply.status} ${reply.text.slice(0, 200)}`)
    }
  }
})

const MEMBERS = 'action topic ack id options'.split(' ')
const OPTIONS = `accounts accounts_add accounts_del all_local_accounts confirmation_type include_block
  include_election_info include_sideband_info`.split(/\s+/)
const FRAMES_OF_ONE = 60

// One such frame of an anonymous client used to end the gateway.
test('a websocket still answers after every frame, with any value in any member', async (t) => {
  const gateway = await openGateway(t)
  const frame = { action: 'subscribe', topic: 'confirmation', ack: true }
  const frames = NASTY.flatMap((value) => [
    ...MEMBERS.map((member) => ({ ...frame, [member]: value })),
    ...OPTIONS.map((option) => ({ ...frame, options: { [option]: value } })),
    { ...frame, action: 'update', options: { accounts_add: [value], accounts_del: [value] } },
  ])
  for (const path of ['/ws', '/node']) {
    const connect = () => WsClient.connect(t, gateway.url.replace('http', 'ws') + path)
    let client = await connect()
    for (const [at, one] of frames.entries()) {
      client.send(one)
      const ended = await client.settle().then(
        () => undefined,
        () => client.closed,
      )
      // A node closes the connection without an answer if the nesting is too deep.
      const isDropped = path === '/node' && ended === 1006
      assert.ok(ended === undefined || isDropped, `${path}: ${ended} after ${JSON.stringify(one).slice(0, 200)}`)
      if (!isDropped && at % FRAMES_OF_ONE !== 0) continue
      client.close()
      client = await connect()
    }
  }
})

test('objects and lists of any width and depth are read or refused, and change nothing of ours', async (t) => {
  const gateway = await openGateway(t)
  const members = Array.from({ length: 50_000 }, (_, at) => `"m${at}":1`).join()
  for (const body of [
    `{"action":"version","x":${'['.repeat(100_000)}`,
    `{"action":"version","x":${'{"a":'.repeat(100_000)}`,
    `{"action":"version",${members}}`,
    `{"action":"version","x":[${'0,'.repeat(200_000)}0]}`,
    `{"action":"version","x":[${'{},'.repeat(200_000)}{}]}`,
    `{"action":"version","x":${'9'.repeat(500_000)}}`,
    `{"action":"version","x":"${'\\u0000'.repeat(100_000)}"}`,
    `{"action":"version"${' '.repeat(900_000)}}`,
    `{${'"action":"version",'.repeat(10_000)}"x":1}`,
    '{"action":"version","__proto__":{"polluted":"yes","auth":"none"}}',
    '{"action":"version","constructor":{"prototype":{"polluted":"yes"}}}',
    '{"action":"checkout","metadata":{"__proto__":{"polluted":"yes"}},"amount":"1","address":"x"}',
    '{"action":"__proto__"}',
    '{"action":"constructor"}',
    '{"action":"hasOwnProperty"}',
    '{"__proto__":{"action":"version"}}',
  ]) {
    const reply = await gateway.post(body)
    assert.ok([200, 400].includes(reply.status), `${body.slice(0, 60)}: ${reply.status}`)
  }
  assert.equal('polluted' in {}, false)
  assert.equal((await gateway.post('{"__proto__":{"action":"version"}}')).status, 400)
})

test('no spelling of a path gives access that the path itself does not', async (t) => {
  const gateway = await openGateway(t)
  const port = Number(new URL(gateway.url).port)
  const closed = gateway.app.endpoints.routes.filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/api/') && !path.includes(':'),
  )
  assert.ok(closed.length > 10)
  const wire = new Wire(port)
  for (const { path } of closed) {
    const rest = path.slice('/api'.length)
    for (const spelled of [
      path,
      `${path}/`,
      `/${path}`,
      `/.${path}`,
      `/x/..${path}`,
      `/api/.${rest}`,
      `/api/%2e${rest}`,
      `/api//${rest.slice(1)}`,
      `/%61pi${rest}`,
      `/API${rest}`,
      `/api%2f${rest.slice(1)}`,
      `${path}?key=`,
      `${path}%20`,
      `${path}%00`,
      `${path};x`,
      `${path}?_method=POST`,
      `http://localhost${path}`,
    ]) {
      for (const headers of ['', 'x-original-url: /\r\n', 'x-rewrite-url: /\r\n', 'x-forwarded-for: 127.0.0.1\r\n']) {
        const { status } = await wire.send(`GET ${spelled} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`, 'GET')
        assert.ok([400, 401, 404].includes(status), `${spelled} ${headers.trim()}: ${status}`)
      }
    }
  }
  wire.close()
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import { type Ask, type Gateway, ask, openGateway, readMetrics } from '../support/gateway.ts'
import { openRecordingNode } from '../support/recording-node.ts'
import { WsClient } from '../support/ws-client.ts'

/* Keys, seeds, signatures and all other input of clients stay out of logs (contract 5, rule 9). */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)

/** Makes unique texts, so that even a truncated one proves a leak when found. */
class Secrets {
  readonly #places = new Map<string, string>()

  plant(place: string): string {
    return `${this.#mark('sEcReT', place)}pLaNtEd`
  }

  /** A secret in the form of a hash, as if somebody pasted a private key into the wrong field. */
  plantHex(place: string): string {
    return this.#mark('5EC2E7', place).padEnd(64, '5')
  }

  #mark(prefix: string, place: string): string {
    const mark = `${prefix}${String(this.#places.size).padStart(4, '0')}`
    this.#places.set(mark, place)
    return mark
  }

  get count(): number {
    return this.#places.size
  }

  /** The places whose secrets were found, ignoring case. */
  foundIn(text: string): string[] {
    const lower = text.toLowerCase()
    return [...this.#places].filter(([mark]) => lower.includes(mark.toLowerCase())).map(([, place]) => place)
  }
}

interface Planted extends Ask {
  path?: string
}

/** Requests with a secret in every text field of the protocol. */
function plantEverywhere(secrets: Secrets, run: string): Planted[] {
  const body = (members: object) => ({ body: JSON.stringify(members) })
  const read = { action: 'account_balance', account: GENESIS }
  const plant = (place: string) => secrets.plant(`${run}: ${place}`)
  const headers = ['authorization', 'key', 'x-api-key', 'nano-app', 'nano-app-admin', 'payment-signature']
  const others = ['idempotency-key', 'cookie', 'user-agent', 'referer', 'x-request-id', 'x-forwarded-for', 'origin']
  const bearer = { authorization: `Bearer ${plant('bearer')}` }
  const fields: object[] = [
    { action: plant('action') },
    { action: [plant('action in a list')] },
    { ...read, key: plant('key of the body') },
    { ...read, account: plant('account') },
    { ...read, account: `@${plant('username')}` },
    { ...read, [plant('name of a member')]: plant('value of a member') },
    { ...read, password: plant('password'), seed: plant('seed'), wallet: plant('wallet') },
    { action: 'account_get', key: plant('key of account_get') },
    { action: 'account_history', account: GENESIS, count: plant('count') },
    { action: 'account_history', head: plant('head'), count: 1 },
    { action: 'account_history', account: GENESIS, count: 1, account_filter: [plant('filter')] },
    { action: 'accounts_receivable', accounts: [plant('accounts')] },
    { action: 'accounts_receivable', accounts: plant('accounts as a text') },
    { action: 'block_info', hash: plant('hash') },
    { action: 'block_info', hash: secrets.plantHex(`${run}: private key as hash`) },
    { action: 'blocks_info', hashes: [plant('hashes')] },
    { action: 'confirmation_info', root: plant('root') },
    { action: 'find_block', address: plant('address'), amount: '1' },
    { action: 'find_block', address: GENESIS, amount: plant('amount') },
    { action: 'receivable', account: GENESIS, threshold: plant('threshold') },
    { action: 'work_generate', hash: secrets.plantHex(`${run}: private key as root`), difficulty: plant('difficulty') },
    { action: 'work_validate', hash: 'A'.repeat(64), work: plant('work'), multiplier: plant('multiplier') },
    { action: 'checkout', address: GENESIS, amount: '1', webhook_secret: plant('secret of a webhook') },
    { action: 'process', block: plant('block as a text') },
    { action: 'process', block: JSON.stringify({ type: 'state', signature: plant('signature in a text') }) },
    { action: 'process', block: { ...BLOCK, signature: plant('signature') } },
    { action: 'process', block: { ...BLOCK, signature: secrets.plantHex(`${run}: key as signature`).repeat(2) } },
    { action: 'process', block: { ...BLOCK, [plant('member of a block')]: plant('value in a block') } },
    { action: 'process', block: BLOCK, subtype: plant('subtype') },
    { block: { ...BLOCK, work: plant('work of a block') }, subtype: 'send' },
  ]
  return [
    ...[...headers, ...others].map((name) => ({ ...body(read), headers: { [name]: plant(`header ${name}`) } })),
    { ...body(read), headers: bearer },
    { ...body({ action: 'stop' }), headers: { key: plant('key with an unknown action') } },
    { ...body(read), path: `/?key=${plant('query key')}` },
    { ...body(read), path: `/?key=${plant('first query key')}&key=${plant('second query key')}` },
    { ...body(read), path: `/?other=${plant('query')}` },
    { ...body(read), path: `/${plant('path')}` },
    { method: 'GET', path: `/${plant('path of GET')}?key=${plant('query of GET')}` },
    { method: 'GET', path: `/%?key=${plant('query of a broken path')}` },
    { method: 'GET', path: `/dashboard?key=${plant('query of a page')}` },
    { method: 'PUT', path: `/?key=${plant('query of PUT')}`, ...body({ key: plant('body of PUT') }) },
    { ...body(read), headers: { [plant('name of a header').toLowerCase()]: plant('value of a header') } },
    { ...body(read), headers: { 'x-long': plant('header that is too long').repeat(1_000) } },
    { body: plant('no JSON') },
    { body: `{"key":"${plant('truncated JSON')}` },
    { body: `[{"key":"${plant('list')}"}]` },
    { body: `{"action":"version","x":${'['.repeat(30)}"${plant('too deep')}"` },
    { body: `{"key":"${plant('too large')}${'x'.repeat(1024 * 1024)}"}` },
    ...fields.map(body),
  ]
}

const BLOCK = {
  type: 'state',
  account: GENESIS,
  previous: 'A'.repeat(64),
  representative: GENESIS,
  balance: '1',
  link: 'B'.repeat(64),
  signature: 'C'.repeat(128),
  work: '0000000000000000',
}

/** Sends all requests and returns the secrets found in refusals, headers, pages or the log. */
async function leaksOf(gateway: Gateway, secrets: Secrets, requests: Planted[]): Promise<string[]> {
  const leaks = new Set<string>()
  const look = (where: string, text: string) => {
    for (const place of secrets.foundIn(text)) leaks.add(`${place} came up in ${where}`)
  }
  let refused = 0
  for (const { path = '/', ...rest } of requests) {
    const reply = await ask(`${gateway.url}${path}`, rest)
    // The names of ignored fields are returned to the caller, and nowhere else (contract 1, rule 5).
    const { 'x-ignored-fields': _told, ...headers } = reply.headers
    look('a header', JSON.stringify(headers))
    if (reply.status < 400 && !reply.text.startsWith('{"error"')) continue
    refused++
    look('an error', reply.text)
  }
  assert.ok(refused > requests.length / 3, `${refused} of ${requests.length} were refused`)
  for (const path of ['/', '/dashboard/sign-in', '/openapi.json', '/health/ready', '/health/live']) {
    const page = await ask(`${gateway.url}${path}`, { method: 'GET', headers: { accept: 'text/html' } })
    assert.ok(page.text.length > 0)
    look(path, page.text)
  }
  look('the metrics', await readMetrics(gateway))
  assert.ok(gateway.log().length > 0)
  look('the log', gateway.log())
  return [...leaks]
}

test('nothing a client sends comes up in a log line, a metric, a page or an error (contract 5, rules 9 and 12)', async (t) => {
  const secrets = new Secrets()
  const gateway = await openGateway(t)
  const requests = plantEverywhere(secrets, 'well')
  await garbage(gateway, `${secrets.plant('raw bytes')}\r\n\r\n`)
  await garbage(gateway, `GET / HTTP/1.1\r\nbad header ${secrets.plant('broken header')}\r\n\r\n`)
  await garbage(gateway, `GET /elsewhere?key=${secrets.plant('refused upgrade')} HTTP/1.1\r\n${UPGRADE}\r\n\r\n`)
  await whisper(t, gateway, secrets)
  assert.deepEqual(await leaksOf(gateway, secrets, requests), [])
  assert.ok(secrets.count > 70)
})

// A failing node gives strange answers that may repeat the request.
test('no secret is revealed when nodes fail or return errors that repeat the request', async (t) => {
  const secrets = new Secrets()
  const token = secrets.plant('path of a node')
  const header = secrets.plant('header for a node')
  const failures: [string, (request: object) => object | string | number][] = [
    ['status', () => 500],
    ['not JSON', (request) => `<html>${JSON.stringify(request)}</html>`],
    ['a list', (request) => [request]],
    ['strange error', (request) => ({ error: request })],
    ['a complaint that repeats the request', (request) => ({ error: `Too many requests: ${JSON.stringify(request)}` })],
    ['unexpected members', (request) => ({ request, blocks: 5, history: { request }, contents: [request] })],
  ]
  for (const [kind, answer] of failures) {
    const node = await openRecordingNode(t, answer)
    const gateway = await openGateway(t, {
      NODE_URLS: `${node.url}/${token}#name=upstream`,
      NODE_HEADERS: JSON.stringify({ upstream: { authorization: header } }),
    })
    assert.deepEqual(await leaksOf(gateway, secrets, plantEverywhere(secrets, kind)), [], kind)
    assert.match(node.raw.join(), new RegExp(`/${token} .*${header}`), 'the credentials of the node reach the node')
  }
  const nowhere = await openGateway(t, { NODE_URLS: `http://127.0.0.1:1/${token}` })
  assert.deepEqual(await leaksOf(nowhere, secrets, plantEverywhere(secrets, 'refused')), [])
})

test('credentials are never forwarded to a node (contract 5, rule 12)', async (t) => {
  const node = await openRecordingNode(t, () => ({ balance: '1', pending: '0', receivable: '0' }))
  const gateway = await openGateway(t, { NODE_URLS: node.url, CACHE_BYTES_MAX: '0' })
  const key = gateway.app.createdKey!
  const members = { account: GENESIS, key }
  for (const headers of [{ authorization: `Bearer ${key}` }, { authorization: key }, { key }, { 'x-api-key': key }]) {
    assert.equal((await gateway.call('account_balance', members, headers)).status, 200)
  }
  const body = JSON.stringify({ action: 'account_balance', ...members })
  assert.equal((await ask(`${gateway.url}/?key=${key}`, { body })).status, 200)
  assert.equal(node.requests.filter(({ action }) => action === 'account_balance').length, 5)
  assert.ok(!node.raw.join().includes(key))
})

const UPGRADE = [
  'Host: x',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
].join('\r\n')

/** Bytes that no client library would send. */
async function garbage(gateway: Gateway, bytes: string): Promise<void> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  socket.on('error', () => undefined)
  socket.write(bytes)
  await once(socket, 'close')
  assert.match(answer, /^HTTP\/1\.1 40[04] /)
  assert.doesNotMatch(answer, /secret\d/i)
}

/** Frames of a websocket client, good and bad. */
async function whisper(t: TestContext, gateway: Gateway, secrets: Secrets): Promise<void> {
  const address = `${gateway.url.replace('http', 'ws')}/ws?key=${secrets.plant('query of a websocket')}`
  const client = await WsClient.connect(t, address)
  const say = (place: string) => secrets.plant(`websocket: ${place}`)
  client.send(say('no JSON'))
  client.send({ action: say('action'), topic: say('topic'), key: say('key') })
  const id = say('id')
  client.send({ action: 'subscribe', topic: 'confirmation', id, options: { accounts: [say('account')] } })
  client.send({ action: 'subscribe', topic: 'confirmation', options: say('options') })
  const refusals = [
    { error: 'Unable to parse JSON' },
    { error: 'Unknown topic. The only topic is “confirmation”.' },
    // The client's own request id is returned to it, as with every answer.
    { error: 'Bad account number', field: 'accounts[0]', id },
    { error: 'options must be an object.', field: 'options' },
  ]
  assert.deepEqual(
    await client.settle(),
    refusals.map((refusal) => JSON.stringify(refusal)),
  )
}

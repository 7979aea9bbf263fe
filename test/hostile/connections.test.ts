import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { type Gateway, ask, openGateway } from '../support/gateway.ts'
import { Signer } from '../support/blocks.ts'
import { once as sendOnce } from './wire.ts'

/* Abuse of connections: slow ones, many, saturated and shared ones. */

const VERSION = '{"action":"version"}'
const portOf = ({ url }: Gateway) => Number(new URL(url).port)
const post = (body: string, headers: string[] = []) =>
  ['POST / HTTP/1.1', 'host: x', ...headers, `content-length: ${body.length}`, '', body].join('\r\n')

async function open(t: TestContext, gateway: Gateway): Promise<Socket & { heard: string }> {
  const socket = Object.assign(connect(portOf(gateway), '127.0.0.1'), { heard: '' })
  socket.on('data', (chunk) => (socket.heard += chunk.toString()))
  socket.on('error', () => undefined)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

test('a body or a head that never comes to an end is cut off with 408, and others are served meanwhile', async (t) => {
  const gateway = await openGateway(t, { REQUEST_TIMEOUT_MS: '1000' })
  const beginnings = [
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"action":',
    'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"act',
    'POST /api/keys HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{',
    'GET / HTTP/1.1\r\nhost: x\r\nx-slow: ',
  ]
  const sockets = await Promise.all(
    beginnings.flatMap((text) => Array.from({ length: 5 }, () => text)).map((text) => begin(text)),
  )
  async function begin(text: string) {
    const socket = await open(t, gateway)
    socket.write(text)
    return socket
  }
  assert.equal((await gateway.call('version')).status, 200)
  // On a busy machine it may already be closed.
  for (const socket of sockets) if (!socket.closed) await once(socket, 'close')
  for (const { heard } of sockets) assert.match(heard, /^HTTP\/1\.1 408 /)
})

test('a thousand silent connections do not affect other clients', async (t) => {
  const gateway = await openGateway(t)
  const idle = await Promise.all(Array.from({ length: 1_000 }, () => open(t, gateway)))
  assert.equal((await gateway.call('version')).status, 200)
  for (const socket of idle) socket.destroy()
  assert.equal((await gateway.call('version')).status, 200)
})

test('431 for a flood of headers, few and long or many and short', async (t) => {
  const gateway = await openGateway(t)
  for (const headers of [
    [`x-long: ${'h'.repeat(20_000)}`],
    Array.from({ length: 5_000 }, (_, at) => `x-${at}: y`),
    [`cookie: ${'a=b; '.repeat(5_000)}`],
    [`authorization: Bearer ${'k'.repeat(20_000)}`],
  ]) {
    assert.equal((await sendOnce(portOf(gateway), post(VERSION, headers))).status, 431)
  }
  assert.equal((await gateway.call('version')).status, 200)
})

// A proxy shares one connection among its clients: bytes sent by one must never become another's answer.
test('garbage behind a request never becomes its answer, nor a part of it', async (t) => {
  const gateway = await openGateway(t)
  const answers = new Set<string>()
  for (const first of [
    post(VERSION),
    'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n',
    'GET /health/ready HTTP/1.1\r\nhost: x\r\n\r\n',
  ]) {
    const socket = await open(t, gateway)
    socket.write(`${first}\x00\x01 no request\r\n\r\n`)
    await once(socket, 'close')
    answers.add(socket.heard)
  }
  for (const heard of answers) {
    assert.doesNotMatch(heard, /HTTP\/1\.1 400/)
    assert.ok((heard.match(/HTTP\/1\.1 /g) ?? []).length <= 1)
  }
})

test('two lengths, or a length and chunks, are refused: no second request can be smuggled in a body', async (t) => {
  const gateway = await openGateway(t)
  for (const headers of [
    ['content-length: 5', 'content-length: 30'],
    ['content-length: 5', 'transfer-encoding: chunked'],
    ['transfer-encoding: chunked', 'transfer-encoding: identity'],
    ['transfer-encoding: xchunked'],
    ['content-length: +20'],
    ['content-length: -1'],
    ['content-length : 20'],
  ]) {
    const { status } = await sendOnce(
      portOf(gateway),
      ['POST / HTTP/1.1', 'host: x', ...headers, '', VERSION].join('\r\n'),
    )
    assert.equal(status, 400, headers.join())
  }
})

test('400 with our own text for a request without a host', async (t) => {
  const gateway = await openGateway(t)
  const { status, body, headers } = await sendOnce(portOf(gateway), 'GET / HTTP/1.1\r\n\r\n')
  assert.deepEqual([status, (JSON.parse(body) as { code: string }).code], [400, 'invalid_request'])
  assert.match(headers, /x-request-id: /)
})

// Reverse proxies are often configured to send an upgrade header with every request.
test('a call that offers a websocket by the way is answered like any other', async (t) => {
  const gateway = await openGateway(t)
  const headers = { connection: 'upgrade', upgrade: 'websocket' }
  assert.equal((await gateway.call('version', {}, headers)).status, 200)
})

test('asking for the head of a stream does not wait for its end', async (t) => {
  const gateway = await openGateway(t)
  const made = await gateway.call('checkout', { address: new Signer(41).address, amount: '1' })
  const reply = await ask(`${gateway.url}/pay/${made.json().id}/events`, { method: 'HEAD' })
  assert.equal(reply.status, 404)
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type Socket, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { toAddress } from '../../src/kernel/nano/address.ts'
import { toBlockJson } from '../../src/kernel/nano/block.ts'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import {
  NO_WORK,
  Signer,
  UNOPENED,
  frontierAfter,
  frontierOf,
  give,
  nano,
  openAccount,
  publish,
} from '../support/blocks.ts'
import { TestClock } from '../support/clock.ts'
import { openDevnet } from '../support/devnet.ts'
import { type Gateway, ask, openGateway, readMetrics } from '../support/gateway.ts'
import { shareGateway } from '../support/shared-gateway.ts'
import { until } from '../support/until.ts'
import { WsClient } from '../support/ws-client.ts'

/* `GET /ws` speaks the node's websocket protocol: subscribe, update, unsubscribe, ping (node RPC 7). */

const GENESIS = toAddress(DEV_NETWORK.genesisAccount)
const alice = new Signer(1)
const bob = new Signer(2)

interface Frame {
  topic: string
  time: string
  message: { hash: string; block?: Record<string, string> }
}

/** A gateway that has begun to receive confirmations. */
async function openListeningGateway(t: TestContext, env: Record<string, string> = {}): Promise<Gateway> {
  const gateway = await openGateway(t, env)
  await until(() => gateway.app.nodes.confirmations.connected)
  return gateway
}

const wsUrl = ({ url }: Gateway) => `${url.replace('http', 'ws')}/ws`

async function subscribe(t: TestContext, gateway: Gateway, options?: object): Promise<WsClient> {
  const client = await WsClient.connect(t, wsUrl(gateway))
  client.send({ action: 'subscribe', topic: 'confirmation', ...(options && { options }) })
  await client.settle()
  return client
}

/** Hashes of the confirmations up to a block that every client here receives. */
async function hashesReceived(client: WsClient): Promise<string[]> {
  return (await client.settle()).map((frame) => (JSON.parse(frame) as Frame).message.hash)
}

const gateway = shareGateway()

test('acknowledgements come when asked for, with the id that was given, and an error for what makes no sense; the connection stays', async (t) => {
  const client = await WsClient.connect(t, wsUrl(gateway))
  const acknowledged = async (message: object) => {
    client.send(message)
    const [frame, ...more] = (await client.settle()).map((text) => JSON.parse(text) as Record<string, string>)
    assert.deepEqual(more, [])
    if (frame) assert.match(frame.time!, /^\d{13}$/)
    return frame && { ack: frame.ack, ...(frame.id !== undefined && { id: frame.id }) }
  }
  const topic = 'confirmation'
  const change = { accounts_add: [alice.address] }
  for (const [message, answer] of [
    [
      { action: 'subscribe', topic, ack: true, id: '7' },
      { ack: 'subscribe', id: '7' },
    ],
    [{ action: 'subscribe', topic, ack: 'true' }, { ack: 'subscribe' }],
    [{ action: 'subscribe', topic }, undefined],
    [{ action: 'subscribe', topic, ack: 1, options: { accounts: [GENESIS] } }, { ack: 'subscribe' }],
    [{ action: 'update', topic, ack: '1', options: change }, { ack: 'update' }],
    [{ action: 'unsubscribe', topic, ack: true }, { ack: 'unsubscribe' }],
    [{ action: 'ping' }, { ack: 'pong' }],
    [
      { action: 'ping', id: 'x' },
      { ack: 'pong', id: 'x' },
    ],
  ] as const) {
    assert.deepEqual(await acknowledged(message), answer, JSON.stringify(message))
  }
  const refused = async (message: object) => {
    client.send({ ...message, ack: true, id: 'u' })
    return (await client.settle()).map((text) => JSON.parse(text) as unknown)
  }
  // Without an error, a client that waits for votes would wait forever.
  for (const gossip of [{ action: 'subscribe', topic: 'vote' }, { action: 'subscribe' }, {}]) {
    assert.deepEqual(await refused(gossip), [{ error: 'Unknown topic. The only topic is “confirmation”.', id: 'u' }])
  }
  const [complaint] = (await refused({ action: 'sing', topic })) as [{ error: string }]
  assert.match(complaint.error, /^Unknown action/)
  assert.deepEqual(await refused({ action: 'update', topic, options: change }), [
    { error: 'There is no subscription with accounts to update.', id: 'u' },
  ])
  for (const frame of ['nonsense', '', '{', '5', 'null']) {
    client.send(frame)
    assert.deepEqual(await client.settle(), ['{"error":"Unable to parse JSON"}'], frame)
  }
})

test('a confirmation has the members of the node, and the block unless it is not wanted; a filter lets blocks of its accounts and sends to them through', async (t) => {
  const gateway = await openListeningGateway(t)
  const { node } = gateway.app.devnet!
  const everything = await subscribe(t, gateway)
  // Addresses with the old prefix mean the same account.
  const ofAlice = await subscribe(t, gateway, { accounts: [alice.address.replace('nano_', 'xrb_')] })
  const ofBob = await subscribe(t, gateway, { accounts: [bob.address], include_block: false })
  const ofNobody = await subscribe(t, gateway, { accounts: [] })
  const brief = await subscribe(t, gateway, { include_block: 'false' })

  const toAlice = await give(node, alice.key, nano(3))
  const { topic, time, message } = await everything.next<Frame>()
  assert.equal(topic, 'confirmation')
  assert.match(time, /^\d{13}$/)
  const { block, ...rest } = message
  const told = { account: GENESIS, amount: nano(3).toString(), hash: toAlice, confirmation_type: 'active_quorum' }
  assert.deepEqual(rest, told)
  assert.deepEqual(block, { ...toBlockJson(node.ledger.store.findBlock(toAlice)!.block), subtype: 'send' })
  assert.deepEqual((await brief.next<Frame>()).message, rest)

  const toBob = await give(node, bob.key, nano(4))
  const signer = new Signer(1, node.ledger.thresholds)
  const opened = await publish(node, signer.receive(UNOPENED, toAlice, nano(3)))
  for (const hash of [toBob, opened]) assert.equal((await everything.next<Frame>()).message.hash, hash)
  assert.deepEqual(await hashesReceived(ofAlice), [toAlice, opened])
  const [toBobAlone, ...more] = await ofBob.settle()
  const heard = (JSON.parse(toBobAlone!) as Frame).message
  assert.deepEqual([heard.hash, heard.block, more], [toBob, undefined, []])
  assert.deepEqual(await hashesReceived(ofNobody), [])
})

test('update adds and removes accounts, and unsubscribe ends it', async (t) => {
  const gateway = await openListeningGateway(t)
  const { node } = gateway.app.devnet!
  const everything = await subscribe(t, gateway)
  const client = await subscribe(t, gateway, { accounts: [alice.address] })
  const fundBoth = async () => {
    const hashes = [await give(node, alice.key, nano(1)), await give(node, bob.key, nano(1))]
    for (const hash of hashes) assert.equal((await everything.next<Frame>()).message.hash, hash)
    return hashes
  }
  const change = async (message: object) => {
    client.send({ topic: 'confirmation', ...message })
    await client.settle()
  }
  const [first] = await fundBoth()
  assert.deepEqual(await hashesReceived(client), [first])

  await change({ action: 'update', options: { accounts_add: [bob.address], accounts_del: [alice.address] } })
  const [, second] = await fundBoth()
  assert.deepEqual(await hashesReceived(client), [second])

  await change({ action: 'update', options: { accounts_add: [alice.address] } })
  assert.deepEqual(await fundBoth(), await hashesReceived(client))

  await change({ action: 'unsubscribe' })
  await fundBoth()
  assert.deepEqual(await hashesReceived(client), [])

  // A new subscription replaces the old one.
  await change({ action: 'subscribe', options: { accounts: [bob.address] } })
  await change({ action: 'subscribe', options: { accounts: [alice.address] } })
  const [last] = await fundBoth()
  assert.deepEqual(await hashesReceived(client), [last])
})

test('a frame over 256 KiB ends its connection and no other', async (t) => {
  const [loud, quiet] = [await WsClient.connect(t, wsUrl(gateway)), await WsClient.connect(t, wsUrl(gateway))]
  loud.send({ action: 'ping', id: 'x'.repeat(256 * 1024) })
  assert.notEqual(await loud.closed, 1000)
  assert.deepEqual(await quiet.settle(), [])
})

const upgrade = (path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: gateway',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n')

/** A raw client without a websocket library. */
async function openSocket(t: TestContext, { url }: Gateway): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

test('404 for a websocket on any other path, and 503 when there are too many', async (t) => {
  const gateway = await openGateway(t, { WS_CLIENTS_MAX: '1' })
  const statusOf = async (path: string) => {
    const socket = await openSocket(t, gateway)
    socket.write(upgrade(path))
    const [head] = (await once(socket, 'data')) as [Buffer]
    // The gateway closes the connection itself, so that a refused client holds nothing open.
    if (!socket.closed) await once(socket, 'close')
    return head.toString().split('\r\n')[0]
  }
  for (const path of ['/wsx', '/ws/more', '/websocket', '/node/ws']) {
    assert.equal(await statusOf(path), 'HTTP/1.1 404 Not Found', path)
  }
  const client = await WsClient.connect(t, `${wsUrl(gateway)}?client=test`)
  assert.equal(await statusOf('/ws'), 'HTTP/1.1 503 Service Unavailable')
  client.close()
  await client.closed
  await until(async () => /^gateway_websocket_clients 0$/m.test(await readMetrics(gateway)))
  await WsClient.connect(t, wsUrl(gateway))
})

// An error event without a listener on a connection would end the whole process.
test('a failure of ours over a frame is reported, and ends the connection it came by and no other', async (t) => {
  const gateway = await openGateway(t)
  const [unlucky, other] = [await subscribe(t, gateway), await subscribe(t, gateway)]
  t.mock.method(gateway.app.nodes.confirmations, 'watch', () => {
    throw new Error('no memory')
  })
  unlucky.send({ action: 'subscribe', topic: 'confirmation', options: { accounts: [alice.address] } })
  assert.equal(await unlucky.closed, 1011)
  await other.settle()
  assert.match(await readMetrics(gateway), /background_failures_total\{place="websocket.frame",kind="failure"\} 1/)
})

test('a client that resets its connection while it is refused does no harm', async (t) => {
  for (let round = 0; round < 50; round++) {
    for (const path of ['/nowhere', '/ws']) {
      const socket = await openSocket(t, gateway)
      socket.write(upgrade(path))
      socket.resetAndDestroy()
      await once(socket, 'close')
    }
  }
  assert.equal((await gateway.call('version')).status, 200)
})

test('a client that does not read is closed with 1013 instead of being kept in memory', async (t) => {
  const socket = new WebSocket(wsUrl(gateway))
  t.after(() => socket.terminate())
  await once(socket, 'open')
  const quick = await WsClient.connect(t, wsUrl(gateway))
  // The gateway buffers at most one mebibyte; the kernel's buffers come on top.
  socket.pause()
  const ping = JSON.stringify({ action: 'ping', id: 'x'.repeat(250 * 1024) })
  for (let sent = 0; sent < 80; sent++) socket.send(ping)
  await new Promise((resolve) => socket.send('{"action":"ping"}', resolve))
  assert.deepEqual(await quick.settle(), [])
  socket.resume()
  let received = 0
  socket.on('message', () => received++)
  const [code] = (await once(socket, 'close')) as [number]
  assert.equal(code, 1013)
  assert.ok(received < 80, `${received} answers arrived`)
})

test('a gateway that stops says so to its clients and waits for none that is silent', async (t) => {
  const clock = new TestClock()
  const gateway = await openGateway(t, {}, clock)
  const polite = await WsClient.connect(t, wsUrl(gateway))
  const silent = await openSocket(t, gateway)
  silent.write(upgrade('/ws'))
  await once(silent, 'data')
  const closing = gateway.app.close()
  assert.equal(await polite.closed, 1001)
  clock.advance(1_000)
  await closing
})

test('each of 500 clients is notified of its own account and of no other', async (t) => {
  // A ledger without work thresholds, so that 500 blocks are made quickly.
  const { node, rpcUrl, wsUrl } = await openDevnet(t, { thresholds: NO_WORK })
  const gateway = await openListeningGateway(t, {
    NODE_URLS: rpcUrl,
    NODE_WS_URLS: wsUrl,
    NODE_NETWORK: 'dev',
    WS_CLIENTS_PER_ADDRESS_MAX: '0',
  })
  const everything = await subscribe(t, gateway)
  const opened = await openAccount(node, alice, nano(500))
  await everything.next<Frame>()
  assert.equal((await everything.next<Frame>()).message.hash, opened)
  const accounts = Array.from({ length: 500 }, (_, at) => `${at}`.padStart(64, 'A'))
  const clients = await Promise.all(accounts.map((key) => subscribe(t, gateway, { accounts: [toAddress(key)] })))

  let frontier = frontierOf(node, alice.key)
  const sends = accounts.map((key) => {
    const block = alice.send(frontier, key, nano(1))
    frontier = frontierAfter(block)
    return block
  })
  const sent = await Promise.all(sends.map((block) => publish(node, block)))
  for (const hash of sent) assert.equal((await everything.next<Frame>()).message.hash, hash)
  const heard = await Promise.all(clients.map(hashesReceived))
  assert.deepEqual(
    heard,
    sent.map((hash) => [hash]),
  )
})

// Some HTTP clients offer an upgrade to HTTP/2 with their first request and do not want a websocket.
test('a request that offers another protocol is answered over the one it came by', async () => {
  const { status, json } = await gateway.call('block_count', {}, { connection: 'Upgrade', upgrade: 'h2c' })
  assert.equal(status, 200)
  assert.equal(json().count, '3')
})

test('a client that talks without end is disconnected', async (t) => {
  const client = await WsClient.connect(t, wsUrl(gateway))
  for (let frame = 0; frame < 400; frame++) client.send({ action: 'ping' })
  await client.closed
})

test('400 with our own text for an upgrade that is not a handshake, on every websocket path', async (t) => {
  const { url } = await openGateway(t)
  for (const path of ['/', '/ws', '/node']) {
    const headers = { connection: 'upgrade', upgrade: 'websocket' }
    const reply = await ask(`${url}${path}`, { method: 'GET', headers })
    assert.deepEqual([reply.status, reply.json().code], [400, 'invalid_request'], path)
    assert.match(reply.json().error!, /^This opens no websocket: .*Sec-WebSocket-Key/)
    assert.ok(reply.headers['x-request-id'])
  }
})

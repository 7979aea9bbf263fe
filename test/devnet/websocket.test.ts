import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import { NO_WORK, Signer, UNOPENED, frontierAfter, frontierOf, nano, openAccount, publish } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { call } from '../support/rpc.ts'
import { WsClient } from '../support/ws-client.ts'

test('topics without messages here, such as work, are acknowledged; unknown topics and invalid messages are ignored', async (t) => {
  const { devnet, client, alice } = await listening(t)
  for (const topic of ['work', 'telemetry', 'bootstrap', 'stopped_election']) {
    client.send({ action: 'subscribe', topic, ack: true, id: topic })
    const [ack, ...others] = (await client.settle()).map((frame) => JSON.parse(frame) as Record<string, string>)
    assert.deepEqual([ack?.ack, ack?.id, others], ['subscribe', topic, []])
  }
  const silent = [
    { action: 'subscribe', topic: 'weather', ack: true },
    { action: 'subscribe', topic: '__proto__', ack: true },
    { action: 'subscribe', topic: ['confirmation'], ack: true },
    { action: 'subscribe', ack: true },
    { action: 'resubscribe', topic: 'confirmation', ack: true },
    { action: 'constructor', topic: 'confirmation', ack: true },
    { action: 'update', topic: 'confirmation', ack: true, options: { accounts_add: [] } },
    { topic: 'confirmation', ack: true },
    [],
    ['subscribe', 'confirmation'],
  ]
  for (const message of [...silent, 'null', '"subscribe"']) client.send(message)
  await devnet.node.fund(alice.key, nano(1))
  await call(devnet.rpcUrl, 'work_generate', { hash: '1'.repeat(64) })
  assert.deepEqual(await client.settle(), [])
})

test('a frame that is not JSON ends the connection without a closing frame, and only that connection', async (t) => {
  const { devnet, client: witness } = await listening(t)
  for (const frame of ['hello', '', '{"action":"ping"', "{'action':'ping'}", '{"action":"ping"} x', '['.repeat(1000)]) {
    const client = await WsClient.connect(t, devnet.wsUrl)
    client.send(frame)
    assert.equal(await client.closed, 1006, frame)
  }
  assert.deepEqual(await witness.settle(), [])
})

test('an acknowledgement comes only when asked for and carries the id only when given', async (t) => {
  const { client } = await listening(t)
  const acks = async (message: object) => {
    client.send(message)
    return (await client.settle()).map((frame) => Object.keys(JSON.parse(frame) as object))
  }
  const subscribe = { action: 'subscribe', topic: 'confirmation' }
  assert.deepEqual(await acks(subscribe), [])
  assert.deepEqual(await acks({ ...subscribe, ack: false, id: '7' }), [])
  assert.deepEqual(await acks({ ...subscribe, ack: 'yes' }), [])
  assert.deepEqual(await acks({ ...subscribe, ack: true }), [['ack', 'time']])
  assert.deepEqual(await acks({ ...subscribe, ack: '1', id: '7' }), [['ack', 'time', 'id']])
})

test('options choose the contents of a confirmation', async (t) => {
  const { devnet, alice } = await listening(t)
  const wanted: [options: object, members: string[]][] = [
    [{}, ['account', 'amount', 'hash', 'confirmation_type', 'block']],
    [{ include_block: false }, ['account', 'amount', 'hash', 'confirmation_type']],
    [{ include_block: '0' }, ['account', 'amount', 'hash', 'confirmation_type']],
    [{ include_election_info: true }, ['account', 'amount', 'hash', 'confirmation_type', 'election_info', 'block']],
    [
      { include_election_info_with_votes: true, include_block: false },
      ['account', 'amount', 'hash', 'confirmation_type', 'election_info'],
    ],
    [{ include_sideband_info: true }, ['account', 'amount', 'hash', 'confirmation_type', 'block', 'sideband']],
  ]
  for (const [options, expected] of wanted) {
    const client = await subscribed(t, devnet, options)
    const hash = await devnet.node.fund(alice.key, nano(1))
    const [{ message }] = await messages(client)
    assert.deepEqual(Object.keys(message), expected)
    assert.equal(message.hash, hash)
    if (message.election_info) {
      const votes = 'include_election_info_with_votes' in options
      assert.equal(message.election_info.votes?.length, votes ? 1 : undefined)
      if (votes) assert.deepEqual(message.election_info.votes?.[0]?.weight, message.election_info.tally)
    }
    if (message.sideband) {
      const info = await call(devnet.rpcUrl, 'block_info', { hash })
      assert.deepEqual(message.sideband, { height: info.height, local_timestamp: info.local_timestamp })
    }
    client.close()
  }
})

test('an account filter matches sender and destination, and update changes it; without blocks in the messages it matches nothing, as in the node', async (t) => {
  const { devnet, alice } = await listening(t)
  const { node } = devnet
  const bob = new Signer(2)
  await openAccount(node, alice, nano(10))
  const client = await subscribed(t, devnet, { accounts: [alice.address] })
  const blockless = await subscribed(t, devnet, { accounts: [alice.address], include_block: false })
  const heard = async () => (await messages(client)).map(({ message }) => message.hash)

  const toAlice = await node.fund(alice.key, nano(1))
  const fromAlice = await publish(node, alice.send(frontierOf(node, alice.key), bob.key, nano(2)))
  await node.fund(bob.key, nano(1))
  const opened = bob.receive(UNOPENED, fromAlice, nano(2))
  await publish(node, opened)
  assert.deepEqual(await heard(), [toAlice, fromAlice])
  assert.deepEqual(await blockless.settle(), [])

  client.send({
    action: 'update',
    topic: 'confirmation',
    options: { accounts_add: [bob.address, 'nano_nobody'], accounts_del: [alice.address] },
  })
  await client.settle()
  await node.fund(alice.key, nano(1))
  const toBob = await node.fund(bob.key, nano(1))
  const change = await publish(node, bob.change(frontierAfter(opened), alice.key))
  assert.deepEqual(await heard(), [toBob, change])

  client.send({ action: 'update', topic: 'confirmation', options: { accounts_del: [bob.address] } })
  await client.settle()
  await node.fund(bob.key, nano(1))
  assert.deepEqual(await heard(), [], 'a filter without accounts matches nothing')
})

// A filter comes from outside: it must not match inherited properties of objects, nor break publishing.
test('the filter by confirmation type separates elections from dependencies that they confirm; a type named like a built-in property does no harm', async (t) => {
  const { devnet, alice } = await listening(t)
  const { node } = devnet
  const types = ['all', 'active', 'active_quorum', 'active_confirmation_height', 'inactive', 'whatever']
  const builtIn = ['__proto__', 'constructor', 'toString']
  const clients = new Map<string, WsClient>()
  for (const type of [...types, ...builtIn]) clients.set(type, await subscribed(t, devnet, { confirmation_type: type }))

  node.hold()
  const send = await node.fund(alice.key, nano(1))
  const open = await publish(node, alice.receive(UNOPENED, send, nano(1)))
  await node.confirm(open)
  await call(devnet.rpcUrl, 'block_confirm', { hash: open })

  const fewer = { active: [open, open], active_quorum: [open], active_confirmation_height: [open], inactive: [send] }
  const expected = new Map<string, string[]>(Object.entries(fewer))
  for (const [type, client] of clients) {
    const heard = (await messages(client)).map(({ message }) => message.hash)
    assert.deepEqual(heard, expected.get(type) ?? [send, open, open], type)
  }
})

test('a block is announced when it arrives and confirmed when it is, not before; unsubscribing ends one topic and leaves the others', async (t) => {
  const { devnet, client, alice } = await listening(t)
  client.send({ action: 'subscribe', topic: 'confirmation' })
  client.send({ action: 'subscribe', topic: 'new_unconfirmed_block' })
  const fund = () => devnet.node.fund(alice.key, nano(1))
  const topics = async (happens: () => Promise<unknown> = fund) => {
    await client.settle()
    await happens()
    return (await messages(client)).map(({ topic }) => topic)
  }
  devnet.node.hold()
  assert.deepEqual(await topics(), ['new_unconfirmed_block'])
  assert.deepEqual(await topics(() => devnet.node.release()), ['confirmation'])

  client.send({ action: 'subscribe', topic: 'started_election' })
  assert.deepEqual(await topics(), ['new_unconfirmed_block', 'started_election', 'confirmation'])
  client.send({ action: 'unsubscribe', topic: 'new_unconfirmed_block' })
  assert.deepEqual(await topics(), ['started_election', 'confirmation'])
  client.send({ action: 'unsubscribe', topic: 'confirmation' })
  assert.deepEqual(await topics(), ['started_election'])
})

test('a port that is taken fails the start, and nothing else', async (t) => {
  const devnet = await openDevnet(t)
  const taken = (url: string) => Number(new URL(url).port)
  await assert.rejects(openDevnet(t, { wsPort: taken(devnet.wsUrl) }), { code: 'EADDRINUSE' })
  await assert.rejects(openDevnet(t, { port: taken(devnet.rpcUrl) }), { code: 'EADDRINUSE' })
  assert.equal((await call(devnet.rpcUrl, 'version')).rpc_version, '1')
})

interface Told {
  topic: string
  message: {
    hash: string
    election_info?: { tally: string; votes?: { weight: string }[] }
    sideband?: Record<string, string>
  }
}

/** A ledger, an account, and a client without a subscription. */
async function listening(t: TestContext) {
  // Everything is confirmed at once, because this test is about the kinds of frames; confirmation.test.ts tests their timing.
  const devnet = await openDevnet(t, { thresholds: NO_WORK, confirmAfterMilliseconds: 0 })
  return { devnet, client: await WsClient.connect(t, devnet.wsUrl), alice: new Signer(1) }
}

async function subscribed(t: TestContext, devnet: Devnet, options: object): Promise<WsClient> {
  const client = await WsClient.connect(t, devnet.wsUrl)
  client.send({ action: 'subscribe', topic: 'confirmation', options })
  await client.settle()
  return client
}

/** The cast is safe: without a first message the assertions fail anyway. */
async function messages(client: WsClient): Promise<[Told, ...Told[]]> {
  return (await client.settle()).map((frame) => JSON.parse(frame) as Told) as [Told, ...Told[]]
}

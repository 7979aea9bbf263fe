import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer, nano } from '../support/blocks.ts'
import { ENGINES } from '../support/engines.ts'
import { openGateway } from '../support/gateway.ts'
import { leaseName } from '../support/lease-name.ts'
import { RECORDED_FRAMES, RECORDING, SECOND_NODE_FROM, accounts, applyEffects } from '../support/recorded.ts'
import { post } from '../support/rpc.ts'
import { openWorld } from '../support/world.ts'
import { WsClient } from '../support/ws-client.ts'

/* Contract 4.8: the websockets. Frames of a real node V27.1, compared with those of the node endpoint. */

interface Told {
  topic?: string
  message?: { hash: string; election_info?: Record<string, unknown>; [member: string]: unknown }
}

const frames = RECORDED_FRAMES.filter(({ client }) => client.startsWith('confirmation-'))
const pairs = RECORDING.filter(({ seq }) => seq < SECOND_NODE_FROM)

/** Replaces the node's clock and leaves out votes, which are not offered here; equal texts then mean equal fields in equal order. */
function settled(frame: unknown): string {
  const told = frame as Told
  delete told.message?.election_info?.votes
  return JSON.stringify(told).replace(/"(time|duration|local_timestamp)":"\d+"/g, '"$1":"…"')
}

test('each recorded subscription to confirmations receives the recorded frames at /node (contract 4.8, rule 7; 4.8, Websockets: /node)', async (t) => {
  // The recorded node had confirmed each block before the next request.
  const { app, url } = await openGateway(t, { DEVNET_CONFIRM_MS: '0' })
  const { node, rpcUrl } = app.devnet!
  const connect = () => WsClient.connect(t, `${url.replace('http', 'ws')}/node`)
  const recorded = new Map<string, { client: string; subscribe: string; frames: Told[] }>()
  for (const { client, subscribe, text } of frames) {
    const told = JSON.parse(text!) as Told
    const known = [...recorded.values()].find((other) => other.client === client)
    const entry = known ?? { client, subscribe, frames: [] }
    entry.frames.push(told)
    recorded.set(told.message?.hash ?? client, entry)
  }

  const seen: string[] = []
  for (const pair of pairs) {
    const { request = '', response = '' } = pair
    await applyEffects(node, pair)
    const action = /"action":\s*"(\w+)"/.exec(request)?.[1]
    if (action === 'wallet_lock') node.hold()
    if (action === 'password_enter') await node.release()
    if (action !== 'process') continue
    const entry = recorded.get(/"hash":\s*"(\w{64})"/.exec(response)?.[1] ?? '')
    const client = entry && (await connect())
    client?.send(entry!.subscribe)
    if (entry?.client === 'confirmation-accounts-update') {
      const options = { accounts_add: [accounts.F!.account] }
      client!.send({ action: 'update', topic: 'confirmation', ack: true, id: 'u', options })
    }
    const given: unknown[] = ((await client?.settle()) ?? []).map((text) => JSON.parse(text) as unknown)
    await post(rpcUrl, request)
    if (!entry || !client) continue
    while (given.length < entry.frames.length) given.push(await client.next())
    assert.deepEqual(given.map(settled), entry.frames.map(settled), entry.client)
    seen.push(entry.client)
    client.close()
  }
  assert.deepEqual([...new Set(seen)].sort(), [...new Set(frames.map(({ client }) => client))].sort())
})

test('at /node there is silence where a node is silent, and no frame but JSON; at / and /ws there are words (contract 4.8, Websockets: /ws, /)', async (t) => {
  const { app, url } = await openGateway(t)
  const connect = (path: string) => WsClient.connect(t, `${url.replace('http', 'ws')}${path}`)
  const strict = await connect('/node')
  const gossip = { action: 'subscribe', topic: 'gossip', ack: true, id: '1' }
  for (const unknown of [gossip, { action: 'sing', topic: 'confirmation', ack: true }, {}]) strict.send(unknown)
  assert.deepEqual(await strict.settle(), [])
  strict.send('hello')
  assert.equal(await strict.closed, 1006)

  for (const path of ['/', '/ws']) {
    const client = await connect(path)
    client.send(gossip)
    client.send('hello')
    const words = (await client.settle()).map((text) => (JSON.parse(text) as { error: string }).error)
    assert.deepEqual(words, ['Unknown topic. The only topic is “confirmation”.', 'Unable to parse JSON'])
    const options = { include_election_info: true, include_sideband_info: 'true' }
    client.send({ action: 'subscribe', topic: 'confirmation', ack: true, options })
    assert.equal((await client.settle()).length, 1)
    await app.devnet!.node.fund(new Signer(3).key, nano(1))
    const { message } = await client.next<Told>()
    const members = 'account,amount,hash,confirmation_type,election_info,block,sideband'
    assert.equal(Object.keys(message!).join(), members)
    assert.ok(Number(message!.election_info!.tally) > 0)
  }
})

test('at /node votes, elections and unconfirmed blocks arrive as the node says them, and a topic of other versions is not promised (contract 4.8, rule 7)', async (t) => {
  const { app, url } = await openGateway(t)
  const { node, wsUrl } = app.devnet!
  const topics = ['new_unconfirmed_block', 'started_election', 'vote']
  const atNode = await WsClient.connect(t, wsUrl)
  const client = await WsClient.connect(t, `${url.replace('http', 'ws')}/node`)
  for (const topic of topics) {
    for (const each of [atNode, client]) each.send({ action: 'subscribe', topic, ack: true, id: topic })
    for (const each of [atNode, client]) assert.match(await each.nextText(), /^\{\n {4}"ack": "subscribe",\n/)
  }
  const strangers = await WsClient.connect(t, `${url.replace('http', 'ws')}/node`)
  strangers.send({ action: 'subscribe', topic: 'active_difficulty', ack: true })
  const options = { representatives: [alice.address] }
  strangers.send({ action: 'subscribe', topic: 'vote', ack: true, options })
  assert.match(await strangers.nextText(), /"ack": "subscribe"/)
  await node.fund(new Signer(3).key, nano(1))
  for (const topic of topics) {
    const said = await atNode.nextText()
    assert.equal((JSON.parse(said) as Told).topic, topic)
    const withoutTime = (frame: string) => frame.replace(/"time": "\d+"/, '')
    assert.equal(withoutTime(await client.nextText()), withoutTime(said))
  }
  client.send({ action: 'unsubscribe', topic: 'vote', ack: true })
  assert.match(await client.nextText(), /"ack": "unsubscribe"/)
  assert.deepEqual(await strangers.settle(), [])
})

test('a client that asks for one kind of confirmation learns of no other (contract 4.8, rule 7)', async (t) => {
  const { app, url } = await openGateway(t)
  const { node } = app.devnet!
  const listen = async (confirmation_type: string) => {
    const client = await WsClient.connect(t, `${url.replace('http', 'ws')}/node`)
    client.send({ action: 'subscribe', topic: 'confirmation', options: { confirmation_type } })
    await client.settle()
    return client
  }
  const [all, quorum, inactive] = [await listen('all'), await listen('active_quorum'), await listen('inactive')]
  node.hold()
  const first = await node.fund(new Signer(3).key, nano(1))
  const second = await node.fund(new Signer(4).key, nano(1))
  await node.confirm(second)
  const hashOf = async (client: WsClient) => (await client.next<Told>()).message!.hash
  assert.deepEqual([await hashOf(all), await hashOf(all)], [first, second])
  assert.deepEqual([await hashOf(quorum), await hashOf(inactive)], [second, first])
  assert.deepEqual([await quorum.settle(), await inactive.settle()], [[], []])
})

const [alice, bob] = [new Signer(3), new Signer(4)]
const topic = 'confirmation'

/** Frames that no recording has, as in the source code of node V27.1, at /node and at the development ledger itself. */
test('a program that was written for a node is acknowledged what a node acknowledges, and nothing else (contract 4.8, rules 8 and 9)', async (t) => {
  const { app, url } = await openGateway(t)
  const listen = { action: 'subscribe', topic }
  const dialogues: [frame: object, ack?: { ack: string; id?: string }][] = [
    [{ action: 'subscribe', topic: 'ack' }, { ack: 'subscribe' }],
    [{ action: 'update', topic: 'ack', options: { accounts_add: [] } }],
    [{ action: 'unsubscribe', topic: 'ack' }, { ack: 'unsubscribe' }],
    [{ action: 'update', topic, options: {} }],
    [{ ...listen, id: { a: 1 } }, { ack: 'subscribe' }],
    [{ ...listen, id: ['a'] }, { ack: 'subscribe' }],
    [
      { ...listen, id: 5 },
      { ack: 'subscribe', id: '5' },
    ],
    [{ action: 'update', topic, options: { accounts_add: [alice.address] } }],
    [{ ...listen, options: '' }, { ack: 'subscribe' }],
    [{ action: 'update', topic }],
    [{ action: 'update', topic, options: {} }, { ack: 'update' }],
    [{ action: 'update', topic, options: { accounts_add: [alice.address] } }, { ack: 'update' }],
  ]
  for (const address of [app.devnet!.wsUrl, `${url.replace('http', 'ws')}/node`]) {
    const client = await WsClient.connect(t, address)
    for (const [frame, expected] of dialogues) {
      client.send({ ack: true, ...frame })
      const said = (await client.settle()).map((text) => {
        const { time, ...rest } = JSON.parse(text) as Record<string, unknown>
        assert.match(String(time), /^\d{13}$/)
        return rest
      })
      assert.deepEqual(said, expected ? [expected] : [], `${address} ${JSON.stringify(frame)}`)
    }
  }
})

test('a filter that names no account lets nothing through at /node, as in a node (contract 4.8, rule 8)', async (t) => {
  const { app, url } = await openGateway(t, { DEVNET_CONFIRM_MS: '0' })
  const { node } = app.devnet!
  const add = { accounts_add: [bob.address] }
  const filters: [options: unknown, hears: 'all' | 'bob' | 'nothing', update?: unknown][] = [
    [{ accounts: ['junk'] }, 'nothing'],
    [{ accounts: ['@bank'] }, 'nothing'],
    [{ accounts: bob.address }, 'nothing'],
    [{ accounts: null }, 'nothing'],
    [{ accounts: { first: bob.address } }, 'bob'],
    [{ all_local_accounts: false }, 'nothing'],
    [{ all_local_accounts: 'maybe' }, 'all'],
    [{ all_local_accounts: 'false', accounts: [bob.address] }, 'bob'],
    [JSON.stringify({ accounts: [bob.address] }), 'all'],
    [{ confirmation_type: 'ACTIVE' }, 'all'],
    [{ confirmation_type: 'INACTIVE' }, 'nothing'],
    [undefined, 'all', add],
    [{}, 'bob', add],
    [{}, 'nothing', { accounts_del: [] }],
    [{ accounts: [alice.address] }, 'bob', { ...add, accounts_del: [alice.address] }],
  ]
  for (const address of [app.devnet!.wsUrl, `${url.replace('http', 'ws')}/node`]) {
    const clients: WsClient[] = []
    for (const [options, , update] of filters) {
      const client = await WsClient.connect(t, address)
      client.send({ action: 'subscribe', topic, options })
      if (update !== undefined) client.send({ action: 'update', topic, options: update })
      await client.settle()
      clients.push(client)
    }
    const witness = clients[6]!
    const hashes = [await node.fund(alice.key, nano(1)), await node.fund(bob.key, nano(1))]
    for (const hash of hashes) assert.equal((await witness.next<Told>()).message!.hash, hash)
    for (const [at, [options, hears]] of filters.entries()) {
      if (clients[at] === witness) continue
      const heard = (await clients[at]!.settle()).map((text) => (JSON.parse(text) as Told).message!.hash)
      const expected = { all: hashes, bob: hashes.slice(1), nothing: [] }[hears]
      assert.deepEqual(heard, expected, `${address} ${JSON.stringify(options)}`)
    }
  }
})

for (const engine of ENGINES) {
  test(`on ${engine} a merchant who listens for @name learns of its payments, and one whose filter means nothing is refused (contract 4.8, rule 9)`, async (t) => {
    const world = await openWorld(t, engine)
    const gateway = await world.start()
    const { accountId } = await gateway.join()
    // Leased in the store without this gateway's knowledge, as by another instance.
    const name = `@${await leaseName(gateway.ctx, accountId, alice.address)}`
    for (const path of ['/', '/ws']) {
      const client = await WsClient.connect(t, `${gateway.url.replace('http', 'ws')}${path}`)
      const say = async (action: string, options: unknown) => {
        client.send({ action, topic, ack: true, id: 'x', options })
        const [said, ...more] = (await client.settle()).map((text) => JSON.parse(text) as Record<string, unknown>)
        assert.deepEqual(more, [])
        delete said!.time
        return said
      }
      assert.deepEqual(await say('subscribe', { accounts: [name.toUpperCase()] }), { ack: 'subscribe', id: 'x' })
      const bad = (field: string, error = 'Bad account number') => ({ error, field, id: 'x' })
      const refused: [action: string, options: unknown, refusal: object][] = [
        ['subscribe', { accounts: ['junk'] }, bad('accounts[0]')],
        ['subscribe', { accounts: [bob.address, 5] }, bad('accounts[1]')],
        ['subscribe', { accounts: [bob.address, '@nobodyhere'] }, bad('accounts[1]', 'Username not found.')],
        ['subscribe', { accounts: bob.address }, bad('accounts', 'accounts must be a list of accounts.')],
        ['subscribe', { accounts: '' }, bad('accounts', 'accounts must be a list of accounts.')],
        ['subscribe', [bob.address], bad('options', 'options must be an object.')],
        ['subscribe', 'junk', bad('options', 'options must be an object.')],
        ['update', { accounts_add: ['junk'] }, bad('accounts_add[0]')],
        ['update', { accounts_del: name }, bad('accounts_del', 'accounts_del must be a list of accounts.')],
      ]
      for (const [action, options, refusal] of refused) assert.deepEqual(await say(action, options), refusal)
      // Earlier subscriptions are unchanged.
      await world.pay(bob.address, nano(1))
      const hash = await world.pay(alice.address, nano(1))
      assert.equal((await client.next<Told>()).message!.hash, hash)
      assert.deepEqual(await say('update', { accounts_add: [bob.address], accounts_del: [name] }), {
        ack: 'update',
        id: 'x',
      })
      await world.pay(alice.address, nano(1))
      const next = await world.pay(bob.address, nano(1))
      assert.equal((await client.next<Told>()).message!.hash, next)
    }
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Signer, nano } from '../support/blocks.ts'
import { openGateway } from '../support/gateway.ts'
import { RECORDED_FRAMES, RECORDING, SECOND_NODE_FROM, accounts, applyEffects } from '../support/recorded.ts'
import { post } from '../support/rpc.ts'
import { WsClient } from '../support/ws-client.ts'

/* Contract 4.8: the websockets. Frames of a real node V27.1, repeated at our own door for nodes. */

interface Told {
  topic?: string
  message?: { hash: string; election_info?: Record<string, unknown>; [member: string]: unknown }
}

const frames = RECORDED_FRAMES.filter(({ client }) => client.startsWith('confirmation-'))
const pairs = RECORDING.filter(({ seq }) => seq < SECOND_NODE_FROM)

/** Equal texts then mean equal members in equal order, but for the clock of a node, and for the votes that are not told here. */
function settled(frame: unknown): string {
  const told = frame as Told
  delete told.message?.election_info?.votes
  return JSON.stringify(told).replace(/"(time|duration|local_timestamp)":"\d+"/g, '"$1":"…"')
}

test('each recorded subscription to confirmations receives the recorded frames at /node (contract 4.8, rule 7; 4.8, Websockets: /node)', async (t) => {
  // The recorded node had confirmed each block by the time of the next request.
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
    assert.deepEqual(words, ['Unknown topic: confirmation is told here.', 'Unable to parse JSON'])
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

test('a client that asks for one kind of confirmation hears of no other (contract 4.8, rule 7)', async (t) => {
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

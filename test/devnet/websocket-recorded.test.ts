import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Devnet } from '../../src/devnet/index.ts'
import { openDevnet } from '../support/devnet.ts'
import {
  RECORDED_FRAMES,
  RECORDING,
  type Recorded,
  type RecordedFrame,
  SECOND_NODE_FROM,
  accounts,
  applyEffects,
  hashes,
} from '../support/recorded.ts'
import { call, post } from '../support/rpc.ts'
import { WsClient } from '../support/ws-client.ts'

/** Topics that are not compared: this ledger casts only final votes (voters.test.ts) and does not report work. */
const NOT_OFFERED = ['vote', 'work']

/** Replaces values that differ on every node; the rest must be equal byte for byte. */
const settled = (text: string) => text.replace(/"(time|duration|local_timestamp)": "\d+"/g, '"$1": "…"')

const recordedOf = (client: string) => RECORDED_FRAMES.filter((frame) => frame.client === client)
const textsOf = (client: string) => recordedOf(client).map(({ text }) => settled(text!))

/** The hash that a frame is about; `new_unconfirmed_block` has only the block. */
function hashOf({ client, text }: RecordedFrame): string | undefined {
  if (client === 'new_unconfirmed_block') return '03C3EC8B8B7BE39C62275BEA7D596CB8A6E8EC8AC1153C247EC0845EFC72FA24'
  return (JSON.parse(text!) as { message?: { hash?: string } }).message?.hash
}

/** Repeats the recorded requests that changed the ledger. */
async function repeat(devnet: Devnet, recorded: Recorded): Promise<void> {
  await applyEffects(devnet.node, recorded)
  const { request } = recorded
  const action = /"action":\s*"(\w+)"/.exec(request ?? '')?.[1]
  if (action === 'wallet_lock') devnet.node.hold()
  if (action === 'password_enter') await devnet.node.release()
  if (action === 'process' || action === 'block_confirm') await post(devnet.rpcUrl, request!)
}

test('each recorded subscription receives the recorded frames, byte for byte', async (t) => {
  // The recorded node had confirmed each block before it got the next.
  const devnet = await openDevnet(t, { confirmAfterMilliseconds: 0 })
  const scripted = ['default', 'ack-no-id', 'block_confirm-on-confirmed-block', 'ping', 'unsubscribe', 'not-json']
  const single = new Map(
    RECORDED_FRAMES.filter(({ client }) => !scripted.includes(client) && !NOT_OFFERED.includes(client)).map((frame) => [
      hashOf(frame),
      frame,
    ]),
  )
  single.delete(undefined)

  let first: WsClient | undefined = await WsClient.connect(t, devnet.wsUrl)
  first.send(recordedOf('default')[0]!.subscribe)
  await first.settle().then((given) => assert.deepEqual(given.map(settled), textsOf('default').slice(0, 1)))

  const seen: string[] = []
  for (const pair of RECORDING.filter(({ seq }) => seq < SECOND_NODE_FROM)) {
    const hash = /"hash":\s*"(\w{64})"/.exec(pair.response ?? '')?.[1]
    const frame = pair.request?.includes('"process"') && hash !== undefined ? single.get(hash) : undefined
    // The other recordings start after the first client has left.
    if (frame && first) {
      const given = await first.settle()
      assert.deepEqual(given.map(settled), textsOf('default').slice(1))
      first.close()
      first = undefined
    }
    const client = frame && (await WsClient.connect(t, devnet.wsUrl))
    client?.send(frame!.subscribe)
    if (frame?.client === 'confirmation-accounts-update') {
      const options = { accounts_add: [accounts.F!.account] }
      client!.send({ action: 'update', topic: 'confirmation', ack: true, id: 'u', options })
    }
    // Wait until the subscription is active before the block is published.
    const before = (await client?.settle()) ?? []
    await repeat(devnet, pair)
    if (!client) continue
    const given = [...before, ...(await client.settle())]
    assert.deepEqual(given.map(settled), textsOf(frame.client), frame.client)
    seen.push(frame.client)
    client.close()
  }
  assert.equal(first, undefined)
  assert.deepEqual([...seen].sort(), [...new Set([...single.values()].map(({ client }) => client))].sort())

  const client = await WsClient.connect(t, devnet.wsUrl)
  client.send(recordedOf('block_confirm-on-confirmed-block')[0]!.subscribe)
  await client.settle()
  await call(devnet.rpcUrl, 'block_confirm', { hash: hashes.s1 })
  assert.deepEqual((await client.settle()).map(settled), textsOf('block_confirm-on-confirmed-block'))

  client.send({ action: 'subscribe', topic: 'confirmation', ack: true })
  assert.deepEqual((await client.settle()).map(settled), textsOf('ack-no-id'))

  client.send(recordedOf('ping')[0]!.subscribe)
  assert.deepEqual((await client.settle()).map(settled), textsOf('ping'))

  client.send(recordedOf('unsubscribe')[0]!.subscribe)
  client.send({ action: 'unsubscribe', topic: 'confirmation', ack: true, id: 'x' })
  assert.deepEqual((await client.settle()).map(settled), textsOf('unsubscribe'))
  await call(devnet.rpcUrl, 'block_confirm', { hash: hashes.s1 })
  assert.deepEqual(await client.settle(), [])
})

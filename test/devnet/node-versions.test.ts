import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { NODE_VERSIONS } from '../../src/devnet/node-options.ts'
import { Signer, nano } from '../support/blocks.ts'
import { openDevnet } from '../support/devnet.ts'
import { call } from '../support/rpc.ts'

test('a ledger passes for a node V27.1 or V28.0, with what is known to differ between them', async (t) => {
  for (const [number, version] of Object.entries(NODE_VERSIONS)) {
    const { rpcUrl, wsUrl, node } = await openDevnet(t, { version, confirmAfterMilliseconds: 0 })
    const { node_vendor } = await call(rpcUrl, 'version')
    const { major_version } = await call(rpcUrl, 'telemetry')
    assert.deepEqual([node_vendor, major_version], [number === '27' ? 'Nano V27.1' : 'Nano V28.0', number])
    const old = await call(rpcUrl, 'mnano_to_raw', { amount: '1' })
    assert.deepEqual(old, number === '27' ? { deprecated: '1', amount: `${nano(1)}` } : { error: 'Unknown command' })

    const socket = new WebSocket(wsUrl)
    t.after(() => socket.terminate())
    await once(socket, 'open')
    socket.send(JSON.stringify({ action: 'subscribe', topic: 'new_unconfirmed_block', ack: true }))
    await once(socket, 'message')
    const told = once(socket, 'message')
    const hash = await node.fund(new Signer(1).key, nano(1))
    const [data] = (await told) as [Buffer]
    const message = JSON.parse(data.toString()) as Record<string, unknown>
    assert.deepEqual(Object.keys(message), ['topic', 'time', ...(number === '28' ? ['hash'] : []), 'message'])
    if (number === '28') assert.equal(message.hash, hash)
  }
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import { TestClock } from '../../../test/support/clock.ts'
import { SeededRandom } from '../../../test/support/random.ts'
import { until } from '../../../test/support/until.ts'
import { NodeEvents } from './node-events.ts'

/** Records the delays that it was asked for. */
class RecordingClock extends TestClock {
  readonly delays: number[] = []

  override after(milliseconds: number, run: () => void): () => void {
    this.delays.push(milliseconds)
    return super.after(milliseconds, run)
  }
}

const upstreamAt = (address: unknown) => ({
  name: 'node-1',
  url: '',
  wsUrl: `ws://127.0.0.1:${(address as AddressInfo).port}`,
  role: 'primary' as const,
  weight: 1,
  headers: {},
  connectionsMax: 1,
})

test('a node that said again and again that it is listened to made the gateway forget and look for everything each time', async (t) => {
  const node = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  t.after(() => node.close())
  await once(node, 'listening')
  node.on('connection', (socket) => {
    for (let times = 0; times < 3; times++) socket.send(JSON.stringify({ ack: 'subscribe', time: '0' }))
    socket.close()
  })
  const states: boolean[] = []
  const on = { confirmation: () => assert.fail(), stateChange: () => void states.push(events.subscribed) }
  const events = new NodeEvents(upstreamAt(node.address()), { clock: new TestClock(), random: new SeededRandom(7) }, on)
  t.after(() => events.close())
  await until(() => states.includes(false))
  assert.deepEqual(states, [true, false])
})

test('pauses between attempts double up to half a minute, with jitter, and end when it is closed', async (t) => {
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const clock = new RecordingClock()
  const upstream = upstreamAt(server.address())
  const on = { confirmation: () => assert.fail(), stateChange: () => assert.fail() }
  const events = new NodeEvents(upstream, { clock, random: new SeededRandom(7) }, on)
  for (let attempt = 1; attempt <= 9; attempt++) {
    await until(() => clock.delays.length === attempt)
    const pause = clock.delays.at(-1)!
    const ceiling = Math.min(30_000, 500 * 2 ** (attempt - 1))
    assert.ok(pause >= ceiling / 2 && pause <= ceiling, `attempt ${attempt}: ${pause} of ${ceiling}`)
    clock.advance(pause)
  }
  assert.ok(new Set(clock.delays.map((pause, at) => pause / Math.min(30_000, 500 * 2 ** at))).size > 5, 'jitter')
  events.close()
  await new Promise((resolve) => server.getConnections(resolve))
  clock.advance(60_000)
  assert.equal(clock.delays.length, 9)
})

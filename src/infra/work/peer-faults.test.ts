import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { until } from '../../../test/support/until.ts'
import {
  type Behaviour,
  PEER_FAULTS,
  NEVER,
  ROOT,
  TARGET,
  WORK,
  answer,
  assertRests,
  failureOf,
  hang,
  startPeer,
} from '../../../test/support/work-peer.ts'
import { Peer } from './peer.ts'

const REFUSALS: [what: string, behaviour: Behaviour][] = [
  ['answers with status 400', answer({ error: 'Difficulty too high', hint: 'x' }, 400)],
  ['answers with an error', answer({ error: 'Cancelled' })],
  ['answers with an error beside work', answer({ error: 'Busy', work: WORK })],
  ['answers with an error that is no text', answer({ error: { code: 1 } })],
]

// Any caller can ask for what a peer does not compute; other callers must still be able to use the peer.
for (const [what, behaviour] of REFUSALS) {
  test(`a peer that ${what} has refused this search and stays usable for others`, async (t) => {
    const { server, peer } = await startPeer(t)
    server.generate = behaviour
    const failure = await failureOf(peer.search(TARGET, NEVER))
    assert.equal(failure.kind, 'refused', failure.message)
    assert.equal(peer.usable, true)
  })
}

for (const [what, behaviour] of PEER_FAULTS) {
  test(`a peer that ${what} has failed, and is left alone for a second`, async (t) => {
    const { server, clock, peer } = await startPeer(t)
    server.generate = behaviour
    const failure = await failureOf(peer.search(TARGET, NEVER))
    assert.equal(failure.kind, 'broken', failure.message)
    assert.ok(failure.message)
    assertRests(peer, clock, 1_000)
    server.generate = answer({ work: WORK })
    assert.equal(await peer.search(TARGET, NEVER), WORK)
  })
}

test('a peer whose address does not answer is unreachable', async () => {
  const peer = new Peer({ url: 'http://127.0.0.1:1', clock: new TestClock(), onLost: () => undefined })
  const { kind } = await failureOf(peer.search(TARGET, NEVER))
  assert.equal(kind, 'unreachable')
  assert.equal(peer.usable, false)
  await peer.close()
})

test('a search at a peer that hangs is given up after five minutes, and cancelled there', async (t) => {
  const { server, clock, peer } = await startPeer(t)
  server.generate = hang
  const failing = failureOf(peer.search(TARGET, NEVER))
  const { socket } = await server.wasAsked('work_generate')
  clock.advance(299_999)
  assert.equal(server.asks('work_cancel').length, 0)
  clock.advance(1)
  assert.equal((await failing).kind, 'timeout')
  assert.equal(peer.usable, false)
  await until(() => socket.closed)
  assert.equal((await server.wasAsked('work_cancel')).body.hash, ROOT)
})

test('an answer that trickles does not outlive the limit either', async (t) => {
  const { server, clock, peer } = await startPeer(t, { searchMilliseconds: 1_000 })
  server.generate = ({ response }) => response.writeHead(200).write('{"work":')
  const failing = failureOf(peer.search(TARGET, NEVER))
  await server.wasAsked('work_generate')
  clock.advance(1_000)
  assert.equal((await failing).kind, 'timeout')
})

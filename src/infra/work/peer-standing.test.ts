import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEVER, OTHER_ROOT, TARGET, WORK, answer, failureOf, hang, startPeer } from '../../../test/support/work-peer.ts'
import type { Peer } from './peer.ts'

const BACK_OFF_MAX = 300_000

test('a peer that keeps failing is asked ever less, down to once in five minutes; one answer mends it', async (t) => {
  const { server, clock, peer } = await startPeer(t)
  server.generate = answer('', 500)
  for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    await failureOf(peer.search(TARGET, NEVER))
    clock.advance(seconds * 1000 - 1)
    assert.equal(peer.usable, false, `${seconds}`)
    clock.advance(1)
    assert.equal(peer.usable, true, `${seconds}`)
  }
  server.generate = answer({ work: WORK })
  await peer.search(TARGET, NEVER)
  server.generate = answer('', 500)
  await failureOf(peer.search(TARGET, NEVER))
  clock.advance(1_000)
  assert.equal(peer.usable, true)
})

test('a peer that does not do this at all is left alone for five minutes', async (t) => {
  for (const error of ['RPC control is disabled', 'Work generation is disabled', 'Unknown command']) {
    const { server, clock, peer } = await startPeer(t)
    server.generate = answer({ error })
    assert.equal((await failureOf(peer.search(TARGET, NEVER))).kind, 'disabled')
    clock.advance(BACK_OFF_MAX - 1)
    assert.equal(peer.usable, false)
    clock.advance(1)
    assert.equal(peer.usable, true)
  }
})

async function lie(peer: Peer): Promise<void> {
  assert.equal(await peer.search(TARGET, NEVER), WORK)
  peer.distrust()
}

test('a wrong answer is a failure, and three in a row put a peer away for five minutes', async (t) => {
  const { clock, peer } = await startPeer(t)
  await lie(peer)
  assert.equal(peer.usable, false)
  clock.advance(1_000)
  assert.equal(peer.usable, true)
  await lie(peer)
  clock.advance(1_999)
  assert.equal(peer.usable, false)
  clock.advance(1)
  assert.equal(peer.usable, true)
  await lie(peer)
  clock.advance(BACK_OFF_MAX - 1)
  assert.equal(peer.usable, false)
  clock.advance(1)
  assert.equal(peer.usable, true)
  // It has learnt nothing.
  await lie(peer)
  clock.advance(BACK_OFF_MAX - 1)
  assert.equal(peer.usable, false)
})

test('a right answer between two wrong ones breaks the row', async (t) => {
  const { clock, peer } = await startPeer(t)
  for (let round = 0; round < 4; round++) {
    await lie(peer)
    clock.advance(1_000)
    await lie(peer)
    clock.advance(2_000)
    assert.equal(peer.usable, true)
    await peer.search(TARGET, NEVER)
  }
})

test('what fails while a peer is put away does not bring it back sooner', async (t) => {
  const { server, clock, peer } = await startPeer(t)
  server.generate = hang
  const pending = failureOf(peer.search({ ...TARGET, root: OTHER_ROOT }, NEVER))
  const { socket } = await server.wasAsked('work_generate')
  server.generate = answer({ work: WORK })
  for (let round = 0; round < 3; round++) await lie(peer)
  socket.destroy()
  assert.equal((await pending).kind, 'broken')
  clock.advance(BACK_OFF_MAX - 1)
  assert.equal(peer.usable, false)
})

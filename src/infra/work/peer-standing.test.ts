import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  NEVER,
  OTHER_ROOT,
  TARGET,
  WORK,
  answer,
  assertRests,
  failureOf,
  hang,
  startPeer,
} from '../../../test/support/work-peer.ts'
import type { Peer } from './peer.ts'

const BACK_OFF_MAX = 300_000

test('a peer that keeps failing is asked ever less, down to once in five minutes; one answer mends it', async (t) => {
  const { server, clock, peer } = await startPeer(t)
  server.generate = answer('', 500)
  for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    await failureOf(peer.search(TARGET, NEVER))
    assertRests(peer, clock, seconds * 1000)
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
    assertRests(peer, clock, BACK_OFF_MAX)
  }
})

async function lie(peer: Peer): Promise<void> {
  assert.equal(await peer.search(TARGET, NEVER), WORK)
  peer.distrust()
}

test('a wrong answer is a failure, and after three in a row the peer is not used for five minutes', async (t) => {
  const { clock, peer } = await startPeer(t)
  for (const milliseconds of [1_000, 2_000, BACK_OFF_MAX]) {
    await lie(peer)
    assertRests(peer, clock, milliseconds)
  }
  // A wrong answer teaches it nothing about speed.
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

test('a failure during that time does not shorten it', async (t) => {
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

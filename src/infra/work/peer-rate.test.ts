import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestClock } from '../../../test/support/clock.ts'
import { NEVER, PeerServer, TARGET, WORK, answer, hang, startPeer } from '../../../test/support/work-peer.ts'
import { Peer } from './peer.ts'

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual / expected - 1) < 0.001, `${actual} instead of ${expected}`)
}

/** Runs one search that takes this long. */
async function searchFor(peer: Peer, server: PeerServer, clock: TestClock, milliseconds: number, stop?: boolean) {
  server.generate = hang
  const controller = new AbortController()
  const times = server.asks('work_generate').length + 1
  const searching = peer.search(TARGET, controller.signal)
  const asked = await server.wasAsked('work_generate', times)
  clock.advance(milliseconds)
  if (stop) controller.abort()
  else answer({ work: WORK })(asked)
  await searching
}

test('the rate is a guess at first, then expected hashes over the time they took', async (t) => {
  const { server, clock, peer } = await startPeer(t, { rateGuess: 5_000 })
  assert.equal(peer.rate, 5_000)
  await searchFor(peer, server, clock, 500)
  assert.equal(peer.rate, 2_048)
  await searchFor(peer, server, clock, 1_500)
  assertNear(peer.rate, (1_024 * 0.95 + 1_024) / (0.5 * 0.95 + 1.5))
  for (let round = 0; round < 200; round++) await searchFor(peer, server, clock, 100)
  assertNear(peer.rate, 10_240)
})

test('a search that takes no time that a clock can see does not make a peer infinitely fast', async (t) => {
  const { server, clock, peer } = await startPeer(t)
  await searchFor(peer, server, clock, 0)
  assert.equal(peer.rate, 1_024_000)
})

// Otherwise a slow peer that only wins when it is lucky would seem fast.
test('time in a search that was stopped counts against the rate, and against the guess', async (t) => {
  const { server, clock, peer } = await startPeer(t, { rateGuess: 5_000 })
  await searchFor(peer, server, clock, 1_000, true)
  assert.equal(peer.rate, 2_500)
  await searchFor(peer, server, clock, 50)
  assert.equal(peer.rate, 1_024)
  await searchFor(peer, server, clock, 1_000, true)
  assert.equal(peer.rate, 512)
})

test('a machine that slept through a search does not think its peer slow for ever', async (t) => {
  const { server, clock, peer } = await startPeer(t, { rateGuess: 10_000 })
  server.generate = hang
  const searching = peer.search(TARGET, NEVER)
  await server.wasAsked('work_generate')
  clock.advance(30 * 24 * 3_600_000)
  await assert.rejects(searching)
  assert.ok(peer.rate >= 10_000 / (1 + 300), `${peer.rate}`)
  server.generate = answer({ work: WORK })
  clock.advance(1_000)
  await peer.search(TARGET, NEVER)
  assert.ok(peer.rate > 1, `${peer.rate}`)
})

test('a wrong answer does not increase the measured rate', async (t) => {
  const { server, clock, peer } = await startPeer(t)
  await searchFor(peer, server, clock, 1_000)
  await searchFor(peer, server, clock, 1)
  peer.distrust()
  assert.equal(peer.rate, 1_024)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import {
  type Behaviour,
  NEVER,
  OTHER_ROOT,
  ROOT,
  TARGET,
  WORK,
  answer,
  failureOf,
  hang,
  startPeer,
} from '../../../test/support/work-peer.ts'

test('stopping a search closes its connection, cancels it at the peer and is not a failure', async (t) => {
  const { server, peer } = await startPeer(t)
  server.generate = hang
  const stop = new AbortController()
  const searching = peer.search(TARGET, stop.signal)
  const { socket } = await server.wasAsked('work_generate')
  stop.abort()
  assert.equal(await searching, undefined)
  await until(() => socket.closed)
  assert.deepEqual((await server.wasAsked('work_cancel')).body, { action: 'work_cancel', hash: ROOT })
  assert.equal(peer.usable, true)
})

test('a search that is stopped before it begins sends no request', async (t) => {
  const { server, peer } = await startPeer(t)
  assert.equal(await peer.search(TARGET, AbortSignal.abort()), undefined)
  assert.equal(await peer.search({ ...TARGET, root: OTHER_ROOT }, NEVER), WORK)
  const hashes = server.asked.map(({ body }) => body.hash)
  assert.deepEqual(hashes, [OTHER_ROOT])
})

test('an answer that comes after our cancel is ignored', async (t) => {
  const { server, peer } = await startPeer(t, { slots: 1 })
  server.generate = hang
  const stop = new AbortController()
  const stopped = peer.search(TARGET, stop.signal)
  const late = await server.wasAsked('work_generate')
  stop.abort()
  assert.equal(await stopped, undefined)
  const next = peer.search({ ...TARGET, root: OTHER_ROOT }, NEVER)
  const asked = await server.wasAsked('work_generate', 2)
  answer({ work: WORK })(late)
  answer({ work: '00000000000000aa' })(asked)
  assert.equal(await next, '00000000000000aa')
})

test('whether a cancel is refused, cut or ignored is no matter', async (t) => {
  const { server, clock, peer } = await startPeer(t)
  const cut: Behaviour = ({ socket }) => socket.destroy()
  const refusals = [answer({ error: 'RPC control is disabled' }), answer('', 500), cut, hang]
  for (const [at, refusal] of refusals.entries()) {
    server.generate = hang
    server.cancel = refusal
    const stop = new AbortController()
    const searching = peer.search(TARGET, stop.signal)
    await server.wasAsked('work_generate', at + 1)
    stop.abort()
    assert.equal(await searching, undefined)
    await server.wasAsked('work_cancel', at + 1)
    assert.equal(peer.usable, true)
  }
  // A cancel that gets no answer is given up as well.
  const { socket } = server.asks('work_cancel').at(-1)!
  clock.advance(2_000)
  await until(() => socket.closed)
})

// A search may be stopped and started again at once, with another threshold or after something more urgent.
test('a search for a root waits until the cancel for it has arrived, but not for ever', async (t) => {
  const { server, clock, peer } = await startPeer(t)
  server.generate = hang
  server.cancel = hang
  const stopOne = async (searches: number, cancels: number) => {
    const stop = new AbortController()
    const searching = peer.search(TARGET, stop.signal)
    await server.wasAsked('work_generate', searches)
    stop.abort()
    assert.equal(await searching, undefined)
    return server.wasAsked('work_cancel', cancels)
  }
  const cancel = await stopOne(1, 1)
  server.generate = answer({ work: WORK })
  const again = peer.search(TARGET, NEVER)
  assert.equal(await peer.search({ ...TARGET, root: OTHER_ROOT }, NEVER), WORK)
  const hashes = server.asks('work_generate').map(({ body }) => body.hash)
  assert.deepEqual(hashes, [ROOT, OTHER_ROOT])
  answer({})(cancel)
  assert.equal(await again, WORK)

  server.generate = hang
  await stopOne(4, 2)
  const stop = new AbortController()
  const leaving = peer.search(TARGET, stop.signal)
  stop.abort()
  assert.equal(await leaving, undefined)
  server.generate = answer({ work: WORK })
  const unlimited = peer.search(TARGET, NEVER)
  clock.advance(2_000)
  assert.equal(await unlimited, WORK)
  assert.equal(server.asks('work_generate').length, 5)
})

test('a peer that is closed has sent the cancel of the search it stopped just before', async (t) => {
  const { server, peer } = await startPeer(t)
  server.generate = hang
  const stop = new AbortController()
  const searching = peer.search(TARGET, stop.signal)
  await server.wasAsked('work_generate')
  stop.abort()
  await peer.close()
  assert.equal(await searching, undefined)
  assert.equal(server.asks('work_cancel').length, 1)
  assert.ok((await failureOf(peer.search(TARGET, NEVER))).kind)
})

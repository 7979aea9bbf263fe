import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { TestClock } from '../../../test/support/clock.ts'
import {
  type Behaviour,
  PEER_FAULTS,
  NEVER,
  OTHER_ROOT,
  PeerServer,
  ROOT,
  TARGET,
  WORK,
  answer,
  failureOf,
  hang,
  startPeer,
} from '../../../test/support/work-peer.ts'
import { Peer } from './peer.ts'

const onLost = () => undefined

test('a peer is asked for a difficulty, never for a multiplier; its work comes back in lower case, its root in any', async (t) => {
  const { server, peer } = await startPeer(t)
  server.generate = answer({ work: WORK.toUpperCase(), difficulty: 'ffffffd21c3933f4', multiplier: '1.39' })
  assert.equal(await peer.search(TARGET, NEVER), WORK)
  const { body } = await server.wasAsked('work_generate')
  assert.deepEqual(body, { action: 'work_generate', hash: ROOT, difficulty: 'ffc0000000000000' })
  assert.equal(peer.usable, true)
  assert.equal(server.asks('work_cancel').length, 0)
  for (const hash of [ROOT, ROOT.toLowerCase()]) {
    server.generate = answer({ work: WORK, hash })
    assert.equal(await peer.search(TARGET, NEVER), WORK)
  }
})

test('a peer takes two searches at once by default, and answers each with its own work', async (t) => {
  const { server, peer } = await startPeer(t)
  assert.equal(peer.kind, 'peer')
  assert.equal(peer.slots, 2)
  server.generate = hang
  const searches = [ROOT, OTHER_ROOT].map((root) => peer.search({ ...TARGET, root }, NEVER))
  await server.wasAsked('work_generate', 2)
  for (const asked of server.asks('work_generate').reverse()) {
    const work = asked.body.hash === ROOT ? WORK : '00000000000000aa'
    answer({ work })(asked)
  }
  assert.deepEqual(await Promise.all(searches), [WORK, '00000000000000aa'])
  assert.equal((await startPeer(t, { slots: 1 })).peer.slots, 1)
})

test('credentials in the address are sent as a header and appear nowhere else', async (t) => {
  const server = await PeerServer.start(t)
  const url = `${server.url.replace('//', '//user:p%40ss%20word@')}/rpc?key=topsecret`
  const clock = new TestClock()
  const peer = new Peer({ url, clock, onLost, headers: { 'X-Api-Key': 'hidden' } })
  t.after(() => peer.close())
  assert.equal(peer.name, server.url.slice('http://'.length))
  await peer.search(TARGET, NEVER)
  const { headers, path } = await server.wasAsked('work_generate')
  assert.equal(headers.authorization, `Basic ${Buffer.from('user:p@ss word').toString('base64')}`)
  assert.equal(headers['x-api-key'], 'hidden')
  assert.equal(path, '/rpc?key=topsecret')

  const secrets = ['p@ss', 'p%40ss', 'topsecret', 'hidden', Buffer.from('user:p@ss word').toString('base64')]
  const shown: unknown[] = [peer]
  // A secret gets into a log most easily through a peer that repeats what it was sent.
  const echo: Behaviour = (asked) =>
    answer({ error: `${JSON.stringify(asked.headers)} ${asked.path} work is disabled` })(asked)
  const garble: Behaviour = ({ socket, headers, path }) =>
    socket.end(`HTTP/1.1 ${headers.authorization} ${path}\r\n${headers['x-api-key'] as string}`)
  const faults = PEER_FAULTS.map(([, behaviour]) => behaviour)
  for (const behaviour of [...faults, echo, garble]) {
    server.generate = behaviour
    shown.push(await failureOf(peer.search(TARGET, NEVER)))
  }
  const openBad = () => new Peer({ url: `http://user:p@ss@[`, clock, onLost })
  assert.throws(openBad, (error) => shown.push(error) > 0)
  for (const thing of shown) {
    const text = inspect(thing, { depth: 10, showHidden: true })
    for (const secret of secrets) assert.ok(!text.includes(secret), text)
  }
})

test('a given header replaces the credentials in the address', async (t) => {
  const server = await PeerServer.start(t)
  const url = server.url.replace('//', '//user:password@')
  const headers = { Authorization: 'Bearer token' }
  const peer = new Peer({ url, name: 'own', clock: new TestClock(), onLost, headers })
  t.after(() => peer.close())
  assert.equal(peer.name, 'own')
  await peer.search(TARGET, NEVER)
  assert.equal((await server.wasAsked('work_generate')).headers.authorization, 'Bearer token')
})

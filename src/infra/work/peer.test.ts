import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { inspect } from 'node:util'
import { TestClock } from '../../../test/support/clock.ts'
import { until } from '../../../test/support/until.ts'
import { closeServer, listen } from '../../devnet/server.ts'
import { WORK_THRESHOLDS } from '../../kernel/nano/work.ts'
import { type PeerFailure, type PeerFailureKind } from './peer-answer.ts'
import { Peer, type PeerOptions } from './peer.ts'

const ROOT = '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2'
const OTHER_ROOT = '8'.repeat(64)
const WORK = '2bf29ef00786a6bc'
/** 1,024 hashes. */
const THRESHOLD = WORK_THRESHOLDS.dev.send
const TARGET = { root: ROOT, threshold: THRESHOLD }
const NEVER = new AbortController().signal
const BACK_OFF_MAX = 300_000

interface Asked {
  body: Record<string, string>
  path: string
  headers: IncomingHttpHeaders
  socket: Socket
  response: ServerResponse
}

type Behaviour = (asked: Asked) => void

const answer =
  (body: unknown, status = 200): Behaviour =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

const hang: Behaviour = () => undefined

/** A server on loopback that does with each action as told, and remembers what it was asked. */
class PeerServer {
  readonly asked: Asked[] = []
  generate: Behaviour = answer({ work: WORK })
  cancel: Behaviour = answer({})
  url = ''

  static async start(t: TestContext): Promise<PeerServer> {
    const peer = new PeerServer()
    const server = createServer((request, response) => void peer.#serve(request, response))
    await listen(server, '127.0.0.1', 0)
    t.after(() => closeServer(server))
    peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return peer
  }

  asks(action: string): Asked[] {
    return this.asked.filter(({ body }) => body.action === action)
  }

  /** Waits until it was asked for the action so many times. */
  async wasAsked(action: string, times = 1): Promise<Asked> {
    await until(() => this.asks(action).length >= times)
    return this.asks(action)[times - 1]!
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>
    const asked = { body, path: request.url!, headers: request.headers, socket: request.socket, response }
    this.asked.push(asked)
    if (body.action === 'work_cancel') this.cancel(asked)
    else this.generate(asked)
  }
}

async function start(t: TestContext, options: Partial<PeerOptions> = {}) {
  const server = await PeerServer.start(t)
  const clock = new TestClock()
  const peer = new Peer({ url: server.url, clock, ...options })
  t.after(() => peer.close())
  return { server, clock, peer }
}

async function failureOf(searching: Promise<unknown>): Promise<PeerFailure> {
  return searching.then(
    () => assert.fail('It did not fail.'),
    (error: PeerFailure) => error,
  )
}

test('a peer is asked for a difficulty, never for a multiplier, and its work comes back in lower case', async (t) => {
  const { server, peer } = await start(t)
  server.generate = answer({ work: WORK.toUpperCase(), difficulty: 'ffffffd21c3933f4', multiplier: '1.39' })
  assert.equal(await peer.search(TARGET, NEVER), WORK)
  const { body } = await server.wasAsked('work_generate')
  assert.deepEqual(body, { action: 'work_generate', hash: ROOT, difficulty: 'ffc0000000000000' })
  assert.equal(peer.usable, true)
  assert.equal(server.asks('work_cancel').length, 0)
})

test('an answer may name its root, in any case', async (t) => {
  const { server, peer } = await start(t)
  for (const hash of [ROOT, ROOT.toLowerCase()]) {
    server.generate = answer({ work: WORK, hash })
    assert.equal(await peer.search(TARGET, NEVER), WORK)
  }
})

test('a peer takes two searches at once unless told, and answers each with its own work', async (t) => {
  const { server, peer } = await start(t)
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
  assert.equal((await start(t, { slots: 1 })).peer.slots, 1)
})

const FAULTS: [what: string, kind: PeerFailureKind, behaviour: Behaviour][] = [
  ['answers with status 500', 'broken', answer('<h1>500</h1>', 500)],
  ['sends us elsewhere', 'broken', ({ response }) => response.writeHead(302, { location: '/other' }).end()],
  ['answers with no JSON', 'broken', answer('<!doctype html>')],
  ['answers with half a JSON', 'broken', answer('{"work": "2bf29ef0')],
  ['answers with nothing', 'broken', answer('')],
  ['answers with a list', 'broken', answer([WORK])],
  ['answers with null', 'broken', answer('null')],
  ['answers without work', 'broken', answer({ success: '' })],
  ['answers with work that is too short', 'broken', answer({ work: WORK.slice(1) })],
  ['answers with work that is too long', 'broken', answer({ work: `0${WORK}` })],
  ['answers with work that is no hexadecimal', 'broken', answer({ work: `${WORK.slice(1)}g` })],
  ['answers with work that is a number', 'broken', answer({ work: 1_234_567_890_123_456 })],
  ['answers for another root', 'broken', answer({ work: WORK, hash: OTHER_ROOT })],
  ['answers for a root that is no text', 'broken', answer({ work: WORK, hash: [ROOT] })],
  ['answers without end', 'broken', answer({ work: WORK, padding: 'x'.repeat(64 * 1024) })],
  ['closes the connection', 'broken', ({ socket }) => socket.destroy()],
  [
    'closes the connection in the middle of its answer',
    'broken',
    ({ socket, response }) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"work": ', () => socket.destroy())
    },
  ],
]

const REFUSALS: [what: string, behaviour: Behaviour][] = [
  ['answers with status 400', answer({ error: 'Difficulty too high', hint: 'x' }, 400)],
  ['answers with an error', answer({ error: 'Cancelled' })],
  ['answers with an error beside work', answer({ error: 'Busy', work: WORK })],
  ['answers with an error that is no text', answer({ error: { code: 1 } })],
]

// A stranger may ask for what a peer does not compute; that must not take the peer from everybody else.
for (const [what, behaviour] of REFUSALS) {
  test(`a peer that ${what} has refused this search and stays usable for others`, async (t) => {
    const { server, peer } = await start(t)
    server.generate = behaviour
    const failure = await failureOf(peer.search(TARGET, NEVER))
    assert.equal(failure.kind, 'refused', failure.message)
    assert.equal(peer.usable, true)
  })
}

for (const [what, kind, behaviour] of FAULTS) {
  test(`a peer that ${what} has failed, and is left alone for a second`, async (t) => {
    const { server, clock, peer } = await start(t)
    server.generate = behaviour
    const failure = await failureOf(peer.search(TARGET, NEVER))
    assert.equal(failure.kind, kind, failure.message)
    assert.ok(failure.message)
    assert.equal(peer.usable, false)
    clock.advance(999)
    assert.equal(peer.usable, false)
    clock.advance(1)
    assert.equal(peer.usable, true)
    server.generate = answer({ work: WORK })
    assert.equal(await peer.search(TARGET, NEVER), WORK)
  })
}

test('a peer that nobody answers for is unreachable', async () => {
  const peer = new Peer({ url: 'http://127.0.0.1:1', clock: new TestClock() })
  const { kind } = await failureOf(peer.search(TARGET, NEVER))
  assert.equal(kind, 'unreachable')
  assert.equal(peer.usable, false)
  await peer.close()
})

test('a peer that hangs is given up after five minutes, and told so', async (t) => {
  const { server, clock, peer } = await start(t)
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
  const { server, clock, peer } = await start(t, { searchMilliseconds: 1_000 })
  server.generate = ({ response }) => response.writeHead(200).write('{"work":')
  const failing = failureOf(peer.search(TARGET, NEVER))
  await server.wasAsked('work_generate')
  clock.advance(1_000)
  assert.equal((await failing).kind, 'timeout')
})

test('a search that is stopped closes its connection, tells the peer and is no failure', async (t) => {
  const { server, peer } = await start(t)
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

test('a search that is stopped before it begins asks nobody', async (t) => {
  const { server, peer } = await start(t)
  assert.equal(await peer.search(TARGET, AbortSignal.abort()), undefined)
  assert.equal(await peer.search({ ...TARGET, root: OTHER_ROOT }, NEVER), WORK)
  assert.deepEqual(
    server.asked.map(({ body }) => body.hash),
    [OTHER_ROOT],
  )
})

test('an answer that comes after our cancel reaches nobody', async (t) => {
  const { server, peer } = await start(t, { slots: 1 })
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
  const { server, clock, peer } = await start(t)
  const refusals: Behaviour[] = [
    answer({ error: 'RPC control is disabled' }),
    answer('', 500),
    ({ socket }) => socket.destroy(),
    hang,
  ]
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
  // The one that is ignored is given up as well.
  const { socket } = server.asks('work_cancel').at(-1)!
  clock.advance(2_000)
  await until(() => socket.closed)
})

// A search may be stopped and taken up again at once, for another threshold or after something more urgent.
test('a search for a root waits until the cancel for it has arrived, but not for ever', async (t) => {
  const { server, clock, peer } = await start(t)
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
  assert.deepEqual(
    server.asks('work_generate').map(({ body }) => body.hash),
    [ROOT, OTHER_ROOT],
  )
  answer({})(cancel)
  assert.equal(await again, WORK)

  server.generate = hang
  await stopOne(4, 2)
  const stop = new AbortController()
  const leaving = peer.search(TARGET, stop.signal)
  stop.abort()
  assert.equal(await leaving, undefined)
  server.generate = answer({ work: WORK })
  const patient = peer.search(TARGET, NEVER)
  clock.advance(2_000)
  assert.equal(await patient, WORK)
  assert.equal(server.asks('work_generate').length, 5)
})

test('a peer that is closed has told what it stopped a moment before', async (t) => {
  const { server, peer } = await start(t)
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

test('a peer that keeps failing is asked ever less, down to once in five minutes; one answer mends it', async (t) => {
  const { server, clock, peer } = await start(t)
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
    const { server, clock, peer } = await start(t)
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
  const { clock, peer } = await start(t)
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
  const { clock, peer } = await start(t)
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
  const { server, clock, peer } = await start(t)
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

function assertNear(actual: number, expected: number): void {
  assert.ok(Math.abs(actual / expected - 1) < 0.001, `${actual} instead of ${expected}`)
}

/** One search that takes as long as told. */
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
  const { server, clock, peer } = await start(t, { rateGuess: 5_000 })
  assert.equal(peer.rate, 5_000)
  await searchFor(peer, server, clock, 500)
  assert.equal(peer.rate, 2_048)
  await searchFor(peer, server, clock, 1_500)
  assertNear(peer.rate, (1_024 * 0.95 + 1_024) / (0.5 * 0.95 + 1.5))
  for (let round = 0; round < 200; round++) await searchFor(peer, server, clock, 100)
  assertNear(peer.rate, 10_240)
})

test('a search that takes no time that a clock can see does not make a peer infinitely fast', async (t) => {
  const { server, clock, peer } = await start(t)
  await searchFor(peer, server, clock, 0)
  assert.equal(peer.rate, 1_024_000)
})

// Otherwise a slow peer that wins only when it is lucky would look fast.
test('time in a search that was stopped counts against the rate, and against the guess', async (t) => {
  const { server, clock, peer } = await start(t, { rateGuess: 5_000 })
  await searchFor(peer, server, clock, 1_000, true)
  assert.equal(peer.rate, 2_500)
  await searchFor(peer, server, clock, 50)
  assert.equal(peer.rate, 1_024)
  await searchFor(peer, server, clock, 1_000, true)
  assert.equal(peer.rate, 512)
})

test('a machine that slept through a search does not think its peer slow for ever', async (t) => {
  const { server, clock, peer } = await start(t, { rateGuess: 10_000 })
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

test('a lie does not make a peer look fast', async (t) => {
  const { server, clock, peer } = await start(t)
  await searchFor(peer, server, clock, 1_000)
  await searchFor(peer, server, clock, 1)
  peer.distrust()
  assert.equal(peer.rate, 1_024)
})

test('credentials in the address are sent as a header and appear nowhere else', async (t) => {
  const server = await PeerServer.start(t)
  const url = `${server.url.replace('//', '//user:p%40ss%20word@')}/rpc?key=topsecret`
  const clock = new TestClock()
  const peer = new Peer({ url, clock, headers: { 'X-Api-Key': 'hidden' } })
  t.after(() => peer.close())
  assert.equal(peer.name, server.url.slice('http://'.length))
  await peer.search(TARGET, NEVER)
  const { headers, path } = await server.wasAsked('work_generate')
  assert.equal(headers.authorization, `Basic ${Buffer.from('user:p@ss word').toString('base64')}`)
  assert.equal(headers['x-api-key'], 'hidden')
  assert.equal(path, '/rpc?key=topsecret')

  const secrets = ['p@ss', 'p%40ss', 'topsecret', 'hidden', Buffer.from('user:p@ss word').toString('base64')]
  const shown: unknown[] = [peer]
  // A peer that repeats what it was sent is the likeliest way for a secret into a log.
  const echo: Behaviour = (asked) =>
    answer({ error: `${JSON.stringify(asked.headers)} ${asked.path} work is disabled` })(asked)
  const garble: Behaviour = ({ socket, headers, path }) =>
    socket.end(`HTTP/1.1 ${headers.authorization} ${path}\r\n${headers['x-api-key'] as string}`)
  const faults = FAULTS.map(([, , behaviour]) => behaviour)
  for (const behaviour of [...faults, echo, garble]) {
    server.generate = behaviour
    shown.push(await failureOf(peer.search(TARGET, NEVER)))
  }
  const bad = `http://user:p@ss@[`
  assert.throws(
    () => new Peer({ url: bad, clock }),
    (error) => shown.push(error) > 0,
  )
  for (const thing of shown) {
    const text = inspect(thing, { depth: 10, showHidden: true })
    for (const secret of secrets) assert.ok(!text.includes(secret), text)
  }
})

test('a header that is given takes the place of the credentials in the address', async (t) => {
  const server = await PeerServer.start(t)
  const url = server.url.replace('//', '//user:password@')
  const peer = new Peer({ url, name: 'own', clock: new TestClock(), headers: { Authorization: 'Bearer token' } })
  t.after(() => peer.close())
  assert.equal(peer.name, 'own')
  await peer.search(TARGET, NEVER)
  assert.equal((await server.wasAsked('work_generate')).headers.authorization, 'Bearer token')
})

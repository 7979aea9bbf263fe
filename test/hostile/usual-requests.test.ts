import assert from 'node:assert/strict'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { type TestContext, test } from 'node:test'
import type { EndpointName } from '../../src/guard/rpc-request.ts'
import { createServer } from '../../src/http/server.ts'
import type { UsualRequest } from '../../src/http/usual-requests.ts'
import { SEED, SeededRandom } from '../support/random.ts'
import { isThorough } from '../support/thorough.ts'

/* Our fast parser and node:http must read the same requests and give the same answers, byte for byte. */

const COUNT = Number(process.env.COMPARED ?? (isThorough ? 10_000 : 3_000))

type Request = IncomingMessage | UsualRequest
type Response = ServerResponse | UsualRequest

/** Answers with the request as it was parsed: at once, later, as the last answer, or never. */
function echo(seen: string[]) {
  const answer = (request: Request, response: Response, endpoint: EndpointName | undefined, body: Buffer) => {
    const headers = Object.entries(request.headers).sort(([a], [b]) => (a < b ? -1 : 1))
    const told = JSON.stringify([request.url, endpoint, headers, body.toString('latin1')])
    seen.push(told)
    const end = () => {
      const close = body.includes('close') ? ['connection', 'close'] : []
      const status = body.includes('refuse') ? 402 : 200
      response.writeHead(status, ['x-told', 'yes', 'content-length', String(Buffer.byteLength(told)), ...close])
      response.end(told)
    }
    if (body.includes('later')) setImmediate(end)
    else if (!body.includes('never')) end()
    response.on('close', () => {
      if (!response.writableFinished) seen.push('left')
    })
  }
  return {
    answer(request: IncomingMessage, response: ServerResponse, endpoint?: EndpointName) {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => answer(request, response, endpoint, Buffer.concat(chunks)))
    },
    answerRead(request: UsualRequest, endpoint: EndpointName | undefined, body: Buffer) {
      if (body.includes('give back')) request.giveBack()
      else {
        fast++
        answer(request, request, endpoint, body)
      }
    },
  }
}
let fast = 0

/** Both ends of a connection without a network, so that the test decides which bytes arrive together. */
class Line extends Duplex {
  said = ''
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.said += chunk.toString('latin1')
    done()
  }
  destroySoon(): void {
    this.end(() => this.destroy())
  }
}

interface Side {
  server: Server
  seen: string[]
}

async function openSide(t: TestContext, httpFast: boolean): Promise<Side> {
  const seen: string[] = []
  const server = createServer({
    bodyBytesMax: 2_000,
    requestTimeoutMilliseconds: 60_000,
    rpc: echo(seen),
    httpFast,
    isDraining: () => false,
    nextRequestId: () => 'id',
    onError: (error) => assert.fail(error as Error),
  })
  await server.ready()
  t.after(() => server.close())
  return { server: server.server, seen }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** The result of a connection that received these pieces one after the other. */
async function converse({ server, seen }: Side, pieces: readonly Buffer[], ends: boolean) {
  seen.length = 0
  const line = new Line({ allowHalfOpen: true })
  line.on('error', () => undefined)
  server.emit('connection', line)
  for (const piece of pieces) {
    if (!line.destroyed) line.push(piece)
    await turn()
  }
  if (ends && !line.destroyed) line.push(null)
  for (let turns = 0; turns < 4; turns++) await turn()
  const outcome = {
    said: line.said.replaceAll(/^Date: [^\r]+/gm, 'Date: some'),
    ended: line.writableEnded,
    destroyed: line.destroyed,
  }
  line.destroy()
  await turn()
  return { ...outcome, seen: [...seen] }
}

const HEADERS = [
  'Host: x', 'host:y', 'Content-Type: application/json', 'Accept: */*', 'Connection: keep-alive', 'Connection: close',
  'Connection: Keep-Alive', 'connection: upgrade', 'Connection: keep-alive, close', 'Transfer-Encoding: chunked', 'Expect: 100-continue',
  'Expect: something', 'Upgrade: websocket', 'TE: trailers', 'Trailer: x', 'Proxy-Connection: close', 'Keep-Alive: timeout=1',
  'Content-Length: 3', 'Content-Length: +3', 'Content-Length: 3, 3', 'Content-Length:', 'Content-Length : 3', 'Content-Length: 0x3',
  'X-A: 1\r\n 2', 'X-A: 1\r\n\t2', 'X-Empty:', 'X-Tab:\ta\tb\t', 'X-High: \u00e9', 'X-Space: \u00a0a\u00a0', 'X-CR: a\rb', 'X-LF: a\nb',
  'X-End: a\r', 'X-VT: \u000ba\u000b', 'X-NUL: a\0b', 'X-DEL: a\u007f', '__proto__: a', 'constructor: a', 'toString: b', 'X-(: a', ': a', 'no colon',
  ' X-Space: a', 'Cookie: a=b', 'Cookie: c=d', 'Set-Cookie: a', 'Authorization: Bearer k', 'X-Forwarded-For: 1.2.3.4', 'X-Forwarded-For: 5.6.7.8',
  'Age: 1', 'User-Agent: a', 'User-Agent: b', 'Traceparent: 00-1-1-01', `X-Long: ${'l'.repeat(9_000)}`, `X-Longer: ${'l'.repeat(20_000)}`,
] // prettier-ignore
const FIRST = ['POST / HTTP/1.1', 'POST / HTTP/1.1', 'POST / HTTP/1.1', 'POST /node HTTP/1.1', 'POST /node/ HTTP/1.1', 'POST /actions/version HTTP/1.1',
  'POST /actions/ HTTP/1.1', 'POST /?key=1 HTTP/1.1', 'POST / HTTP/1.0', 'POST / HTTP/1.2', 'POST  / HTTP/1.1', 'post / HTTP/1.1', 'GET / HTTP/1.1',
  'GET /health/live HTTP/1.1', 'OPTIONS / HTTP/1.1', 'PUT / HTTP/1.1', 'POST http://x/ HTTP/1.1', 'POST //node HTTP/1.1', 'POST /no HTTP/1.1',
  'POST /node/../ HTTP/1.1', 'POST /%6eode HTTP/1.1', 'POST * HTTP/1.1', '\r\nPOST / HTTP/1.1', 'POST / HTTP/1.1 ', 'POST / http/1.1'] // prettier-ignore
const BODIES = ['{"action":"version"}', '{"action":"later"}', '{"action":"close"}', '{"action":"later close"}', '{"action":"refuse"}',
  '{"action":"give back"}', '{"action":"never"}', '[{}]', '', ' {}', 'x', '{"a":"\u00e9\u20ac"}', `{"a":"${'b'.repeat(3_000)}"}`] // prettier-ignore

/** Half of the requests are usual except for one thing. */
function makeRequest(random: SeededRandom): Buffer {
  const body = Buffer.from(random.below(3) === 0 ? random.pick(BODIES) : BODIES[random.below(2)]!)
  const first = random.below(4) === 0 ? random.pick(FIRST) : FIRST[0]!
  const lines = [
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${body.length + (random.below(40) === 0 ? random.below(5) - 2 : 0)}`,
  ]
  for (let more = random.below(3); more > 0; more--)
    lines.splice(random.below(lines.length + 1), 0, random.pick(HEADERS))
  if (random.below(20) === 0) lines.splice(random.below(lines.length), 1)
  if (random.below(200) === 0) lines.push(...Array.from({ length: 150 }, (_, at) => `X-${at}: a`))
  const newline = random.below(60) === 0 ? '\n' : '\r\n'
  const head = Buffer.from([first, ...lines, '', ''].join(newline), 'latin1')
  return Buffer.concat([head, body])
}

function mutate(random: SeededRandom, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1)
  const size = random.below(4)
  const few = Buffer.from(random.bytes(random.below(3)))
  const other =
    random.below(3) === 0 ? Buffer.from(random.pick(['\r', '\n', '\r\n', '\0', ' ', ':', '\t', ',']), 'latin1') : few
  return Buffer.concat([bytes.subarray(0, at), other, bytes.subarray(at + size)])
}

function split(random: SeededRandom, bytes: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const size = random.below(3) === 0 ? 1 : 1 + random.below(bytes.length - at)
    pieces.push(bytes.subarray(at, at + size))
    at += size
    if (pieces.length > 40) return [...pieces, bytes.subarray(at)]
  }
  return pieces
}

test(`${COUNT.toLocaleString('en')} conversations, usual, broken and cut anywhere, are the same as with node:http`, async (t) => {
  const usual = await openSide(t, true)
  const plain = await openSide(t, false)
  const random = new SeededRandom(SEED)
  fast = 0
  for (let at = 0; at < COUNT; at++) {
    const requests = Array.from({ length: random.below(3) === 0 ? 1 + random.below(3) : 1 }, () => {
      const request = makeRequest(random)
      return random.below(4) === 0 ? mutate(random, request) : request
    })
    const whole = Buffer.concat(requests)
    // Bytes that arrive before an answer is finished have their own test.
    const isAwaited = whole.includes('later') || whole.includes('never')
    const cut = random.below(3)
    const pieces = isAwaited || cut === 0 ? [whole] : cut === 1 ? split(random, whole) : requests
    const ends = random.below(4) === 0
    const wanted = await converse(plain, pieces, ends)
    const got = await converse(usual, pieces, ends)
    assert.deepEqual(got, wanted, `SEED=${SEED}, conversation ${at}: ${JSON.stringify(pieces.map(String))} ${ends}`)
  }
  t.diagnostic(`${fast} requests were answered beside node:http`)
  assert.ok(fast > COUNT / 10, `${fast} of ${COUNT}`)
})

test('pipelined requests are answered in order, and a malformed one does not lose earlier answers', async (t) => {
  const usual = await openSide(t, true)
  const plain = await openSide(t, false)
  const post = (action: string) =>
    Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${action.length}\r\n\r\n${action}`)
  for (const behind of [
    [post('now')],
    [post('now'), post('later')],
    [Buffer.from('POST / HT')],
    [Buffer.from('GET /health/live HTTP/1.1\r\n\r\n')],
  ]) {
    const pieces = [post('later'), ...behind]
    assert.deepEqual(await converse(usual, pieces, false), await converse(plain, pieces, false))
  }
  for (const ends of [post('later'), post('never')]) {
    assert.deepEqual(await converse(usual, [ends], true), await converse(plain, [ends], true))
  }
  const broken = await converse(usual, [post('later'), Buffer.from('no request\r\n\r\n')], false)
  assert.match(broken.said, /^HTTP\/1\.1 200 OK\r\n[^]*"later"\]HTTP\/1\.1 400 /)
  assert.ok(broken.destroyed)
})

test('a closing server ends idle connections at once, and others with their answer', async (t) => {
  const { server } = await openSide(t, true)
  const lines = Array.from({ length: 2 }, () => new Line({ allowHalfOpen: true }))
  for (const [at, action] of ['now', 'never'].entries()) {
    server.emit('connection', lines[at])
    lines[at]!.push(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${action.length}\r\n\r\n${action}`)
  }
  await turn()
  server.closeIdleConnections()
  assert.deepEqual(
    lines.map(({ destroyed }) => destroyed),
    [true, false],
  )
  server.closeAllConnections()
  assert.deepEqual(
    lines.map(({ destroyed }) => destroyed),
    [true, true],
  )
})

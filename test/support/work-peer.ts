import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { PeerFailure } from '../../src/infra/work/peer-answer.ts'
import { Peer, type PeerOptions } from '../../src/infra/work/peer.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { TestClock } from './clock.ts'
import { serveWhole } from './serve.ts'
import { until } from './until.ts'

export const ROOT = '718CC2121C3E641059BC1C2CFC45666C99E8AE922F7A807B7D07B62C995D79E2'
export const OTHER_ROOT = '8'.repeat(64)
export const WORK = '2bf29ef00786a6bc'
/** 1,024 hashes on average. */
export const TARGET = { root: ROOT, threshold: WORK_THRESHOLDS.dev.send }
export const NEVER = new AbortController().signal

interface Asked {
  body: Record<string, string>
  path: string
  headers: IncomingHttpHeaders
  socket: Socket
  response: ServerResponse
}

export type Behaviour = (asked: Asked) => void

export const answer =
  (body: unknown, status = 200): Behaviour =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

export const hang: Behaviour = () => undefined

/** A server on loopback with a set behaviour for each action; it records its requests. */
export class PeerServer {
  readonly asked: Asked[] = []
  generate: Behaviour = answer({ work: WORK })
  cancel: Behaviour = answer({})
  url = ''

  static async start(t: TestContext): Promise<PeerServer> {
    const peer = new PeerServer()
    peer.url = await serveWhole(t, (text, { url, headers, socket }, response) => {
      const asked = { body: JSON.parse(text) as Asked['body'], path: url!, headers, socket, response }
      peer.asked.push(asked)
      if (asked.body.action === 'work_cancel') peer.cancel(asked)
      else peer.generate(asked)
    })
    return peer
  }

  asks(action: string): Asked[] {
    return this.asked.filter(({ body }) => body.action === action)
  }

  /** Waits until the action was requested that often. */
  async wasAsked(action: string, times = 1): Promise<Asked> {
    await until(() => this.asks(action).length >= times)
    return this.asks(action)[times - 1]!
  }
}

export async function startPeer(t: TestContext, options: Partial<PeerOptions> = {}) {
  const server = await PeerServer.start(t)
  const clock = new TestClock()
  const peer = new Peer({ url: server.url, clock, onLost: () => undefined, ...options })
  t.after(() => peer.close())
  return { server, clock, peer }
}

/** Checks that the peer is not used for exactly that long. */
export function assertRests(peer: Peer, clock: TestClock, milliseconds: number): void {
  clock.advance(milliseconds - 1)
  assert.equal(peer.usable, false, `${milliseconds}`)
  clock.advance(1)
  assert.equal(peer.usable, true, `${milliseconds}`)
}

export async function failureOf(searching: Promise<unknown>): Promise<PeerFailure> {
  return searching.then(
    () => assert.fail('It did not fail.'),
    (error: PeerFailure) => error,
  )
}

/** Faults of a peer. */
export const PEER_FAULTS: [what: string, behaviour: Behaviour][] = [
  ['answers with status 500', answer('<h1>500</h1>', 500)],
  ['sends us elsewhere', ({ response }) => response.writeHead(302, { location: '/other' }).end()],
  ['answers with no JSON', answer('<!doctype html>')],
  ['answers with half a JSON', answer('{"work": "2bf29ef0')],
  ['answers with nothing', answer('')],
  ['answers with a list', answer([WORK])],
  ['answers with null', answer('null')],
  ['answers without work', answer({ success: '' })],
  ['answers with work that is too short', answer({ work: WORK.slice(1) })],
  ['answers with work that is too long', answer({ work: `0${WORK}` })],
  ['answers with work that is no hexadecimal', answer({ work: `${WORK.slice(1)}g` })],
  ['answers with work that is a number', answer({ work: 1_234_567_890_123_456 })],
  ['answers for another root', answer({ work: WORK, hash: OTHER_ROOT })],
  ['answers for a root that is no text', answer({ work: WORK, hash: [ROOT] })],
  ['answers without end', answer({ work: WORK, padding: 'x'.repeat(64 * 1024) })],
  ['closes the connection', ({ socket }) => socket.destroy()],
  [
    'closes the connection in the middle of its answer',
    ({ socket, response }) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"work": ', () => socket.destroy())
    },
  ],
]

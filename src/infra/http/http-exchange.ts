import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type LookupFunction, isIP } from 'node:net'
import { type OutboundCode, OutboundFailure } from '../../kernel/outbound-failure.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { Target } from './read-target.ts'

const CONNECT_MILLISECONDS = 5_000
const HEADER_BYTES_MAX = 16 * 1024

export interface HttpExchange {
  target: Target
  /** Checked, and the only ones that are connected to. */
  addresses: readonly string[]
  method: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body?: string
  /** How much of the reply is kept; the rest is cut off. */
  bytesMax: number
  clock: Clock
  startedAt: number
  /** When to stop waiting. */
  endsAt: number
}

export interface HttpAnswer {
  status: number
  bytes: Buffer
  /** Whether the reply was complete. */
  whole: boolean
  retryAfter: string | undefined
  milliseconds: number
}

/**
 * One request on a connection of its own, to an address that was checked: asking for the name again could bring another.
 * Name and certificate stay those of the host. The status decides, so that a body which is too long or never ends is
 * cut off and the reply counts.
 */
export function exchange({
  target,
  addresses,
  method,
  headers,
  body,
  bytesMax,
  clock,
  startedAt,
  endsAt,
}: HttpExchange): Promise<HttpAnswer> {
  const { secure, hostname, port, path, host } = target
  return new Promise((resolve, reject) => {
    let reply: (() => void) | undefined
    let failure: OutboundCode = 'connect_failed'
    const request = (secure ? httpsRequest : httpRequest)({
      method,
      hostname,
      port,
      path,
      headers: {
        ...headers,
        host,
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      lookup: pinnedTo(addresses),
      agent: false,
      maxHeaderSize: HEADER_BYTES_MAX,
      ...(secure && isIP(hostname) === 0 && { servername: hostname }),
    })
    const end = (settle: () => void) => {
      stopConnecting()
      stopWaiting()
      settle()
      request.destroy()
    }
    const fail = (code: OutboundCode) => end(() => reject(new OutboundFailure(code)))
    const stopConnecting = clock.after(CONNECT_MILLISECONDS, () => fail('connect_timeout'))
    const stopWaiting = clock.after(Math.max(0, endsAt - clock.now()), () => (reply ? end(reply) : fail('timeout')))
    const established = () => {
      failure = 'connection_lost'
      stopConnecting()
    }
    request.on('socket', (socket) => {
      socket.once('connect', () => (secure ? (failure = 'tls_failed') : established()))
      socket.once('secureConnect', established)
    })
    request.on('response', (response) => {
      const beginning = readBeginning(response, bytesMax, () => end(reply!))
      reply = () =>
        resolve({
          status: response.statusCode!,
          bytes: beginning(),
          whole: response.complete,
          retryAfter: response.headers['retry-after'],
          milliseconds: clock.now() - startedAt,
        })
    })
    request.on('error', () => (reply ? end(reply) : fail(failure)))
    request.end(body)
  })
}

/** Collects the first bytes of a body and says when there are enough, or no more to come. */
function readBeginning(response: IncomingMessage, bytesMax: number, onEnough: () => void): () => Buffer {
  const chunks: Buffer[] = []
  let length = 0
  response.on('data', (chunk: Buffer) => {
    const kept = chunk.subarray(0, Math.max(0, bytesMax - length))
    chunks.push(kept)
    length += kept.length
    if (length >= bytesMax) onEnough()
  })
  response.on('end', onEnough)
  response.on('close', onEnough)
  response.on('error', onEnough)
  return () => Buffer.concat(chunks)
}

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_hostname, { all }, callback) => {
    if (all) callback(null, found)
    else callback(null, found[0]!.address, found[0]!.family)
  }
}

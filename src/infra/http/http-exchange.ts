import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type LookupFunction, isIP } from 'node:net'
import { type OutboundCode, OutboundFailure, type RefusedAddress } from '../../kernel/outbound-failure.ts'
import type { Clock } from '../../kernel/ports.ts'
import { parseUrl } from '../../kernel/shown-fields.ts'

const CONNECT_MILLISECONDS = 5_000
const HEADER_BYTES_MAX = 16 * 1024

export interface HttpExchange {
  target: Target
  /** Checked addresses, the only ones to connect to. */
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
 * One request on a connection of its own, to an address that was checked: resolving the name again could give another.
 * Name and certificate stay those of the host. The status decides, so a body that is too long or never ends is
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

/** Collects the first bytes of a body and reports when there are enough, or no more to come. */
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

const URL_LENGTH_MAX = 2_048
const PORTS = new Set(['', '443', '8443'])
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|home\.arpa|onion)$/

export interface Target {
  secure: boolean
  /** Without brackets, and without the dot that may end a name. */
  hostname: string
  port: number
  path: string
  /** Value of the Host header. */
  host: string
}

/**
 * The target of a URL, or why it is refused by its text alone. The platform's parser first turns every spelling of an IP address
 * (decimal, octal, hexadecimal, full-width digits) into the usual one.
 */
export function readTarget(text: string, allowPrivate: boolean): Target | RefusedAddress {
  if (text.length > URL_LENGTH_MAX) return 'url_too_long'
  const url = parseUrl(text)
  if (!url) return 'invalid_url'
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'scheme_refused'
  if (url.username !== '' || url.password !== '') return 'credentials_refused'
  const hostname = url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
  if (hostname === '') return 'host_refused'
  if (!allowPrivate) {
    if (!PORTS.has(url.port)) return 'port_refused'
    // A literal address is not resolved, so no later check would see it.
    if (isIP(hostname) !== 0) return 'address_refused'
    if (!hostname.includes('.') || LOCAL_NAMES.test(hostname)) return 'host_refused'
  }
  const secure = url.protocol === 'https:'
  const shown = isIP(hostname) === 6 ? `[${hostname}]` : hostname
  return {
    secure,
    hostname,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    host: url.port === '' ? shown : `${shown}:${url.port}`,
  }
}

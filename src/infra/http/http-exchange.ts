import { type LookupFunction, type Socket, connect as connectTcp, isIP } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { Client } from 'undici'
import { type OutboundCode, OutboundFailure, type RefusedAddress } from '../../kernel/outbound-failure.ts'
import type { Clock } from '../../kernel/ports.ts'
import { parseUrl } from '../../kernel/shown-fields.ts'

const CONNECT_MILLISECONDS = 5_000
const HEADER_BYTES_MAX = 16 * 1024

export interface HttpExchange {
  target: Target
  /** Addresses that were checked; the connection may use no other. */
  addresses: readonly string[]
  method: 'GET' | 'POST'
  headers: Readonly<Record<string, string>>
  body?: string
  /** How much of the reply is kept. */
  bytesMax: number
  clock: Clock
  startedAt: number
  endsAt: number
}

export interface HttpAnswer {
  status: number
  bytes: Buffer
  /** Whether the whole reply was read. */
  whole: boolean
  retryAfter: string | undefined
  milliseconds: number
}

/** `stale`: a kept connection was closed before any part of a reply came. */
type Outcome = HttpAnswer | 'stale'

/** Most kept connections to all hosts together; beyond that, a connection is closed after its reply. */
const KEPT_MAX = 256
const KEPT_MILLISECONDS = 5_000

/**
 * Connections that have carried a reply, for the next request to the same host. The caller resolves and checks the name
 * each time, so a connection is reused only if its address is among the current ones.
 */
export class KeptConnections {
  readonly #idle = new Map<string, Client[]>()
  #count = 0

  take(key: string): Client | undefined {
    const client = this.#idle.get(key)?.at(-1)
    if (client) this.#remove(key, client)
    return client
  }

  keep(key: string, client: Client): void {
    if (this.#count >= KEPT_MAX || client.destroyed) return discard(client)
    const kept = this.#idle.get(key) ?? []
    kept.push(client)
    this.#idle.set(key, kept)
    this.#count++
    // The other side closed the connection, or it was idle for too long.
    client.once('disconnect', () => this.#remove(key, client) && discard(client))
  }

  #remove(key: string, client: Client): boolean {
    const kept = this.#idle.get(key)
    const at = kept?.indexOf(client) ?? -1
    if (!kept || at < 0) return false
    client.removeAllListeners('disconnect')
    kept.splice(at, 1)
    if (kept.length === 0) this.#idle.delete(key)
    this.#count--
    return true
  }
}

/** No caller waits for it any more. */
const discard = (client: Client) => client.destroy(null, noop)

const noop = () => undefined

/**
 * Sends one request to an address that was checked; resolving the name again could give another. The Host header and
 * the certificate stay those of the name. Only the status matters, so a body that is too long or never ends is cut off,
 * and the reply is valid.
 */
export async function exchange(kept: KeptConnections, wanted: HttpExchange): Promise<HttpAnswer> {
  const { secure, host, hostname, port } = wanted.target
  const key = [secure, hostname, port, host, ...wanted.addresses.toSorted()].join(' ')
  const client = kept.take(key)
  if (client) {
    const outcome = await exchangeOver(client, wanted, { kept, key })
    if (outcome !== 'stale') return outcome
    // The other side closed an idle connection at the moment of our request.
  }
  const outcome = await exchangeOver(undefined, wanted, { kept, key })
  if (outcome === 'stale') throw new OutboundFailure('connection_lost')
  return outcome
}

function exchangeOver(
  reused: Client | undefined,
  { target, addresses, method, headers, body, bytesMax, clock, startedAt, endsAt }: HttpExchange,
  { kept, key }: { kept: KeptConnections; key: string },
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let failure: OutboundCode = reused ? 'connection_lost' : 'connect_failed'
    let stopConnecting: () => void = noop
    const client =
      reused ??
      openClient(target, addresses, (stage) => {
        failure = stage
        if (stage === 'connection_lost') stopConnecting()
      })
    const chunks: Buffer[] = []
    let length = 0
    let reply: ((whole: boolean) => void) | undefined
    let isOver = false
    const end = (settle: () => void, isReusable = false) => {
      if (isOver) return
      isOver = true
      stopConnecting()
      stopWaiting()
      settle()
      if (isReusable) kept.keep(key, client)
      else discard(client)
    }
    const fail = (code: OutboundCode) => end(() => reject(new OutboundFailure(code)))
    const endWith = (whole: boolean) => end(() => reply!(whole), whole)
    if (!reused) stopConnecting = clock.after(CONNECT_MILLISECONDS, () => fail('connect_timeout'))
    const left = Math.max(0, endsAt - clock.now())
    const stopWaiting = clock.after(left, () => (reply ? endWith(false) : fail('timeout')))
    const request = {
      method,
      path: target.path,
      headers: { ...headers, host: target.host, ...PLAIN },
      body: body ?? null,
    }
    client.dispatch(request, {
      onRequestStart: noop,
      onResponseStart(_controller, status, { 'retry-after': retryAfter }) {
        const answered = { status, retryAfter: [retryAfter].flat()[0] }
        reply = (whole) =>
          resolve({ ...answered, bytes: Buffer.concat(chunks), whole, milliseconds: clock.now() - startedAt })
      },
      onResponseData(_controller, chunk) {
        const wanted = chunk.subarray(0, Math.max(0, bytesMax - length))
        // A copy, because the parser reuses its memory.
        chunks.push(Buffer.from(wanted))
        length += wanted.length
        if (length >= bytesMax) endWith(false)
      },
      onResponseEnd: () => endWith(true),
      onResponseError() {
        if (reply) endWith(false)
        else if (reused) end(() => resolve('stale'))
        else fail(failure)
      },
    })
  })
}

/** Replies are short, and a stored reply should be readable, so no compression. */
const PLAIN = { 'accept-encoding': 'identity' }

/** The error if the connection fails at this stage. */
type Stage = Extract<OutboundCode, 'tls_failed' | 'connection_lost'>

/** A client with one connection to one of the checked addresses. All time limits belong to the request. */
function openClient(target: Target, addresses: readonly string[], onStage: (stage: Stage) => void): Client {
  const { secure, hostname, port } = target
  return new Client(`${secure ? 'https' : 'http'}://${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`, {
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEPT_MILLISECONDS,
    keepAliveMaxTimeout: KEPT_MILLISECONDS,
    connect(_options, callback) {
      const to = { host: hostname, port, lookup: pinnedTo(addresses) }
      const socket: Socket = secure
        ? connectTls({ ...to, ALPNProtocols: ['http/1.1'], ...(isIP(hostname) === 0 && { servername: hostname }) })
        : connectTcp(to)
      const established = () => {
        onStage('connection_lost')
        socket.off('error', failed)
        callback(null, socket)
      }
      const failed = (error: Error) => callback(error, null)
      socket.once('error', failed)
      socket.once('connect', () => (secure ? onStage('tls_failed') : established()))
      if (secure) socket.once('secureConnect', established)
    },
  })
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
  /** Without brackets, and without a trailing dot. */
  hostname: string
  port: number
  path: string
  host: string
}

/**
 * The target of a URL, or the reason why its text alone is refused. First the platform's parser converts every spelling
 * of an IP address (decimal, octal, hexadecimal, full-width digits) to the usual one.
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
    // A literal address is never resolved, so no later check would see it.
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

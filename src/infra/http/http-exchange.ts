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

/** A reply was on its way, or nothing at all came on a connection that had carried a reply before. */
type Outcome = HttpAnswer | 'stale'

/** Kept connections of all targets together. Past that, a connection is closed after its reply. */
const KEPT_MAX = 256
const KEPT_MILLISECONDS = 5_000

/**
 * Connections that have carried a reply, for the next request to the same host at the same addresses. A caller has resolved and
 * checked the name again, so a connection is used again only while its address is among those that a new one could go to.
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
    // The other side closed it, or it was idle for too long.
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
 * Sends one request to an address that was checked: resolving the name again could give another. Name and certificate stay those of the
 * host. The status decides, so a body that is too long or never ends is cut off and the reply counts.
 */
export async function exchange(kept: KeptConnections, wanted: HttpExchange): Promise<HttpAnswer> {
  const { secure, host, hostname, port } = wanted.target
  const key = [secure, hostname, port, host, ...wanted.addresses.toSorted()].join(' ')
  const client = kept.take(key)
  if (client) {
    const outcome = await exchangeOver(client, wanted, { kept, key })
    if (outcome !== 'stale') return outcome
    // Closed by the other side at the moment of the request, as happens to idle connections.
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
        // The parser uses its memory again.
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

/** The texts of events are short, and a stored reply should be readable. */
const PLAIN = { 'accept-encoding': 'identity' }

/** What a failure at this moment would mean. */
type Stage = Extract<OutboundCode, 'tls_failed' | 'connection_lost'>

/** A client of one connection, which goes to one of the checked addresses. All time limits are those of the request. */
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

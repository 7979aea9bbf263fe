import type { Action } from '../../src/kernel/action.ts'
import type { SeededRandom } from '../support/random.ts'
import { NASTY, type Pool, type Schema, goodValue, nastyText } from './values.ts'

export interface Tabs {
  actions: readonly Action[]
  routes: readonly { method: string; path: string }[]
}

/** A request, with the action or route that it is meant for. */
export interface Hostile {
  /** The action or the route, for the report. */
  at: string
  method: string
  path: string
  headers: string[]
  body: string | Buffer | undefined
  /** The bytes may not be valid HTTP, so they get their own connection. */
  raw?: boolean
}

export type Credentials = readonly string[][]

/** Makes requests of all kinds, for every action and route. */
export class RequestMaker {
  readonly #random: SeededRandom
  readonly #endpoints: Tabs
  readonly #pool: Pool
  readonly #fields: readonly string[]
  credentials: Credentials = [[]]

  constructor(random: SeededRandom, endpoints: Tabs, pool: Pool) {
    this.#random = random
    this.#endpoints = endpoints
    this.#pool = pool
    this.#fields = [...new Set(endpoints.actions.flatMap(({ input }) => Object.keys(input.properties)))]
  }

  next(): Hostile {
    const kind = this.#random.below(100)
    if (kind < 55) return this.#rpc()
    if (kind < 65) return this.#brokenJson()
    if (kind < 90) return this.#rest()
    if (kind < 95) return this.#trickyPath()
    return this.#rawBytes()
  }

  #rpc(): Hostile {
    const random = this.#random
    const action = random.pick(this.#endpoints.actions)
    const names = [action.name, ...(action.synonyms ?? [])]
    const body: Record<string, unknown> = { action: random.pick(names), ...this.#fieldsOf(action) }
    // The ledger's work search is slow by design, and only the errors before it matter here.
    if (action.name === 'work_generate' && random.below(20) > 0) delete body.hash
    const request = { at: action.name, method: 'POST', path: '/', headers: this.#headers() }
    return random.below(8) === 0 ? this.#otherForm(request, body) : { ...request, body: JSON.stringify(body) }
  }

  /** The same as JSON-RPC, in a batch, or as a tool call. */
  #otherForm(request: Omit<Hostile, 'body'>, { action, ...params }: Record<string, unknown>): Hostile {
    const random = this.#random
    const id = random.below(3) === 0 ? this.#nasty() : random.below(1000)
    const call = { jsonrpc: '2.0', ...(random.below(5) > 0 && { id }), method: action, params }
    const tool = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: action, arguments: params } }
    if (random.below(3) === 0) return { ...request, path: '/mcp', body: JSON.stringify(tool) }
    const list = () =>
      Array.from({ length: random.below(4) }, () => random.pick([call, { action, ...params }, this.#nasty()]))
    return { ...request, body: JSON.stringify(random.below(2) === 0 ? call : [call, ...list()]) }
  }

  #fieldsOf(action: Action): Record<string, unknown> {
    const random = this.#random
    const { properties, required = [] } = action.input as unknown as Schema & { properties: Record<string, Schema> }
    if (random.below(6) === 0) return this.#mutate({ ...action.example.request })
    const body: Record<string, unknown> = {}
    for (const [name, schema] of Object.entries(properties)) {
      const isWanted = random.below(100) < (required.includes(name) ? 95 : 30)
      if (isWanted) body[name] = random.below(100) < 75 ? goodValue(random, name, schema, this.#pool) : this.#nasty()
    }
    for (const other of Object.keys(action.fieldSynonyms ?? {})) if (random.below(8) === 0) body[other] = this.#nasty()
    if (random.below(10) === 0) body[this.#name()] = this.#nasty()
    return body
  }

  #mutate(body: Record<string, unknown>): Record<string, unknown> {
    const names = Object.keys(body)
    if (names.length > 0 && this.#random.below(3) > 0) body[this.#random.pick(names)] = this.#nasty()
    return body
  }

  #name(): string {
    return this.#random.below(3) === 0 ? nastyText(this.#random).slice(0, 100) : this.#random.pick(this.#fields)
  }

  #nasty(): unknown {
    const random = this.#random
    const value = random.pick(NASTY)
    const shape = random.below(12)
    if (shape === 0) return [value, random.pick(NASTY)]
    if (shape === 1) return { [random.pick(this.#fields)]: value }
    return value
  }

  #brokenJson(): Hostile {
    const random = this.#random
    const request = this.#rpc()
    const bytes = Buffer.from(String(request.body))
    const cut = random.below(bytes.length + 1)
    const how = random.below(6)
    const broken = [
      () => bytes.subarray(0, cut),
      () => Buffer.concat([bytes.subarray(0, cut), random.bytes(1 + random.below(8)), bytes.subarray(cut)]),
      () => Buffer.concat([bytes, bytes]),
      () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
      () => Buffer.from(bytes.map((byte) => (random.below(30) === 0 ? random.below(256) : byte))),
      () => Buffer.from(random.bytes(random.below(200))),
    ][how]!()
    return { ...request, at: 'bytes', body: broken }
  }

  #rest(): Hostile {
    const random = this.#random
    const route = random.pick(this.#endpoints.routes)
    const path = route.path.replaceAll(/:[a-zA-Z]+|\*/g, () => encodeURIComponent(this.#parameter()))
    const method =
      random.below(15) === 0 ? random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) : route.method
    const query = random.below(3) === 0 ? `?${this.#query()}` : ''
    const hasBody = !['GET', 'HEAD'].includes(method) && random.below(10) > 0
    return {
      at: `${route.method} ${route.path}`,
      method,
      path: path + query,
      headers: this.#headers(),
      body: hasBody ? this.#restBody() : undefined,
    }
  }

  #restBody(): string {
    const random = this.#random
    if (random.below(12) === 0) return nastyText(random)
    // Fields of an action are usually fields of a route of the same module too.
    if (random.below(3) > 0) return JSON.stringify(this.#fieldsOf(random.pick(this.#endpoints.actions)))
    const names = Array.from({ length: random.below(6) }, () => this.#name())
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, this.#nasty()])))
  }

  #parameter(): string {
    const text = this.#random.below(3) === 0 ? nastyText(this.#random) : this.#random.pick(this.#pool.ids)
    return text.slice(0, 300).toWellFormed()
  }

  #query(): string {
    const random = this.#random
    const names = ['limit', 'offset', 'cursor', 'status', 'json', 'names', 'key', 'since', 'type', this.#name()]
    return Array.from({ length: 1 + random.below(3) }, () => {
      const value = String(random.below(2) === 0 ? random.below(200) : JSON.stringify(random.pick(NASTY))).slice(0, 300)
      return `${encodeURIComponent(random.pick(names).toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`
    }).join('&')
  }

  #trickyPath(): Hostile {
    const random = this.#random
    const { path, method } = random.pick(this.#endpoints.routes)
    const real = path.replaceAll(/:[a-zA-Z]+/g, random.pick(this.#pool.ids))
    const tricky = random.pick([
      `/${real}`,
      `${real}/`,
      `${real}//`,
      `/.${real}`,
      `/x/..${real}`,
      `/%2e%2e${real}`,
      `${real}%00`,
      `${real}%0d%0aSet-Cookie:a=b`,
      `${real}%ff%fe`,
      `${real}%`,
      `${real}%zz`,
      `${real};a=b`,
      `${real}?${'a=1&'.repeat(200)}`,
      `${real}#x`,
      real.toUpperCase(),
      real.replaceAll('/', '%2f'),
      real.replaceAll('/', '\\'),
      `http://evil.example${real}`,
      `//evil.example${real}`,
      `/${'a'.repeat(4_000)}`,
      `${'/..'.repeat(50)}/etc/passwd`,
    ])
    return { at: 'path', method, path: tricky, headers: this.#headers(), body: undefined }
  }

  /** A request with changed bytes anywhere, its framing included. */
  #rawBytes(): Hostile {
    const random = this.#random
    const request = random.below(2) === 0 ? this.#rpc() : this.#rest()
    const bytes = toBytes(request)
    const at = random.below(bytes.length)
    const change = random.pick([
      () => bytes.subarray(0, at),
      () => Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(20)), bytes.subarray(at)]),
      () => Buffer.from(bytes.map((byte) => (random.below(60) === 0 ? random.below(256) : byte))),
      () => Buffer.from(random.bytes(1 + random.below(300))),
      () => Buffer.from(bytes.toString('latin1').replace('content-length: ', 'content-length: -'), 'latin1'),
      () =>
        Buffer.from(bytes.toString('latin1').replace('HTTP/1.1', random.pick(['HTTP/9.9', 'HTTP/1.0', 'X'])), 'latin1'),
      () => Buffer.from(bytes.toString('latin1').replace('\r\n', '\r\ntransfer-encoding: chunked\r\n'), 'latin1'),
      () =>
        Buffer.from(
          bytes.toString('latin1').replace('\r\n', '\r\nupgrade: websocket\r\nconnection: upgrade\r\n'),
          'latin1',
        ),
      () => Buffer.from(bytes.toString('latin1').replace('\r\n', `\r\nx-long: ${'h'.repeat(20_000)}\r\n`), 'latin1'),
    ])()
    return { ...request, at: 'raw', body: change, raw: true }
  }

  #headers(): string[] {
    const random = this.#random
    const headers = ['host: gateway.example', `x-forwarded-for: ${10 + random.below(200)}.${random.below(250)}.3.4`]
    if (random.below(3) > 0) headers.push(...random.pick(this.credentials))
    const text = () =>
      nastyText(random)
        .replaceAll(/[^\x20-\x7e]/g, '?')
        .slice(0, 400)
    if (random.below(3) === 0)
      headers.push(`content-type: ${random.pick(['application/json', 'text/plain', '', text()])}`)
    if (random.below(6) === 0) headers.push(`accept: ${random.pick(['text/html', 'application/json', '*/*', text()])}`)
    if (random.below(12) === 0) headers.push(`idempotency-key: ${random.pick(['same', random.hex(8), text()])}`)
    if (random.below(20) === 0) headers.push(`payment-signature: ${this.#payment()}`)
    if (random.below(20) === 0) headers.push(`${random.pick(['cookie', 'origin', 'key', 'x-api-key'])}: ${text()}`)
    if (random.below(30) === 0) headers.push(`last-event-id: ${text()}`, `sec-fetch-site: ${text()}`)
    return headers
  }

  #payment(): string {
    const payload = { x402Version: this.#nasty(), accepted: this.#nasty(), payload: { block: this.#nasty() } }
    return Buffer.from(JSON.stringify(payload)).toString('base64').slice(0, 8_000)
  }
}

/** The bytes of a request. */
export function toBytes({ method, path, headers, body, raw }: Hostile): Buffer {
  if (raw === true) return body as Buffer
  const content = body === undefined ? Buffer.alloc(0) : Buffer.from(body)
  const length = body === undefined ? [] : [`content-length: ${content.length}`]
  return Buffer.concat([
    Buffer.from([`${method} ${path} HTTP/1.1`, ...headers, ...length, '', ''].join('\r\n')),
    content,
  ])
}

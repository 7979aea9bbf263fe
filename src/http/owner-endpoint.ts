import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
  request as ask,
} from 'node:http'
import { type Socket, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { FRONT_CLIENT, FRONT_MARK } from './client-ip.ts'
import { toErrorReply } from './errors.ts'
import { CORS_HEADERS } from './page-headers.ts'
import { RpcEndpoint, type RpcOptions } from './rpc.ts'
import { createServer, toRefusal } from './server.ts'

interface OwnerEndpointOptions {
  socketPath: string
  /** Proves to the owner that a request comes from a front. */
  secret: string
  nextRequestId(): string
  isDraining(): boolean
}

/** Headers of one connection or one process: they are not passed on. */
const OWN = new Set([
  FRONT_MARK,
  FRONT_CLIENT,
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'trailer',
])
const ownerAway = (cause: unknown) =>
  new AppError('store_unavailable', 'The service restarts. Try again in a moment.', { retryAfterSeconds: 1, cause })

/** Passes every request that a front does not answer to the owner unchanged, and its answer back. */
export class OwnerEndpoint {
  readonly #options: OwnerEndpointOptions
  readonly #upgraded = new Set<Duplex>()
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 64 })

  constructor(options: OwnerEndpointOptions) {
    this.#options = options
  }

  /** Ends websockets, which would never end on their own. */
  cutOff(): void {
    for (const socket of this.#upgraded) socket.destroy()
  }

  close(): void {
    this.#agent.destroy()
  }

  /** `body` is given where it was read already. */
  pass(request: IncomingMessage, response: ServerResponse, body?: Buffer): void {
    const { socketPath, isDraining } = this.#options
    const headers = this.#headersOf(request)
    // The body stays the same; only its framing may differ from what the client used.
    if (body === undefined && request.headers['transfer-encoding'] !== undefined) {
      headers.push('transfer-encoding', 'chunked')
    } else if (body !== undefined && request.headers['content-length'] === undefined) {
      headers.push('content-length', String(body.length))
    }
    const asked = this.#ask(request, response, { socketPath, method: request.method, path: request.url, headers })
    if (!asked) return
    asked.on('response', (answer) => {
      const passed = withoutOwn(answer.rawHeaders)
      // After a body that was not read to its end the connection cannot be used again.
      if (isDraining() || !request.complete) passed.push('connection', 'close')
      response.writeHead(answer.statusCode!, passed)
      // The client of an event stream must see the headers before the first event.
      response.flushHeaders()
      answer.pipe(response)
      // A truncated answer must not look complete.
      answer.on('error', () => response.destroy())
    })
    asked.on('error', (error: NodeJS.ErrnoException) => this.#fail(request, response, error))
    response.on('close', () => {
      if (!response.writableFinished) asked.destroy()
    })
    if (body === undefined) request.pipe(asked)
    else asked.end(body)
  }

  /** Node's parser accepts some headers that its writer refuses; that must not end a front. */
  #ask(request: IncomingMessage, response: ServerResponse, options: RequestOptions): ClientRequest | undefined {
    try {
      return ask({ ...options, agent: this.#agent })
    } catch (error) {
      request.resume()
      refuse(
        response,
        new AppError('invalid_request', 'The headers cannot be passed on.', { cause: error }),
        this.#options.nextRequestId(),
      )
      return undefined
    }
  }

  /** A websocket: every byte goes to the owner. */
  upgrade(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const { socketPath, nextRequestId } = this.#options
    const headers = this.#headersOf(request).concat('connection', 'Upgrade')
    const owner = connect(socketPath)
    let isOpen = false
    client.on('error', () => owner.destroy())
    this.#upgraded.add(client)
    client.on('close', () => {
      this.#upgraded.delete(client)
      owner.destroy()
    })
    owner.on('connect', () => {
      isOpen = true
      const lines = [`${request.method} ${request.url} HTTP/1.1`]
      for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
      owner.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
      owner.write(head)
      owner.pipe(client).pipe(owner)
    })
    // The server's sockets are half open, so the client's half would stay for as long as the client likes.
    owner.on('close', () => {
      if (isOpen) (client as Socket).destroySoon()
    })
    owner.on('error', (error) => {
      if (isOpen) client.destroy()
      else client.end(toRefusal(ownerAway(error), { requestId: nextRequestId() }), () => client.destroy())
    })
  }

  #headersOf(request: IncomingMessage): string[] {
    const { secret } = this.#options
    const client = request.socket.remoteAddress ?? ''
    const headers = withoutOwn(request.rawHeaders).concat(FRONT_MARK, secret, FRONT_CLIENT, client)
    // HTTP 1.0 has no Host, but 1.1 requires it, and that is what the owner gets.
    return request.headers.host === undefined ? headers.concat('host', '') : headers
  }

  /**
   * Where the owner could not be reached, nothing has happened, and the client gets a 503. Where the owner died in the midst of a
   * change, the outcome is unknown: the connection breaks, as it does when a single process dies.
   */
  #fail(request: IncomingMessage, response: ServerResponse, error: NodeJS.ErrnoException): void {
    if (response.destroyed) return
    const isUntouched = error.syscall === 'connect' || request.method === 'GET' || request.method === 'HEAD'
    if (response.headersSent || !isUntouched) {
      response.destroy()
      return
    }
    refuse(response, ownerAway(error), this.#options.nextRequestId())
  }
}

function refuse(response: ServerResponse, error: AppError, requestId: string): void {
  const { status, body, retryAfterSeconds } = toErrorReply(error)
  response
    .writeHead(status, {
      ...CORS_HEADERS,
      'x-request-id': requestId,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
      connection: 'close',
    })
    .end(JSON.stringify(body))
}

/** `raw` has names and values by turns. */
function withoutOwn(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    if (!OWN.has(raw[at]!.toLowerCase())) kept.push(raw[at]!, raw[at + 1]!)
  }
  return kept
}

interface FrontServerOptions extends Omit<RpcOptions, 'handOver' | 'batchWidth' | 'running'> {
  requestTimeoutMilliseconds: number
  httpFast: boolean
  access: OwnerEndpoint
  onError(error: unknown, requestId: string): void
}

/** The server of a front: it answers RPC itself and passes everything else to the owner. */
export function createFrontServer({ access, ...options }: FrontServerOptions): FastifyInstance {
  const { isDraining, nextRequestId } = options
  const rpc = new RpcEndpoint({
    ...options,
    running: { count: 0 },
    // A front passes every batch on.
    batchWidth: 1,
    handOver: (...handed) => access.pass(...handed),
  })
  const server = createServer({
    ...options,
    rpc,
    elsewhere(request, response) {
      if (isDraining() && request.url === '/health/ready') {
        refuse(
          response,
          new AppError('overloaded', 'The service is shutting down.', { body: DRAINING }),
          nextRequestId(),
        )
      } else if (request.url === '/health/live') {
        response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end('{"status":"live"}')
      } else access.pass(request, response)
    },
  })
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
    access.upgrade(request, socket, head),
  )
  return server
}

const DRAINING = { status: 'not ready', reason: 'draining' }

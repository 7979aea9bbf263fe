import { type IncomingMessage, STATUS_CODES, type ServerResponse, createServer as createHttpServer } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { DoorName } from '../guard/rpc-request.ts'
import type { Caller } from '../kernel/ctx.ts'
import { AppError, LedgerRefusal } from '../kernel/errors.ts'
import type { Step, Traces } from '../kernel/traces.ts'
import { toErrorReply } from './errors.ts'
import { CORS_HEADERS, PREFLIGHT_HEADERS } from './page-headers.ts'
import { movePathKey } from './path-key.ts'
import { toProblemPage, wantsPage } from './problem.tsx'
import type { RpcEndpoint } from './rpc.ts'
import { type UsualRequest, readUsualRequests } from './usual-requests.ts'
import { isWebsocket } from './websocket.ts'

interface ServerOptions {
  bodyBytesMax: number
  requestTimeoutMilliseconds: number
  /** Answers `POST /`, `POST /actions/<name>`, and `POST /node` as a node does; everything else goes through the router. */
  rpc: Pick<RpcEndpoint, 'answer' | 'answerRead'>
  /** Whether usual requests are read beside node:http, which costs a third less. */
  httpFast: boolean
  /** Whether we are about to stop: every connection ends with its answer then, so that none is cut later. */
  isDraining(): boolean
  /** Unique for each request, short, and safe to print. */
  nextRequestId(): string
  onError(error: unknown, requestId: string): void
  /** Told of every request that the router has answered. */
  onAnswered?(answered: AnsweredRequest): void
  /** Unset where the operator wants none. */
  traces?: { traces: Traces; ipOf(request: IncomingMessage): string } | undefined
  /** Whether the ledger is for trying things out, which every page says. */
  devnet?: boolean
  /** Whether a connection is taken at all; unset, every one is. */
  admits?(request: IncomingMessage): boolean
  /** Takes everything that is not RPC, in place of the router. */
  elsewhere?(request: IncomingMessage, response: ServerResponse): void
}

export interface AnsweredRequest {
  requestId: string
  /** The route as it was declared, as in `GET /check/:id`: nothing that a client wrote. */
  action: string
  status: number
  /** Who was let in through a door of the API. */
  caller: Caller | undefined
  milliseconds: number
}

/** Who asked, for what is told of requests when they are answered. */
const CALLERS = new WeakMap<FastifyRequest, Caller>()

export const noteCaller = (request: FastifyRequest, caller: Caller): void => void CALLERS.set(request, caller)

const KEEP_ALIVE = 72_000
const unreadable = () => new AppError('invalid_request', 'The request could not be read.')

/** The HTTP server without its routes: the RPC endpoint, preflights, and one shape for everything that goes wrong. */
export function createServer(options: ServerOptions): FastifyInstance {
  const server = fastify({
    bodyLimit: options.bodyBytesMax,
    genReqId: options.nextRequestId,
    logger: false,
    // What is longer than any id is told so by the routes that know ids.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1_000 },
    forceCloseConnections: 'idle',
    // The router's own words for these have no headers of ours and repeat the URL, in which a key may stand.
    return503OnClosing: false,
    frameworkErrors: (_error, request, reply) => {
      void reply.headers(CORS_HEADERS).header('x-request-id', request.id)
      send(reply, unreadable())
    },
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, options.nextRequestId()),
    serverFactory: (route) =>
      createHttpServer(
        {
          keepAliveTimeout: KEEP_ALIVE,
          requestTimeout: options.requestTimeoutMilliseconds,
          // Heads are a part of requests; and who is too slow is found out within a quarter of the limit.
          headersTimeout: options.requestTimeoutMilliseconds,
          connectionsCheckingInterval: Math.ceil(options.requestTimeoutMilliseconds / 4),
          shouldUpgradeCallback: isWebsocket,
          // Node's own refusal has neither our words nor our headers.
          requireHostHeader: false,
        },
        (request, response) => {
          let rpcDoor: ReturnType<typeof findRpcDoor>
          movePathKey(request)
          if (options.admits?.(request) === false) response.writeHead(403, { connection: 'close' }).end()
          else if (request.headers.host === undefined && request.httpVersion === '1.1') {
            const headers = { ...refusalHeaders(options.nextRequestId()), connection: 'close' }
            response.writeHead(400, headers).end(JSON.stringify(toErrorReply(unreadable()).body))
          } else if (request.method === 'POST' && (rpcDoor = findRpcDoor(request.url)))
            options.rpc.answer(request, response, rpcDoor.name)
          else if (options.elsewhere) options.elsewhere(request, response)
          else route(request, response)
        },
      ),
  })

  if (options.httpFast) {
    const find = (url: string) => {
      const door = findRpcDoor(url)
      return door && ((request: UsualRequest, body: Buffer) => options.rpc.answerRead(request, door.name, body))
    }
    readUsualRequests(server.server, find, options)
  }
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  // Before those who take upgrades: what is destroyed here opens no websocket.
  server.server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    if (options.admits?.(request) === false) socket.destroy()
    movePathKey(request)
  })
  server.addHook('preClose', (done) => {
    // Browsers open connections ahead of need. One that never asked for anything is not idle to Node, and would be
    // waited for.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
  // Every answer can be read from any page and found in the log; preflights end here, before anything is counted.
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(CORS_HEADERS).header('x-request-id', request.id)
    if (options.isDraining()) void reply.header('connection', 'close')
    if (request.method === 'OPTIONS') void reply.code(204).headers(PREFLIGHT_HEADERS).send()
    else done()
  })

  if (options.traces) traceRequests(server, { ...options.traces, isTold })
  if (options.onAnswered) tellAnswered(server, options.onAnswered)
  answerTheRest(server, options)
  return server
}

/** What machines ask for all day long, and pictures and styles of pages, would hide the rest. */
const UNTOLD = /^\/(health|assets)\b/

/** Preflights ask for nothing. */
function isTold({ method, routeOptions: { url } }: FastifyRequest): boolean {
  return method !== 'OPTIONS' && (url === undefined || !UNTOLD.test(url))
}

function tellAnswered(server: FastifyInstance, onAnswered: NonNullable<ServerOptions['onAnswered']>): void {
  server.addHook('onResponse', (request, { statusCode: status, elapsedTime }, done) => {
    const { id: requestId, method } = request
    if (isTold(request)) {
      const action = `${method} ${request.routeOptions.url ?? '(no such path)'}`
      onAnswered({
        requestId,
        action,
        status,
        caller: CALLERS.get(request),
        milliseconds: Math.round(elapsedTime * 10) / 10,
      })
    }
    done()
  })
}

/** What no route takes, and what goes wrong in one. */
function answerTheRest(server: FastifyInstance, { onError, devnet }: Pick<ServerOptions, 'onError' | 'devnet'>): void {
  server.setNotFoundHandler((request, reply) => {
    if (isNodeDoor(request.url)) {
      send(reply, new LedgerRefusal('Can only POST requests'))
      return
    }
    if (isRoot(request.url)) send(reply, new AppError('method_not_allowed', 'Send RPC requests with POST.'))
    // There is no stream to listen to: clients that look for one understand this.
    else if (isMcp(request.url)) send(reply, new AppError('method_not_allowed', 'Send messages with POST.'))
    else if (wantsPage(request.method, request.url, request.headers)) {
      const { headers, page } = toProblemPage({ status: 404, text: 'Not found.', devnet: devnet === true })
      void reply.code(404).headers(headers).send(page)
    } else send(reply, new AppError('not_found', 'Not found.'))
  })

  server.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    if (error.statusCode !== undefined && error.statusCode < 500) {
      send(reply, unreadable())
    } else {
      onError(error, request.id)
      send(reply, error)
    }
  })
}

function isNodeDoor(url = '/'): boolean {
  return /^\/node\/?(\?|$)/.test(url)
}

function isMcp(url = '/'): boolean {
  return /^\/mcp\/?(\?|$)/.test(url)
}

function isRoot(url = '/'): boolean {
  return url === '/' || url === '' || url.startsWith('/?')
}

/** Where requests of the RPC endpoint come in. */
function findRpcDoor(url?: string): { name: DoorName | undefined } | undefined {
  if (isRoot(url)) return { name: undefined }
  if (isNodeDoor(url)) return { name: 'node' }
  const action = actionIn(url)
  return action === undefined ? undefined : { name: { action } }
}

/** The name in `/actions/<name>`, with whatever parameters behind it. */
function actionIn(url = ''): string | undefined {
  return /^\/actions\/([^/?#]+)\/?(?:[?#]|$)/.exec(url)?.[1]
}

function send(reply: FastifyReply, error: unknown): void {
  const { status, body } = toErrorReply(error)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  void reply.code(status).headers(headers).send(JSON.stringify(body))
}

const UNREADABLE_STATUS: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** What is no HTTP request gets the body and headers of every refusal, straight onto its connection. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const status = UNREADABLE_STATUS[error.code ?? ''] ?? 400
  if (socket.writable && isNext(socket)) socket.write(toRefusal(unreadable(), { status, requestId }))
  socket.destroy(error)
}

const refusalHeaders = (requestId: string) => ({
  ...CORS_HEADERS,
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
})

/** A refusal as it goes over the wire, with the end of its connection: for what never becomes a request. */
export function toRefusal(refusal: AppError, { status, requestId }: { status?: number; requestId: string }): string {
  const reply = toErrorReply(refusal)
  const code = status ?? reply.status
  const body = JSON.stringify(reply.body)
  const headers = { ...refusalHeaders(requestId), 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${code} ${STATUS_CODES[code]}`, ...lines, '', body].join('\r\n')
}

/**
 * Whether the next answer on a connection is the one to what could not be read. Requests may come before their turn: then
 * this one would be taken for the answer to an earlier one, or end up in the middle of it. Node keeps the answer under way
 * in this member, for this very purpose.
 */
function isNext(socket: Socket): boolean {
  const { _httpMessage: underWay } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return !underWay || (!underWay.headersSent && !underWay.req.complete)
}

/** Traces what the router answers. A route is told as it was declared: what stands in an address is the client's. */
function traceRequests(
  server: FastifyInstance,
  {
    traces,
    ipOf,
    isTold,
  }: { traces: Traces; ipOf(request: IncomingMessage): string; isTold(request: FastifyRequest): boolean },
): void {
  const steps = new WeakMap<FastifyRequest, Step>()
  server.addHook('onRequest', (request, _reply, done) => {
    const { id: requestId, raw, headers } = request
    const name = isTold(request) ? nameOf(request) : undefined
    const step = name && traces.arrive({ name, requestId, traceparent: headers.traceparent, ip: ipOf(raw) })
    if (!step) return done()
    steps.set(request, step)
    step.within(done)
  })
  // What reads a body goes on from the connection, and the connection is no part of the trace.
  server.addHook('preValidation', (request, _reply, done) => {
    const step = steps.get(request)
    if (step) step.within(done)
    else done()
  })
  server.addHook('onResponse', (request, { statusCode }, done) => {
    const step = steps.get(request)
    step?.note({
      'http.request.method': request.method,
      'http.route': request.routeOptions.url,
      'http.response.status_code': statusCode,
    })
    step?.end(statusCode >= 500 ? { type: String(statusCode), isOurs: true } : undefined)
    done()
  })
}

const nameOf = ({ method, routeOptions: { url } }: FastifyRequest) => `${method} ${url ?? '(no such path)'}`

import { type IncomingMessage, STATUS_CODES, type ServerResponse, createServer as createHttpServer } from 'node:http'
import type { Socket } from 'node:net'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { EndpointName } from '../guard/rpc-request.ts'
import type { Caller } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import { writeNodeAnswer } from '../kernel/nano/node-answer.ts'
import type { Step, Traces } from '../kernel/traces.ts'
import { toErrorReply } from './errors.ts'
import { CORS_HEADERS, NODE_HEADERS, PREFLIGHT_HEADERS, PREFLIGHT_SECONDS } from './page-headers.ts'
import { movePathKey } from './path-key.ts'
import { toProblemPage, wantsPage } from './problem.tsx'
import type { RpcEndpoint } from './rpc.ts'
import { type UsualRequest, readUsualRequests } from './usual-requests.ts'
import { isWebsocket } from './websocket.ts'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { encodingFor } from './prepared.ts'

/** Smaller answers are not compressed: they fit into one packet anyway. */
const WORTH_BYTES = 1_400
const PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 4 }

/**
 * Compresses pages made for one reader; shared pages are compressed in advance. The compressed length can reveal a
 * token in a page to another site that triggers requests, but browsers do not send our cookie with those.
 */
function compressPages(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const isPage = typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html')
    if (!isPage || payload.length < WORTH_BYTES) return done(null, payload)
    const vary = reply.getHeader('vary')
    void reply.header('vary', vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`)
    const encoding = encodingFor(request.headers['accept-encoding'])
    if (encoding === undefined) return done(null, payload)
    const compressed = (error: Error | null, bytes: Buffer) => {
      if (error) return done(null, payload)
      void reply.header('content-encoding', encoding)
      done(null, bytes)
    }
    if (encoding === 'br') brotliCompress(payload, { params: PARAMS }, compressed)
    else gzip(payload, compressed)
  })
}

interface ServerOptions {
  bodyBytesMax: number
  requestTimeoutMilliseconds: number
  /**
   * Answers `POST /`, `POST /actions/<name>` and, in the way of a node, `POST /node`. Everything else goes through the
   * router.
   */
  rpc: Pick<RpcEndpoint, 'answer' | 'answerRead'>
  /** Whether common requests bypass node:http, which saves a third of their cost. */
  httpFast: boolean
  /** Whether the server is about to stop. Then every connection ends with its answer, so that none is cut off later. */
  isDraining(): boolean
  /** A short id, unique for each request and safe to print. */
  nextRequestId(): string
  onError(error: unknown, requestId: string): void
  /** Called after the router has answered a request. */
  onAnswered?(answered: AnsweredRequest): void
  /** Undefined if the operator has switched traces off. */
  traces?: { traces: Traces; ipOf(request: IncomingMessage): string } | undefined
  /** Whether the gateway uses the development ledger, which every page shows. */
  devnet?: boolean
}

export interface AnsweredRequest {
  requestId: string
  /** The declared route, as in `GET /check/:id`; never text of the client. */
  action: string
  status: number
  /** The caller, if the API has identified one. */
  caller: Caller | undefined
  milliseconds: number
}

/** The caller of each request, for the report after the answer. */
const CALLERS = new WeakMap<FastifyRequest, Caller>()

export const noteCaller = (request: FastifyRequest, caller: Caller): void => void CALLERS.set(request, caller)

const KEEP_ALIVE = 72_000
const unreadable = () => new AppError('invalid_request', 'The request could not be read.')

/** The HTTP server without its routes: the RPC endpoint, preflight requests, and one format for all errors. */
export function createServer(options: ServerOptions): FastifyInstance {
  const server = fastify({
    bodyLimit: options.bodyBytesMax,
    genReqId: options.nextRequestId,
    logger: false,
    // Longer parameters reach the routes, which refuse them as invalid ids.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1_000 },
    forceCloseConnections: 'idle',
    // The router's own replies lack our headers, and repeat the URL, which may contain a key.
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
          // The time for headers is included, and slow clients are found within a quarter of this limit.
          headersTimeout: options.requestTimeoutMilliseconds,
          connectionsCheckingInterval: Math.ceil(options.requestTimeoutMilliseconds / 4),
          shouldUpgradeCallback: isWebsocket,
          // Node's own refusal lacks our message and headers.
          requireHostHeader: false,
        },
        (request, response) => {
          let rpcEndpoint: ReturnType<typeof findRpcEndpoint>
          movePathKey(request)
          if (request.headers.host === undefined && request.httpVersion === '1.1') {
            const headers = { ...refusalHeaders(options.nextRequestId()), connection: 'close' }
            response.writeHead(400, headers).end(JSON.stringify(toErrorReply(unreadable()).body))
          } else if (request.method === 'POST' && (rpcEndpoint = findRpcEndpoint(request.url)))
            options.rpc.answer(request, response, rpcEndpoint.name)
          else route(request, response)
        },
      ),
  })

  if (options.httpFast) {
    const find = (url: string) => {
      const endpoint = findRpcEndpoint(url)
      return endpoint && ((request: UsualRequest, body: Buffer) => options.rpc.answerRead(request, endpoint.name, body))
    }
    readUsualRequests(server.server, find, options)
  }
  const sockets = new Set<Socket>()
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.server.on('upgrade', (request: IncomingMessage) => movePathKey(request))
  server.addHook('preClose', (done) => {
    // Browsers open connections in advance. Node would wait for one that never sent anything, because it does not count
    // as idle.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
  // Lets any page read every answer, and adds the request id. Preflight requests end here, before anything is counted.
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(CORS_HEADERS).header('x-request-id', request.id)
    if (options.isDraining()) void reply.header('connection', 'close')
    if (request.method === 'OPTIONS' && isNodeEndpoint(request.url)) {
      void reply
        .code(200)
        .headers({ ...NODE_HEADERS, 'access-control-max-age': PREFLIGHT_SECONDS })
        .send()
    } else if (request.method === 'OPTIONS') void reply.code(204).headers(PREFLIGHT_HEADERS).send()
    else done()
  })

  if (options.traces) traceRequests(server, { ...options.traces, isReported })
  if (options.onAnswered) reportAnswered(server, options.onAnswered)
  compressPages(server)
  answerTheRest(server, options)
  return server
}

/** Not logged: health checks and the files of pages would hide all other requests. */
const NOT_REPORTED = /^\/(health|assets)\b/

function isReported({ method, routeOptions: { url } }: FastifyRequest): boolean {
  return method !== 'OPTIONS' && (url === undefined || !NOT_REPORTED.test(url))
}

function reportAnswered(server: FastifyInstance, onAnswered: NonNullable<ServerOptions['onAnswered']>): void {
  server.addHook('onResponse', (request, { statusCode: status, elapsedTime }, done) => {
    const { id: requestId, method } = request
    if (isReported(request)) {
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

/** Answers requests without a route, and errors of the router. */
function answerTheRest(server: FastifyInstance, { onError, devnet }: Pick<ServerOptions, 'onError' | 'devnet'>): void {
  server.setNotFoundHandler((request, reply) => {
    if (isNodeEndpoint(request.url)) {
      // Sent as bytes, because the framework adds a charset to the type of a text.
      const text = Buffer.from(writeNodeAnswer({ error: 'Can only POST requests' }))
      void reply.code(200).headers(NODE_HEADERS).header('cache-control', 'no-store').send(text)
      return
    }
    if (isRoot(request.url)) send(reply, new AppError('method_not_allowed', 'Send RPC requests with POST.'))
    // A client that asks for a stream of messages understands 405: there is none.
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

function isNodeEndpoint(url = '/'): boolean {
  return /^\/node\/?(\?|$)/.test(url)
}

function isMcp(url = '/'): boolean {
  return /^\/mcp\/?(\?|$)/.test(url)
}

function isRoot(url = '/'): boolean {
  return url === '/' || url === '' || url.startsWith('/?')
}

/** The form of the RPC endpoint that a path belongs to. */
function findRpcEndpoint(url?: string): { name: EndpointName | undefined } | undefined {
  if (isRoot(url)) return { name: undefined }
  if (isNodeEndpoint(url)) return { name: 'node' }
  const action = actionIn(url)
  return action === undefined ? undefined : { name: { action } }
}

/** The name in `/actions/<name>`, without the query. */
function actionIn(url = ''): string | undefined {
  return /^\/actions\/([^/?#]+)\/?(?:[?#]|$)/.exec(url)?.[1]
}

function send(reply: FastifyReply, error: unknown): void {
  const { status, body } = toErrorReply(error)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  void reply.code(status).headers(headers).send(JSON.stringify(body))
}

const UNREADABLE_STATUS: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** Sends a refusal directly to the connection, for bytes that are not an HTTP request. */
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

/** A complete HTTP response that refuses and closes the connection, for bytes that never become a request. */
export function toRefusal(refusal: AppError, { status, requestId }: { status?: number; requestId: string }): string {
  const reply = toErrorReply(refusal)
  const code = status ?? reply.status
  const body = JSON.stringify(reply.body)
  const headers = { ...refusalHeaders(requestId), 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${code} ${STATUS_CODES[code]}`, ...lines, '', body].join('\r\n')
}

/**
 * Whether the next answer on this connection belongs to the unreadable bytes. A client may send requests before earlier
 * ones are answered; a refusal sent now could be taken for an earlier answer, or end up inside it. Node keeps the
 * current answer in this member for this purpose.
 */
function isNext(socket: Socket): boolean {
  const { _httpMessage: underWay } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return !underWay || (!underWay.headersSent && !underWay.req.complete)
}

/**
 * Traces requests that the router answers, under the declared route, because clients can put anything into an address.
 */
function traceRequests(
  server: FastifyInstance,
  {
    traces,
    ipOf,
    isReported,
  }: { traces: Traces; ipOf(request: IncomingMessage): string; isReported(request: FastifyRequest): boolean },
): void {
  const steps = new WeakMap<FastifyRequest, Step>()
  server.addHook('onRequest', (request, _reply, done) => {
    const { id: requestId, raw, headers } = request
    const name = isReported(request) ? nameOf(request) : undefined
    const step = name && traces.arrive({ name, requestId, traceparent: headers.traceparent, ip: ipOf(raw) })
    if (!step) return done()
    steps.set(request, step)
    step.within(done)
  })
  // A body arrives in callbacks of the connection, which have lost the trace, so it is set again.
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

import { type FastifyInstance, fastify } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { CORS_HEADERS, PREFLIGHT_HEADERS } from './cors.ts'
import { toErrorReply } from './errors.ts'

export interface ServerOptions {
  bodyBytesMax: number
  requestTimeoutMilliseconds: number
  /** Unique for each request, short, and safe to print. */
  nextRequestId(): string
  onError(error: unknown, requestId: string): void
}

/** The HTTP server without its routes: body rules, preflights, and one shape for everything that goes wrong. */
export function createServer(options: ServerOptions): FastifyInstance {
  const server = fastify({
    bodyLimit: options.bodyBytesMax,
    requestTimeout: options.requestTimeoutMilliseconds,
    genReqId: options.nextRequestId,
    logger: false,
    routerOptions: { ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    keepAliveTimeout: 72_000,
  })

  // `curl -d` sends a form type and means JSON; the content type decides nothing here.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  // A POST without any body still deserves an answer about its JSON.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.method === 'POST') request.body ??= ''
    done()
  })

  // Preflights answer before anything is counted or looked up.
  server.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') void reply.code(204).headers(PREFLIGHT_HEADERS).send()
    else done()
  })

  server.setNotFoundHandler((request, reply) => {
    const known = request.url.split('?')[0] === '/'
    const error = known
      ? new AppError('method_not_allowed', 'Send RPC requests with POST.')
      : new AppError('not_found', 'Not found.')
    send(reply, toErrorReply(error), request.id)
  })

  server.setErrorHandler((error: Error & { code?: string; statusCode?: number }, request, reply) => {
    if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      const text = `The body is larger than ${options.bodyBytesMax} bytes.`
      send(reply, toErrorReply(new AppError('body_too_large', text)), request.id)
    } else if (error.statusCode !== undefined && error.statusCode < 500) {
      send(reply, toErrorReply(new AppError('invalid_request', 'The request could not be read.')), request.id)
    } else {
      options.onError(error, request.id)
      send(reply, toErrorReply(error), request.id)
    }
  })
  return server
}

function send(
  reply: { code(status: number): { headers(h: Record<string, string>): { send(body: string): unknown } } },
  { status, body }: { status: number; body: object },
  requestId: string,
): void {
  const headers = {
    ...CORS_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': requestId,
  }
  reply.code(status).headers(headers).send(JSON.stringify(body))
}

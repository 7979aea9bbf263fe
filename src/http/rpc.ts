import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Gateway, type RpcRequest, dispatch } from '../guard/dispatch.ts'
import { AppError } from '../kernel/errors.ts'
import type { Json } from '../kernel/shape.ts'
import { CORS_HEADERS } from './cors.ts'
import { toErrorReply } from './errors.ts'
import { parseBody } from './json-body.ts'

/** What the transport reports of each request; only these fields ever reach a log line. */
export interface RpcReport {
  requestId: string
  action: string
  status: number
  code: string | undefined
  cache: string | undefined
  caller: string | undefined
  milliseconds: number
  cause: unknown
}

export interface RpcOptions {
  gateway: Gateway
  concurrencyMax: number
  report(report: RpcReport): void
}

/** The RPC endpoint: one POST, one JSON object in, one JSON value out. */
export function mountRpc(server: FastifyInstance, { gateway, concurrencyMax, report }: RpcOptions): void {
  let running = 0

  async function answer(request: FastifyRequest, trace: RpcRequest['trace']): Promise<Json> {
    if (running >= concurrencyMax) {
      throw new AppError('overloaded', 'Too many requests at once. Try again in a moment.', { retryAfterSeconds: 1 })
    }
    running++
    try {
      const body = parseBody(request.body as string)
      return await dispatch(gateway, {
        requestId: request.id,
        body,
        credentials: {
          header: (name) => request.headers[name] as string | undefined,
          body,
          queryKey: (request.query as { key?: string }).key,
        },
        trace,
      })
    } finally {
      running--
    }
  }

  server.post('/', async (request: FastifyRequest, reply: FastifyReply) => {
    const startedAt = performance.now()
    const trace: RpcRequest['trace'] = { cache: undefined, action: undefined, caller: undefined }
    let status = 200
    let code: string | undefined
    let cause: unknown
    let text: string
    const headers: Record<string, string> = {
      ...CORS_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': request.id,
    }
    try {
      text = JSON.stringify(await answer(request, trace))
    } catch (error) {
      const refused = toErrorReply(error)
      status = refused.status
      code = refused.code
      text = JSON.stringify(refused.body)
      if (refused.retryAfterSeconds !== undefined) headers['retry-after'] = String(refused.retryAfterSeconds)
      if (status >= 500) cause = error
    }
    if (trace.cache !== undefined) headers['x-cache'] = trace.cache
    const milliseconds = performance.now() - startedAt
    headers['server-timing'] = `total;dur=${milliseconds.toFixed(1)}`
    report({
      requestId: request.id,
      action: trace.action ?? 'unknown',
      status,
      code,
      cache: trace.cache,
      caller: trace.caller,
      milliseconds,
      cause,
    })
    return reply.code(status).headers(headers).send(text)
  })
}

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseBody } from '../guard/json-body.ts'
import type { Caller } from '../kernel/ctx.ts'
import type { JsonObject } from '../kernel/shape.ts'
import {
  PaymentError,
  type Shop,
  type Till,
  describeShop,
  readFacilitatorRequest,
  settleForOthers,
  verifyForOthers,
} from '../modules/x402/index.ts'
import { toErrorReply } from './errors.ts'
import { fromFastify } from './rest.ts'

/** A payment and its terms take some 2,000 bytes. */
const BODY_BYTES_MAX = 64 * 1024
const SETTLE = '/facilitator/settle'

interface X402Options {
  till: Till
  shop: Shop | undefined
  /** Lets a caller in, or refuses (429). */
  enter(caller: Caller, request: IncomingMessage): Entry | Promise<Entry>
  onError(error: unknown, requestId: string): void
}

interface Entry {
  /** Called when the request is over, however it ended. */
  leave(): void
}

/**
 * What is for sale by request, and a facilitator that any service may use (contract 4.7). Its answers have the
 * protocol's own shapes: an outcome is 200, whichever it is; without an outcome it is 503.
 */
export function mountX402(server: FastifyInstance, options: X402Options): void {
  const { till, shop } = options
  void server.register((doors, _options, done) => {
    // Bodies are JSON whatever their type says, as at the RPC endpoint.
    doors.removeAllContentTypeParsers()
    doors.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, parsed) => parsed(null, text))
    doors.setErrorHandler((error: Error & { statusCode?: number }, request, reply) =>
      refuse(options, request, reply, fromFastify(error)),
    )
    doors.get(
      '/.well-known/x402',
      answer(options, () => describeShop(shop)),
    )
    doors.get(
      '/facilitator/supported',
      answer(options, () => till.own.getSupported()),
    )
    doors.post(
      '/facilitator/verify',
      { bodyLimit: BODY_BYTES_MAX },
      answer(options, (request) => verifyForOthers(till, readFacilitatorRequest(bodyOf(request)))),
    )
    doors.post(
      SETTLE,
      { bodyLimit: BODY_BYTES_MAX },
      answer(options, (request) => settleForOthers(till, readFacilitatorRequest(bodyOf(request)))),
    )
    done()
  })
}

function answer({ enter }: X402Options, run: (request: FastifyRequest) => Promise<JsonObject>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<JsonObject> => {
    void reply.header('cache-control', 'no-store')
    const { leave } = await enter({ kind: 'anonymous' }, request.raw)
    try {
      return await run(request)
    } finally {
      leave()
    }
  }
}

function refuse({ onError }: X402Options, request: FastifyRequest, reply: FastifyReply, error: Error): FastifyReply {
  const { status, body, retryAfterSeconds } = toErrorReply(error)
  if (status === 500) onError(error, request.id)
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds)
  // Services read the verdict, not our errors.
  const isSettlement = request.routeOptions.url === SETTLE
  const unverified = { isValid: false, invalidReason: 'unexpected_verify_error' }
  const verdict = error instanceof PaymentError ? (isSettlement ? error.settlement : unverified) : {}
  return reply
    .header('cache-control', 'no-store')
    .code(status)
    .send({ ...verdict, ...body })
}

function bodyOf({ body }: FastifyRequest): Record<string, unknown> {
  return parseBody(typeof body === 'string' ? body : '')
}

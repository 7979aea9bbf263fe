import type { FastifyReply } from 'fastify'
import type { RequestHeaders } from '../guard/credential.ts'
import { type OnceCtx, fingerprintOf, once, readIdempotencyKey } from '../guard/once.ts'
import type { Idempotency } from '../kernel/idempotency.ts'
import type { Fields } from '../kernel/route.ts'
import type { JsonObject } from '../kernel/shape.ts'

interface OnceCall {
  /** What is done; stored with the key. */
  action: string
  accountId: string
  headers: RequestHeaders
  body: Fields
  params: Fields
  reply: FastifyReply
}

/** Runs a request that makes something once for each `Idempotency-Key`; without one it simply runs. */
export async function onceFor(
  ctx: OnceCtx,
  { action, accountId, headers, body, params, reply }: OnceCall,
  run: (idempotency: Idempotency | undefined) => Promise<JsonObject>,
): Promise<JsonObject> {
  const key = readIdempotencyKey(headers, body)
  if (key === undefined) return run(undefined)
  const request = {
    accountId,
    action,
    key,
    fingerprint: fingerprintOf({ ...body, ...params }),
    onReplay: () => void reply.header('idempotent-replayed', 'true'),
  }
  return JSON.parse(
    await once(ctx, request, async (idempotency) => JSON.stringify(await run(idempotency))),
  ) as JsonObject
}

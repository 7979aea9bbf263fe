import type { FastifyReply } from 'fastify'
import { type OnceCtx, fingerprintOf, once, readIdempotencyKey } from '../guard/once.ts'
import type { Deed } from '../kernel/deed.ts'
import type { JsonObject } from '../kernel/shape.ts'
import type { Call } from './rest.ts'

/** Runs a request that makes something once for each `Idempotency-Key`; without one it simply runs. */
export async function onceFor(
  ctx: OnceCtx,
  { action, call, reply }: { action: string; call: Call; reply: FastifyReply },
  run: (deed: Deed | undefined) => Promise<JsonObject>,
): Promise<JsonObject> {
  const { caller, params, body, headers } = call
  const key = readIdempotencyKey(headers, body)
  if (key === undefined) return run(undefined)
  const request = {
    accountId: caller.accountId,
    action,
    key,
    fingerprint: fingerprintOf({ ...body, ...params }),
    onReplay: () => void reply.header('idempotent-replayed', 'true'),
  }
  return JSON.parse(await once(ctx, request, async (deed) => JSON.stringify(await run(deed)))) as JsonObject
}

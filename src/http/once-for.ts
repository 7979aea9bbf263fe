import type { FastifyReply } from 'fastify'
import { fingerprintOf, once, readIdempotencyKey } from '../guard/once.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import type { SecretBox } from '../kernel/ports.ts'
import type { JsonObject } from '../kernel/shape.ts'
import type { Call } from './rest.ts'

/**
 * Runs a request that makes something once for each `Idempotency-Key`; without one it simply runs. Answers are kept
 * sealed, because some of them hold what is shown once.
 */
export async function onceFor(
  { db, clock, secrets }: StoreCtx & { secrets: SecretBox },
  { action, call, reply }: { action: string; call: Call; reply: FastifyReply },
  run: () => Promise<JsonObject>,
): Promise<JsonObject> {
  const { caller, params, body, headers } = call
  const key = readIdempotencyKey(headers, body)
  if (key === undefined) return run()
  const place = `idempotency:${caller.accountId}:${action}`
  const request = {
    accountId: caller.accountId,
    action,
    key,
    fingerprint: fingerprintOf({ ...body, ...params }),
    onReplay: () => void reply.header('idempotent-replayed', 'true'),
  }
  const sealed = await once({ db, clock }, request, async () => secrets.seal(place, JSON.stringify(await run())))
  return JSON.parse(secrets.open(place, sealed)) as JsonObject
}

import { type OnceCtx, fingerprintOf, once } from '../guard/once.ts'
import type { Idempotency } from '../kernel/idempotency.ts'
import { AppError } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/shape.ts'

/** A second click comes while the first still runs: it waits this long for the same answer. */
const LOOKS_MAX = 40
const LOOK_EVERY = 250

interface SentForm {
  accountId: string
  path: string
  /** The token that the page had put into its form. */
  token: string
  fields: Readonly<Record<string, string>>
}

/**
 * Runs what a form asks for once, however often it is sent: a double click and a reloaded page get the first answer.
 * What was changed before it was sent again is another wish.
 */
export async function onceForForm(
  ctx: OnceCtx,
  { accountId, path, token, fields }: SentForm,
  run: (idempotency: Idempotency) => Promise<JsonObject>,
): Promise<JsonObject> {
  const fingerprint = fingerprintOf(fields)
  const action = `dashboard ${path}`
  const request = { accountId, action, key: `${token} ${fingerprint}`, fingerprint, onReplay: () => undefined }
  for (let looks = 1; ; looks++) {
    try {
      return JSON.parse(
        await once(ctx, request, async (idempotency) => JSON.stringify(await run(idempotency))),
      ) as JsonObject
    } catch (error) {
      const isRunning = error instanceof AppError && error.code === 'idempotency_in_flight'
      if (!isRunning || looks === LOOKS_MAX) throw error
      await new Promise<void>((resolve) => void ctx.clock.after(LOOK_EVERY, resolve))
    }
  }
}

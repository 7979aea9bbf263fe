import { createHash, timingSafeEqual } from 'node:crypto'
import { type OnceCtx, fingerprintOf, once } from '../guard/once.ts'
import { AppError } from '../kernel/errors.ts'
import type { Idempotency } from '../kernel/idempotency.ts'
import type { FormFields } from '../kernel/page.ts'
import type { JsonObject } from '../kernel/shape.ts'
import type { Session } from '../modules/accounts/index.ts'

/** How often a second click looks for the answer to the first, which is still running. */
const LOOKS_MAX = 40
const LOOK_EVERY = 250

interface SentForm {
  accountId: string
  path: string
  /** The token from the page that contained the form. */
  token: string
  fields: Readonly<Record<string, string>>
}

/**
 * Runs a form once, however often it is sent: a second click or a reloaded page gets the first answer. With changed
 * fields it is a new request.
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

/** The fields of a form as a browser sends them. */
export class SentFields implements FormFields {
  readonly #fields: URLSearchParams
  /** Files by the names of their fields, without those that were left empty. */
  readonly files: ReadonlyMap<string, Uint8Array>

  constructor(fields: string | [string, string][], files: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#fields = new URLSearchParams(fields)
    this.files = files
  }

  set(name: string, value: string): void {
    this.#fields.set(name, value)
  }

  get(name: string): string {
    return this.#fields.get(name)?.trim() ?? ''
  }

  all(name: string): string[] {
    return this.#fields.getAll(name)
  }

  typed(): Record<string, string> {
    const typed = [...this.#fields].filter(([name]) => !HIDDEN.has(name))
    return Object.fromEntries(typed)
  }

  given(names: readonly string[]): Record<string, string> {
    return Object.fromEntries(names.map((name) => [name, this.get(name)]).filter(([, value]) => value !== ''))
  }
}

const HIDDEN = new Set(['csrf', 'form_token', 'key', 'token', 'webhook_secret', 'pin'])

/** Derived from the session, whose cookie scripts and other sites cannot read. */
export function csrfOf({ id }: Session): string {
  return createHash('sha256').update(`csrf ${id}`).digest('base64url')
}

/** Refuses a form that does not come from a page of this session. */
export function requireToken(session: Session, given: string): void {
  const wanted = Buffer.from(csrfOf(session))
  const sent = Buffer.from(given)
  if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted)) throw formExpired()
}

export const formExpired = () =>
  new AppError(
    'origin_not_allowed',
    'You have signed in again since this form was opened. Nothing was changed; submit it again.',
  )

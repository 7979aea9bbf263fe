import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../kernel/errors.ts'
import type { Session } from '../modules/accounts/index.ts'

/** Known only to who has the cookie, which scripts and other sites cannot read. */
export function csrfOf({ id }: Session): string {
  return createHash('sha256').update(`csrf ${id}`).digest('base64url')
}

/** Refuses a form that no page of this session has made. */
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

import { type OpenedSecret, type SecretCtx, openSecret } from '../domain/account-secret.ts'
import type { SealedSecret } from '../secrets-store.ts'

const SHOWN_CHARACTERS = 4

/** Binds a sealed secret to its endpoint, so that it opens in no other endpoint's row. */
const placeOf = (endpointId: string) => `webhook-endpoint:${endpointId}`

export const sealEndpointSecret = ({ secrets }: Pick<SecretCtx, 'secrets'>, endpointId: string, secret: string) =>
  secrets.seal(placeOf(endpointId), secret)

/** What lies sealed in the store, opened. */
export const openEndpointSecret = (ctx: SecretCtx, endpointId: string, sealed: SealedSecret): OpenedSecret =>
  openSecret(ctx, placeOf(endpointId), sealed)

/** What an endpoint holds of its secret. */
interface Sealed extends Omit<SealedSecret, 'createdAt'> {
  id: string
  sealedAt: number
}

/** Enough to recognise a secret by, and nothing to sign with. One that cannot be read any more ends with nothing. */
export function last4Of(ctx: SecretCtx, { id, sealed, sealedAt, previousSealed, previousUntil }: Sealed): string {
  try {
    const secret = { sealed, createdAt: sealedAt, previousSealed, previousUntil }
    return openEndpointSecret(ctx, id, secret).current.slice(-SHOWN_CHARACTERS)
  } catch (error) {
    ctx.failures.failed('webhooks.secret')(error)
    return ''
  }
}

/** The secret before, for as long as it signs along. */
export const untilOf = ({ clock }: Pick<SecretCtx, 'clock'>, { previousUntil }: Pick<Sealed, 'previousUntil'>) =>
  (previousUntil ?? 0) > clock.now() ? previousUntil : null

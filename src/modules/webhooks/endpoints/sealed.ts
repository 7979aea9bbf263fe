import { type OpenedSecret, type SecretCtx, openSecret } from '../domain/account-secret.ts'
import type { EncryptedSecret } from '../secrets-store.ts'
import { endpointSecretContext } from '../tables.ts'

const SHOWN_CHARACTERS = 4

export const encryptEndpointSecret = ({ secrets }: Pick<SecretCtx, 'secrets'>, endpointId: string, secret: string) =>
  secrets.encrypt(endpointSecretContext(endpointId), secret)

/** Decrypts a stored endpoint secret. */
export const openEndpointSecret = (ctx: SecretCtx, endpointId: string, sealed: EncryptedSecret): OpenedSecret =>
  openSecret(ctx, endpointSecretContext(endpointId), sealed)

/** The columns of an endpoint's secrets. */
interface Sealed extends Omit<EncryptedSecret, 'createdAt'> {
  id: string
  sealedAt: number
}

/** The last characters, by which people recognise a secret; empty when it cannot be decrypted any more. */
export function last4Of(ctx: SecretCtx, { id, sealed, sealedAt, previousSealed, previousUntil }: Sealed): string {
  try {
    const secret = { sealed, createdAt: sealedAt, previousSealed, previousUntil }
    return openEndpointSecret(ctx, id, secret).current.slice(-SHOWN_CHARACTERS)
  } catch (error) {
    ctx.failures.failed('webhooks.secret')(error)
    return ''
  }
}

/** When the previous secret stops signing. */
export const untilOf = ({ clock }: Pick<SecretCtx, 'clock'>, { previousUntil }: Pick<Sealed, 'previousUntil'>) =>
  (previousUntil ?? 0) > clock.now() ? previousUntil : null

import type { DueDelivery } from '../due-store.ts'
import { openEndpointSecret } from '../endpoints/sealed.ts'
import { eventSecretContext } from '../tables.ts'
import { type OpenedSecret, type SecretCtx, accountSecret, openAccountSecret } from './account-secret.ts'

/** The secrets that sign a delivery now: the endpoint's, the checkout's, or the account's, with the one it replaces. */
export async function findSigningSecrets(ctx: SecretCtx, due: DueDelivery): Promise<[string, ...string[]]> {
  const { eventId, accountId, encryptedSecret, accountSecret: sealed, endpoint } = due
  if (endpoint) return both(openEndpointSecret(ctx, endpoint.id, endpoint.secret))
  if (encryptedSecret !== null) return [ctx.secrets.open(eventSecretContext(eventId), encryptedSecret)]
  return both(sealed ? openAccountSecret(ctx, accountId!, sealed) : await accountSecret(ctx, accountId!))
}

const both = ({ current, previous }: OpenedSecret): [string, ...string[]] =>
  previous === undefined ? [current] : [current, previous]

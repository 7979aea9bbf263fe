import type { DueDelivery } from '../deliveries-store.ts'
import { type SecretCtx, accountSecret, openAccountSecret } from './account-secret.ts'

/** Binds a checkout's own secret to the event it signs. */
export const placeOfEventSecret = (eventId: string) => `webhook-event:${eventId}`

/** What signs a delivery now: the checkout's secret, or the account's with the one it replaces. */
export async function findSigningSecrets(
  ctx: SecretCtx,
  { eventId, accountId, sealedSecret, accountSecret: sealed }: DueDelivery,
): Promise<[string, ...string[]]> {
  if (sealedSecret !== null) return [ctx.secrets.open(placeOfEventSecret(eventId), sealedSecret)]
  const secret = sealed ? openAccountSecret(ctx, accountId!, sealed) : await accountSecret(ctx, accountId!)
  const { current, previous } = secret
  return previous === undefined ? [current] : [current, previous]
}

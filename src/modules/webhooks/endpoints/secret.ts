import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { insertAudit } from '../../accounts/index.ts'
import { OVERLAP_MILLISECONDS, type SecretCtx, createSecret } from '../domain/account-secret.ts'
import { endpointNotFound } from '../errors.ts'
import { type Endpoint, endpoints } from './endpoint.ts'
import { encryptEndpointSecret } from './sealed.ts'
import { type ChangedEndpoint, type OwnEndpoint, replaceEndpointSecret } from './store.ts'

/** Generates another secret and returns it, for the only time. The old one still signs for 24 hours. */
export async function rotateEndpointSecret(
  ctx: SecretCtx,
  own: ChangedEndpoint,
  idempotency?: Idempotency,
): Promise<{ endpoint: Endpoint; secret: string }> {
  const made = idempotency?.made as { secret: string } | undefined
  if (made) return { endpoint: await getEndpoint(ctx, own), secret: made.secret }
  return inTx(ctx, async (tx) => {
    const now = tx.clock.now()
    const secret = createSecret(tx.random)
    const sealed = encryptEndpointSecret(tx, own.id, secret)
    const change = { sealed, now, previousUntil: now + OVERLAP_MILLISECONDS }
    if (!(await replaceEndpointSecret(tx.db, own, change))) throw endpointNotFound()
    const { id, accountId, actor } = own
    await insertAudit(tx, { actor, accountId, what: 'endpoint.secret-rotated', detail: { id } })
    await idempotency?.record(tx.db, { secret })
    return { endpoint: await getEndpoint(tx, own), secret }
  })
}

export async function getEndpoint({ db }: Pick<SecretCtx, 'db'>, { id, accountId }: OwnEndpoint): Promise<Endpoint> {
  const endpoint = await endpoints.findOwn(db, { id, owner: accountId })
  if (!endpoint) throw endpointNotFound()
  return endpoint
}

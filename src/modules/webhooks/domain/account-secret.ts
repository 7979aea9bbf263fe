import { type Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { Random, SecretBox } from '../../../kernel/ports.ts'
import type { EncryptionContext } from '../../../kernel/encrypted.ts'
import { insertAudit } from '../../accounts/index.ts'
import {
  type EncryptedSecret,
  findEncryptedSecret,
  insertEncryptedSecret,
  replaceEncryptedSecret,
} from '../secrets-store.ts'
import { accountSecretContext } from '../tables.ts'

const KEY_BYTES = 32
export const OVERLAP_MILLISECONDS = 24 * 3_600_000

export type SecretCtx = StoreCtx & { secrets: SecretBox }

/** A signing secret that can be rotated. An account's default secret signs for checkouts without a secret of their own. */
export interface OpenedSecret {
  current: string
  createdAt: number
  /** The previous secret, while it still signs as well. */
  previous: string | undefined
  previousUntil: number | undefined
}

/** A secret in the form of Standard Webhooks. */
export function createSecret(random: Random): string {
  return `whsec_${Buffer.from(random.bytes(KEY_BYTES)).toString('base64')}`
}

/** The secret of an account, generated when it is first needed. Runs in the caller's transaction if there is one. */
export async function accountSecret(ctx: SecretCtx, accountId: string): Promise<OpenedSecret> {
  await ensureAccountSecret(ctx, accountId)
  const found = await findAccountSecret(ctx, accountId)
  if (!found) throw new Error('The webhook secret vanished.')
  return found
}

/** The same without decrypting it: a payment must be recorded even when the secret cannot be decrypted. */
export async function ensureAccountSecret({ db, clock, random, secrets }: SecretCtx, accountId: string): Promise<void> {
  if (await findEncryptedSecret(db, accountId)) return
  // When another process is first, its secret is kept.
  await insertEncryptedSecret(
    db,
    accountId,
    secrets.encrypt(accountSecretContext(accountId), createSecret(random)),
    clock.now(),
  )
}

/** The secret of an account; undefined while it has none. */
export async function findAccountSecret(ctx: SecretCtx, accountId: string): Promise<OpenedSecret | undefined> {
  const found = await findEncryptedSecret(ctx.db, accountId)
  return found && openAccountSecret(ctx, accountId, found)
}

/** Generates another secret and returns it, for the only time. The old one still signs for 24 hours (contract 6). */
export async function rotateAccountSecret(
  ctx: SecretCtx,
  { accountId, actor }: { accountId: string; actor: Actor },
  idempotency?: Idempotency,
): Promise<OpenedSecret> {
  if (idempotency?.made) return fromMade(idempotency.made as unknown as MadeSecret)
  return inTx(ctx, async (tx) => {
    const now = tx.clock.now()
    const sealed = tx.secrets.encrypt(accountSecretContext(accountId), createSecret(tx.random))
    const first = await insertEncryptedSecret(tx.db, accountId, sealed, now)
    if (!first) {
      await replaceEncryptedSecret(tx.db, accountId, { sealed, now, previousUntil: now + OVERLAP_MILLISECONDS })
    }
    await insertAudit(tx, { actor, accountId, what: 'webhook-secret.rotated', detail: {} })
    const secret = await accountSecret(tx, accountId)
    await idempotency?.record(tx.db, {
      ...secret,
      previous: secret.previous ?? null,
      previousUntil: secret.previousUntil ?? null,
    })
    return secret
  })
}

/**
 * A new secret as it is stored for an idempotency key: encrypted. It is stored because it is shown only once: without this, a lost reply would lose
 * it.
 */
type MadeSecret = { current: string; createdAt: number; previous: string | null; previousUntil: number | null }

function fromMade({ previous, previousUntil, ...secret }: MadeSecret): OpenedSecret {
  return { ...secret, previous: previous ?? undefined, previousUntil: previousUntil ?? undefined }
}

/** Decrypts a stored account secret. */
export const openAccountSecret = (ctx: SecretCtx, accountId: string, row: EncryptedSecret): OpenedSecret =>
  openSecret(ctx, accountSecretContext(accountId), row)

/** The same for a secret stored in any place. */
export function openSecret(ctx: SecretCtx, place: EncryptionContext, row: EncryptedSecret): OpenedSecret {
  const overlaps = row.previousSealed !== null && row.previousUntil! > ctx.clock.now()
  const previous = overlaps ? openIfPossible(ctx, place, row.previousSealed!) : undefined
  return {
    current: ctx.secrets.open(place, row.sealed),
    createdAt: row.createdAt,
    previous,
    previousUntil: previous === undefined ? undefined : row.previousUntil!,
  }
}

/** A secret encrypted with a lost key cannot sign; undefined, so that rotating it still works. */
function openIfPossible(
  { secrets, failures }: SecretCtx,
  place: EncryptionContext,
  sealed: string,
): string | undefined {
  try {
    return secrets.open(place, sealed)
  } catch (error) {
    return failures.lost('webhooks.previous-secret')(error)
  }
}

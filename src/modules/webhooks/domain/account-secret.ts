import { type Actor } from '../../../kernel/actor.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { Random, SecretBox } from '../../../kernel/ports.ts'
import type { Db } from '../../../kernel/db.ts'
import { insertAudit } from '../../accounts/index.ts'
import {
  type SealedSecret,
  findSealedSecret,
  insertSealedSecret,
  listNewestSealed,
  replaceSealedSecret,
} from '../secrets-store.ts'

const KEY_BYTES = 32
export const OVERLAP_MILLISECONDS = 24 * 3_600_000

export type SecretCtx = StoreCtx & { secrets: SecretBox }

/** A secret that signs, and can be replaced. The default one of an account signs where a checkout has none of its own. */
export interface OpenedSecret {
  current: string
  createdAt: number
  /** The one before, while it still signs along. */
  previous: string | undefined
  previousUntil: number | undefined
}

/** A secret in the form of Standard Webhooks. */
export function createSecret(random: Random): string {
  return `whsec_${Buffer.from(random.bytes(KEY_BYTES)).toString('base64')}`
}

/** The secret of an account, made when it is first needed. Runs in the caller's transaction where there is one. */
export async function accountSecret(ctx: SecretCtx, accountId: string): Promise<OpenedSecret> {
  await ensureAccountSecret(ctx, accountId)
  const found = await findAccountSecret(ctx, accountId)
  if (!found) throw new Error('The webhook secret vanished.')
  return found
}

/** The same without looking at it: a payment is recorded even when its secret cannot be read. */
export async function ensureAccountSecret({ db, clock, random, secrets }: SecretCtx, accountId: string): Promise<void> {
  if (await findSealedSecret(db, accountId)) return
  // Another process may be first; then its secret is the one.
  await insertSealedSecret(db, accountId, secrets.seal(placeOf(accountId), createSecret(random)), clock.now())
}

/** The secret of an account; undefined while it has none. */
export async function findAccountSecret(ctx: SecretCtx, accountId: string): Promise<OpenedSecret | undefined> {
  const found = await findSealedSecret(ctx.db, accountId)
  return found && openAccountSecret(ctx, accountId, found)
}

/** Makes another secret, which is returned here and never again. The old one signs along for 24 hours (contract 6). */
export async function rotateAccountSecret(
  ctx: SecretCtx,
  { accountId, actor }: { accountId: string; actor: Actor },
  idempotency?: Idempotency,
): Promise<OpenedSecret> {
  if (idempotency?.made) return fromMade(idempotency.made as unknown as MadeSecret)
  return inTx(ctx, async (tx) => {
    const now = tx.clock.now()
    const sealed = tx.secrets.seal(placeOf(accountId), createSecret(tx.random))
    const first = await insertSealedSecret(tx.db, accountId, sealed, now)
    if (!first) {
      await replaceSealedSecret(tx.db, accountId, { sealed, now, previousUntil: now + OVERLAP_MILLISECONDS })
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

/** As it is recorded for an idempotency key: sealed, because it is shown once, and a lost reply would otherwise cost the account its secret. */
type MadeSecret = { current: string; createdAt: number; previous: string | null; previousUntil: number | null }

function fromMade({ previous, previousUntil, ...secret }: MadeSecret): OpenedSecret {
  return { ...secret, previous: previous ?? undefined, previousUntil: previousUntil ?? undefined }
}

const PROVEN_MAX = 20

/** Some sealed secrets and where they belong, for the start, which must know whether a key opens them. */
export async function listSealedSecrets(db: Db): Promise<{ place: string; sealed: string }[]> {
  const found = await listNewestSealed(db, PROVEN_MAX)
  return found.map(({ accountId, sealed }) => ({ place: placeOf(accountId), sealed }))
}

/** Binds a sealed secret to its account, so that it opens in no other account's row. */
const placeOf = (accountId: string) => `webhook-secret:${accountId}`

/** What lies sealed in the store, opened. */
export const openAccountSecret = (ctx: SecretCtx, accountId: string, row: SealedSecret): OpenedSecret =>
  openSecret(ctx, placeOf(accountId), row)

/** The same for what is sealed in any place. */
export function openSecret(ctx: SecretCtx, place: string, row: SealedSecret): OpenedSecret {
  const overlaps = row.previousSealed !== null && row.previousUntil! > ctx.clock.now()
  const previous = overlaps ? openIfPossible(ctx, place, row.previousSealed!) : undefined
  return {
    current: ctx.secrets.open(place, row.sealed),
    createdAt: row.createdAt,
    previous,
    previousUntil: previous === undefined ? undefined : row.previousUntil!,
  }
}

/** One that was sealed with a key that is lost cannot sign; rotating must get an account out of that. */
function openIfPossible({ secrets, failures }: SecretCtx, place: string, sealed: string): string | undefined {
  try {
    return secrets.open(place, sealed)
  } catch (error) {
    return failures.lost('webhooks.previous-secret')(error)
  }
}

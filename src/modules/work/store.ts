import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import type { Failures } from '../../kernel/failures.ts'
import { formatWork, workValue } from '../../kernel/nano/work.ts'
import { type Clock } from '../../kernel/ports.ts'
import { type FoundWork } from '../../kernel/work-port.ts'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'

const REMEMBERED_MAX = 20_000
const HOUR = 3_600_000
/** A repeated request comes soon. */
const ANY_ROOT_KEPT = 24 * HOUR
/** The next block of an account may come weeks later, so its work is kept longer. */
const OWN_ROOT_KEPT = 30 * 24 * HOUR

/** Known work: the latest in memory, all of it in the store, where other instances find it too. */
export class StoredWorks {
  readonly #db: Db
  readonly #clock: Clock
  readonly #lost: (error: unknown) => undefined
  readonly #latest = new Map<string, FoundWork>()

  constructor({ db, clock, failures }: { db: Db; clock: Clock; failures: Failures }) {
    this.#db = db
    this.#clock = clock
    this.#lost = failures.lost('work.ready')
  }

  /** Returns at once for work in memory; work below the threshold is not returned. */
  find(root: string, threshold: bigint): FoundWork | undefined | Promise<FoundWork | undefined> {
    const known = this.#latest.get(root)
    // Another instance may have given out prepared work since, so the store decides.
    if (known && known.value >= threshold && known.prepared !== true) return known
    return findWork(this.#db, root, this.#clock.now()).then(
      (stored) => {
        // Stored values are recomputed before they are trusted.
        if (!stored || workValue(root, stored.work) !== stored.value) return undefined
        this.#remember(root, stored)
        return stored.value >= threshold ? stored : undefined
      },
      // When the store fails, the work can still be searched for again.
      this.#lost,
    )
  }

  /** Stores work; `account` is the one whose next block has this root, or null. */
  async keep(root: string, { work, value }: FoundWork, account: string | null): Promise<void> {
    const found = { work, value, prepared: account !== null }
    this.#remember(root, found)
    const now = this.#clock.now()
    const expiresAt = now + (account === null ? ANY_ROOT_KEPT : OWN_ROOT_KEPT)
    await saveWork(this.#db, { root, ...found, account, now, expiresAt }).catch(this.#lost)
  }

  /** Marks stored work as being for an account's next block. */
  async assign(root: string, account: string): Promise<void> {
    const expiresAt = this.#clock.now() + OWN_ROOT_KEPT
    await assignWork(this.#db, { root, account, expiresAt }).catch(this.#lost)
  }

  /** Records that prepared work was given out: from now on it counts as ordinary work. */
  async markAsked(root: string): Promise<void> {
    const known = this.#latest.get(root)
    if (known) this.#latest.set(root, { ...known, prepared: false })
    await markAsked(this.#db, root)
  }

  /** An account has moved on to another root. */
  async forget(account: string, oldRoot: string | undefined, newRoot: string): Promise<void> {
    if (oldRoot !== undefined) this.#latest.delete(oldRoot)
    await deleteStaleWorks(this.#db, account, newRoot).catch(this.#lost)
  }

  #remember(root: string, found: FoundWork): void {
    const known = this.#latest.get(root)
    if (known && known.value >= found.value && known.prepared === found.prepared) return
    this.#latest.delete(root)
    this.#latest.set(root, found)
    if (this.#latest.size > REMEMBERED_MAX) this.#latest.delete(this.#latest.keys().next().value!)
  }
}

interface StoredWork extends FoundWork {
  root: string
  account: string | null
}

/** The stored work of a root, whatever its value. */
async function findWork(db: Db, root: string, now: number): Promise<FoundWork | undefined> {
  const row = await db
    .selectFrom('works')
    .select(['work', 'value', 'prepared'])
    .where('root', '=', root)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && { work: row.work, value: BigInt(`0x${row.value}`), prepared: row.prepared === 1 }
}

/** Stores work; for a known root, keeps the stronger. */
export async function saveWork(
  db: Db,
  { root, work, value, prepared = false, account, now, expiresAt }: StoredWork & { now: number; expiresAt: number },
): Promise<void> {
  await db
    .insertInto('works')
    .values({
      root,
      work,
      value: formatWork(value),
      account,
      prepared: prepared ? 1 : 0,
      created_at: now,
      expires_at: expiresAt,
    })
    .onConflict((conflict) =>
      conflict
        .column('root')
        .doUpdateSet(({ eb, ref, fn }) => ({
          work: ref('excluded.work'),
          value: ref('excluded.value'),
          prepared: ref('excluded.prepared'),
          account: fn.coalesce('excluded.account', 'works.account'),
          // Work for an account's next block keeps its later expiry, even when another search finds stronger work.
          expires_at: eb
            .case()
            .when(ref('works.expires_at'), '>', ref('excluded.expires_at'))
            .then(ref('works.expires_at'))
            .else(ref('excluded.expires_at'))
            .end(),
        }))
        .where(({ or, eb, ref }) =>
          or([eb('excluded.value', '>', ref('works.value')), eb('works.expires_at', '<=', now)]),
        ),
    )
    .execute()
}

/** Marks known work as being for an account's next block. */
async function assignWork(
  db: Db,
  { root, account, expiresAt }: { root: string; account: string; expiresAt: number },
): Promise<void> {
  await db.updateTable('works').set({ account, expires_at: expiresAt }).where('root', '=', root).execute()
}

/** Prepared work that was given out becomes ordinary work. */
async function markAsked(db: Db, root: string): Promise<void> {
  await db.updateTable('works').set({ prepared: 0 }).where('root', '=', root).execute()
}

/** Deletes work for earlier roots of an account, which is useless now. */
async function deleteStaleWorks(db: Db, account: string, root: string): Promise<void> {
  await db.deleteFrom('works').where('account', '=', account).where('root', '!=', root).execute()
}

/** The accounts for which work is stored, with the roots of their next blocks; the latest first. */
export async function listPrepared(db: Db, now: number, limit: number): Promise<{ account: string; root: string }[]> {
  const rows = await db
    .selectFrom('works')
    .select(['account', 'root'])
    .where('account', 'is not', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ account, root }) => ({ account: account!, root }))
}

export function deleteExpiredWorks(db: Db, now: number, limit = STEP_ROWS): Promise<number> {
  return deleteSome(db, { from: 'works', key: ['root'], where: sql`expires_at <= ${now}`, limit })
}

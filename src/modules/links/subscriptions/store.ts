import { type RecordIn, type RowIn, columns, plain } from '../../../kernel/resource/columns.ts'
import type { Db } from '../../../kernel/db.ts'
import { behind } from '../../../kernel/paging.ts'
import type { Every } from './periods.ts'

/** A subscriber of a link. */
const SUBSCRIPTION = columns({
  id: plain<string>(),
  linkId: plain<string>(),
  owner: plain<string>(),
  /** The payer's address; null once it was deleted. */
  email: plain<string | null>(),
  /** The language of its mails. */
  language: plain<string>(),
  /** The title of the chosen plan; null where there is a single price. */
  plan: plain<string | null>(),
  every: plain<Every>(),
  graceDays: plain<number>(),
  /** `pending` until its first payment. */
  status: plain<'pending' | 'active' | 'due' | 'lapsed' | 'ended'>(),
  /** When the first period began, and how many were paid since. */
  beganAt: plain<number | null>(),
  periods: plain<number>(),
  paidUntil: plain<number | null>(),
  /** The last checkout that paid for it. */
  checkoutId: plain<string | null>(),
  createdAt: plain<number>(),
  endedAt: plain<number | null>(),
})

export type Subscription = RecordIn<typeof SUBSCRIPTION>
export interface SubscriptionsTable extends RowIn<typeof SUBSCRIPTION> {
  /** When the job has something to do for it. */
  due_at: number | null
}
const toSubscription = SUBSCRIPTION.toRecord

export async function insertSubscription(db: Db, subscription: Subscription, dueAt: number): Promise<void> {
  await db
    .insertInto('subscriptions')
    .values({ ...SUBSCRIPTION.toRow(subscription), due_at: dueAt })
    .execute()
}

export async function findSubscription(db: Db, id: string): Promise<Subscription | undefined> {
  const row = await db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toSubscription(row)
}

/** Leaves out subscriptions that were never paid. */
export async function findOwnSubscription(
  db: Db,
  { id, owner }: { id: string; owner: string },
): Promise<Subscription | undefined> {
  const row = await db
    .selectFrom('subscriptions')
    .selectAll()
    .where('id', '=', id)
    .where('owner', '=', owner)
    .where('status', '<>', 'pending')
    .executeTakeFirst()
  return row && toSubscription(row)
}

/** The owner and the link that a merchant's request requires. */
interface Held {
  owner?: string | undefined
  linkId?: string | undefined
}

/** Locks a subscription until the transaction ends, so that payments, time and its ending are handled one after another. */
export async function lockSubscription(
  db: Db,
  id: string,
  { owner, linkId }: Held = {},
): Promise<Subscription | undefined> {
  let query = db
    .updateTable('subscriptions')
    .set(({ ref }) => ({ periods: ref('periods') }))
    .where('id', '=', id)
  if (owner !== undefined) query = query.where('owner', '=', owner)
  if (linkId !== undefined) query = query.where('link_id', '=', linkId)
  const row = await query.returningAll().executeTakeFirst()
  return row && toSubscription(row)
}

/** The statuses that merchants see, without those of subscriptions never paid. */
export const SHOWN_STATUSES = ['active', 'due', 'lapsed', 'ended'] as const

interface Page {
  owner: string
  linkId?: string | undefined
  status?: (typeof SHOWN_STATUSES)[number] | undefined
  limit: number
  after?: { createdAt: number; id: string } | undefined
}

/** Subscriptions of an account, or of one link, that were paid at least once, newest first. */
export async function listSubscriptions(
  db: Db,
  { owner, linkId, status, limit, after }: Page,
): Promise<Subscription[]> {
  let query = db.selectFrom('subscriptions').selectAll().where('owner', '=', owner)
  if (linkId !== undefined) query = query.where('link_id', '=', linkId)
  query = status === undefined ? query.where('status', '<>', 'pending') : query.where('status', '=', status)
  if (after) query = query.where(behind(['created_at', 'desc', after.createdAt], ['id', 'desc', after.id]))
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(toSubscription)
}

/** Subscriptions for which a time has come. */
export async function listDueSubscriptions(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('id')
    .where('due_at', 'is not', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

interface Move {
  status: Subscription['status']
  dueAt: number | null
  beganAt?: number
  periods?: number
  paidUntil?: number
  checkoutId?: string
  endedAt?: number
  forgets?: true
}

/** Moves a subscription from exactly the state the caller saw, in one statement: of two such callers, one succeeds. */
export async function markSubscription(
  db: Db,
  { id, status, periods }: Pick<Subscription, 'id' | 'status' | 'periods'>,
  move: Move,
): Promise<Subscription | undefined> {
  const row = await db
    .updateTable('subscriptions')
    .set({
      status: move.status,
      due_at: move.dueAt,
      ...(move.beganAt !== undefined && { began_at: move.beganAt }),
      ...(move.periods !== undefined && { periods: move.periods }),
      ...(move.paidUntil !== undefined && { paid_until: move.paidUntil }),
      ...(move.checkoutId !== undefined && { checkout_id: move.checkoutId }),
      ...(move.endedAt !== undefined && { ended_at: move.endedAt }),
      ...(move.forgets && { email: null }),
    })
    .where('id', '=', id)
    .where('status', '=', status)
    .where('periods', '=', periods)
    .returningAll()
    .executeTakeFirst()
  return row && toSubscription(row)
}

/** Deletes a subscription that was never paid. */
export async function deletePending(db: Db, id: string): Promise<void> {
  await db.deleteFrom('subscriptions').where('id', '=', id).where('status', '=', 'pending').execute()
}

/** Sets the next look, because its account is suspended or something failed. */
export async function postponeSubscription(db: Db, id: string, dueAt: number): Promise<void> {
  await db
    .updateTable('subscriptions')
    .set({ due_at: dueAt })
    .where('id', '=', id)
    .where('due_at', 'is not', null)
    .execute()
}

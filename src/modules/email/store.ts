import { type RecordIn, type RowIn, columns, named, plain, raw } from '../../kernel/resource/columns.ts'
import type { Selectable } from 'kysely'
import { behind } from '../../kernel/paging.ts'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { Db } from '../../kernel/db.ts'

/** Nano sent to email addresses. A wallet of its own takes the funding; unclaimed shares go to the refund address. */
const PAYMENT = columns({
  id: plain<string>(),
  accountId: plain<string>(),
  walletId: plain<string>(),
  address: plain<string>(),
  refundAddress: plain<string>(),
  status: plain<'waiting' | 'funded' | 'completed' | 'expired'>(),
  /** The sum of the shares; the fee is added to it. */
  subtotal: named('subtotal_raw', raw()),
  fee: named('fee_raw', raw()),
  recipients: plain<number>(),
  /** The sender's name and message, as the sender wrote them. */
  sender: plain<string | null>(),
  message: plain<string | null>(),
  /** Encrypted email address for receipts. */
  receipt: plain<string | null>(),
  /** How long shares can be claimed, in milliseconds from the funding. */
  lifetimeMilliseconds: named('lifetime', plain<number>()),
  /** How many returns of surplus there were. */
  returns: plain<number>(),
  createdAt: plain<number>(),
  fundBy: plain<number>(),
  fundedAt: plain<number | null>(),
  expiresAt: plain<number | null>(),
  /** When its owner asked to end it. */
  cancelledAt: plain<number | null>(),
  endedAt: plain<number | null>(),
})

export interface EmailPaymentsTable extends RowIn<typeof PAYMENT> {
  /** When names and addresses were deleted. */
  forgotten_at: number | null
  /** When the job must look at it again; null once it is over. */
  due_at: number | null
  /** The refund that is claimed by its link alone: no mail is sent, and lists of email payments leave it out. */
  link_for: string | null
}

export type EmailStatus = EmailPaymentsTable['status']

export interface EmailPayment extends RecordIn<typeof PAYMENT> {
  /** What the wallet must hold: subtotal plus fee. */
  total: Raw
  /** True for a refund that is claimed through a link; false for an email payment. */
  isRefund: boolean
}

function toPayment(row: Selectable<EmailPaymentsTable>): EmailPayment {
  const payment = PAYMENT.toRecord(row)
  return { ...payment, total: toRaw(payment.subtotal + payment.fee), isRefund: row.link_for !== null }
}

const UNFUNDED = {
  status: 'waiting',
  returns: 0,
  fundedAt: null,
  expiresAt: null,
  cancelledAt: null,
  endedAt: null,
} as const

type NewEmailPayment = Omit<EmailPayment, keyof typeof UNFUNDED | 'total' | 'isRefund'> & {
  dueAt: number
  linkFor?: string
}

export async function insertPayment(db: Db, payment: NewEmailPayment): Promise<void> {
  await db
    .insertInto('email_payments')
    .values({
      ...PAYMENT.toRow({ ...payment, ...UNFUNDED }),
      forgotten_at: null,
      due_at: payment.dueAt,
      link_for: payment.linkFor ?? null,
    })
    .execute()
}

export async function findEmailPayment(db: Db, id: string): Promise<EmailPayment | undefined> {
  const row = await db.selectFrom('email_payments').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toPayment(row)
}

export async function findOwnPayment(db: Db, accountId: string, id: string): Promise<EmailPayment | undefined> {
  const row = await db
    .selectFrom('email_payments')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row && toPayment(row)
}

interface EmailPaymentFilter {
  accountId: string
  status?: EmailStatus | undefined
  limit: number
  /** The last payment of the previous page. */
  after?: { createdAt: number; id: string } | undefined
}

/** An account's payments, newest first. Pages stay stable while new ones are added. */
export async function listEmailPayments(
  db: Db,
  { accountId, status, limit, after }: EmailPaymentFilter,
): Promise<EmailPayment[]> {
  let query = db
    .selectFrom('email_payments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('link_for', 'is', null)
  if (status !== undefined) query = query.where('status', '=', status)
  if (after) query = query.where(behind(['created_at', 'desc', after.createdAt], ['id', 'desc', after.id]))
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(toPayment)
}

/** How many recipients an account has added since a time, and when the first of these was added. */
export async function countRecipientsSince(
  db: Db,
  accountId: string,
  since: number,
): Promise<{ count: number; first: number | undefined }> {
  const row = await db
    .selectFrom('email_payments')
    .select(({ fn }) => [fn.sum('recipients').as('count'), fn.min('created_at').as('first')])
    .where('account_id', '=', accountId)
    .where('link_for', 'is', null)
    .where('created_at', '>', since)
    .executeTakeFirst()
  return { count: Number(row?.count ?? 0), first: row?.first === null ? undefined : Number(row?.first) }
}

/** Payments that the job must look at now. */
export async function listDuePayments(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('email_payments')
    .select('id')
    .where('due_at', 'is not', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Locks an open payment until the transaction ends.
 * Every change of it or its shares begins with this lock, so that transactions cannot deadlock.
 */
export async function lockOpenPayment(db: Db, id: string, dueAt: number): Promise<EmailPayment | undefined> {
  const row = await db
    .updateTable('email_payments')
    .set({ due_at: dueAt })
    .where('id', '=', id)
    .where('status', 'in', ['waiting', 'funded'])
    .returningAll()
    .executeTakeFirst()
  return row && toPayment(row)
}

/** Sets the next look after a failure. */
export async function postponePayment(db: Db, id: string, dueAt: number): Promise<void> {
  await db
    .updateTable('email_payments')
    .set({ due_at: dueAt })
    .where('id', '=', id)
    .where('due_at', 'is not', null)
    .execute()
}

/** Records that its owner wants it to end; false when it has ended already or belongs to another account. */
export async function markCancelled(
  db: Db,
  { id, accountId, now }: { id: string; accountId: string; now: number },
): Promise<EmailStatus | undefined> {
  const row = await db
    .updateTable('email_payments')
    .set({ cancelled_at: now, due_at: now })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('status', 'in', ['waiting', 'funded'])
    .returning('status')
    .executeTakeFirst()
  return row?.status
}

export async function markFunded(
  db: Db,
  id: string,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<boolean> {
  return move(db, id, 'waiting', { status: 'funded', funded_at: now, expires_at: expiresAt })
}

export async function markExpired(db: Db, id: string, now: number): Promise<boolean> {
  return move(db, id, 'waiting', { status: 'expired', ended_at: now, due_at: null })
}

export async function markCompleted(db: Db, id: string, now: number): Promise<boolean> {
  return move(db, id, 'funded', { status: 'completed', ended_at: now, due_at: null })
}

async function move(
  db: Db,
  id: string,
  from: EmailStatus,
  change: Partial<Pick<EmailPaymentsTable, 'status' | 'funded_at' | 'expires_at' | 'ended_at' | 'due_at'>>,
): Promise<boolean> {
  const won = await db
    .updateTable('email_payments')
    .set(change)
    .where('id', '=', id)
    .where('status', '=', from)
    .returning('id')
    .executeTakeFirst()
  return won !== undefined
}

/** Counts returns, so that each has a payment reference of its own. */
export async function countReturn(db: Db, id: string): Promise<void> {
  await db
    .updateTable('email_payments')
    .set(({ eb }) => ({ returns: eb('returns', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Payments that ended before a time and still contain addresses. */
export async function listForgettable(db: Db, endedBefore: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('email_payments')
    .select('id')
    .where('ended_at', 'is not', null)
    .where('forgotten_at', 'is', null)
    .where('ended_at', '<', endedBefore)
    .orderBy('ended_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export async function markForgotten(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('email_payments')
    .set({ sender: null, message: null, receipt: null, forgotten_at: now })
    .where('id', '=', id)
    .execute()
}

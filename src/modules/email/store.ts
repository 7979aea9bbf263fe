import type { Selectable } from 'kysely'
import { behind } from '../../kernel/paging.ts'
import { type Raw, toRaw } from '../../kernel/money.ts'
import type { EmailPaymentsTable } from './tables.ts'
import type { Db } from '../../kernel/db.ts'

export type EmailStatus = EmailPaymentsTable['status']

export interface EmailPayment {
  id: string
  accountId: string
  walletId: string
  address: string
  refundAddress: string
  status: EmailStatus
  subtotal: Raw
  fee: Raw
  /** What the wallet must hold: subtotal plus fee. */
  total: Raw
  recipients: number
  sender: string | null
  message: string | null
  /** True for a refund that is claimed through a link; false for an email payment. */
  isRefund: boolean
  receipt: string | null
  lifetimeMilliseconds: number
  returns: number
  createdAt: number
  fundBy: number
  fundedAt: number | null
  expiresAt: number | null
  cancelledAt: number | null
  endedAt: number | null
}

function toPayment(row: Selectable<EmailPaymentsTable>): EmailPayment {
  const subtotal = toRaw(BigInt(row.subtotal_raw))
  const fee = toRaw(BigInt(row.fee_raw))
  return {
    id: row.id,
    accountId: row.account_id,
    walletId: row.wallet_id,
    address: row.address,
    refundAddress: row.refund_address,
    status: row.status,
    subtotal,
    fee,
    total: toRaw(subtotal + fee),
    recipients: row.recipients,
    sender: row.sender,
    message: row.message,
    isRefund: row.link_for !== null,
    receipt: row.receipt,
    lifetimeMilliseconds: row.lifetime,
    returns: row.returns,
    createdAt: row.created_at,
    fundBy: row.fund_by,
    fundedAt: row.funded_at,
    expiresAt: row.expires_at,
    cancelledAt: row.cancelled_at,
    endedAt: row.ended_at,
  }
}

type NewEmailPayment = Omit<
  EmailPayment,
  'status' | 'total' | 'isRefund' | 'returns' | 'fundedAt' | 'expiresAt' | 'cancelledAt' | 'endedAt'
> & { dueAt: number; linkFor?: string }

export async function insertPayment(db: Db, payment: NewEmailPayment): Promise<void> {
  await db
    .insertInto('email_payments')
    .values({
      id: payment.id,
      account_id: payment.accountId,
      wallet_id: payment.walletId,
      address: payment.address,
      refund_address: payment.refundAddress,
      status: 'waiting',
      subtotal_raw: payment.subtotal.toString(),
      fee_raw: payment.fee.toString(),
      recipients: payment.recipients,
      sender: payment.sender,
      message: payment.message,
      receipt: payment.receipt,
      lifetime: payment.lifetimeMilliseconds,
      returns: 0,
      created_at: payment.createdAt,
      fund_by: payment.fundBy,
      funded_at: null,
      expires_at: null,
      cancelled_at: null,
      ended_at: null,
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

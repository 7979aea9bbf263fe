import {
  type RecordIn,
  type RowIn,
  columns,
  big,
  named,
  orUndefined,
  plain,
  raw,
} from '../../../kernel/resource/columns.ts'
import type { Db } from '../../../kernel/db.ts'
import { type StoreEngine, sumRaw } from '../../../kernel/dialect.ts'
import { behind } from '../../../kernel/paging.ts'
import type { Checkout } from '../record.ts'

export type RefundStatus = 'created' | 'sending' | 'sent' | 'failed' | 'claimed'

/** A merchant's refund of a checkout, paid by one send of a wallet. */
const REFUND = columns({
  id: plain<string>(),
  checkoutId: plain<string>(),
  owner: plain<string>(),
  /** By link, `sent` means that the money waits behind the link, and `claimed` that the payer has it. */
  status: plain<RefundStatus>(),
  as: named('given_as', plain<'send' | 'link'>()),
  /** What the request asked for: everything, an amount of nano, or one of a currency. The same again within a minute is the same refund. */
  asked: plain<string>(),
  /** The Idempotency-Key of the request with its owner; it stays bound to this refund for ever. */
  reference: plain<string | null>(),
  amountRaw: raw(),
  /** The part that was paid beyond the price. */
  excessRaw: raw(),
  currency: plain<string>(),
  /** The part of a fiat price that it refunds, in units of 10^-8; null where the price is in nano. */
  fiatE8: orUndefined(big()),
  rate: plain<string | null>(),
  rateSource: plain<string | null>(),
  /** The recipient; null for a link that was not claimed. */
  address: plain<string | null>(),
  /** The wallet that pays. */
  walletId: plain<string>(),
  from: named('from_address', plain<string>()),
  /** The send in that wallet's outbox. */
  blockId: plain<string>(),
  hash: plain<string | null>(),
  /** The claim that its link opens. */
  claimId: plain<string | null>(),
  reason: plain<string | null>(),
  failure: plain<string | null>(),
  createdAt: plain<number>(),
  sentAt: plain<number | null>(),
  endedAt: plain<number | null>(),
})

export type Refund = RecordIn<typeof REFUND>
export interface CheckoutRefundsTable extends RowIn<typeof REFUND> {
  /** When the job looks at it again; null once it is over. */
  due_at: number | null
}
export const toRefund = REFUND.toRecord

/**
 * Raises or lowers a checkout's refunded sum, provided that both that sum and the paid sum are exactly as the caller saw them: whatever
 * else happens at the same time, never more is refunded than was paid.
 */
export async function moveRefunded(
  db: Db,
  { id, paidRaw, refundedRaw }: Pick<Checkout, 'id' | 'paidRaw' | 'refundedRaw'>,
  change: bigint,
): Promise<boolean> {
  const to = refundedRaw + change
  if (to < 0n || to > paidRaw) return false
  const row = await db
    .updateTable('checkouts')
    .set({ refunded_raw: to.toString() })
    .where('id', '=', id)
    .where('refunded_raw', '=', refundedRaw.toString())
    .where('paid_raw', '=', paidRaw.toString())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function insertRefund(db: Db, refund: Refund, dueAt: number): Promise<void> {
  await db
    .insertInto('checkout_refunds')
    .values({ ...REFUND.toRow(refund), due_at: dueAt })
    .execute()
}

export async function findRefund(db: Db, id: string): Promise<Refund | undefined> {
  const row = await db.selectFrom('checkout_refunds').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRefund(row)
}

export async function findRefundByReference(db: Db, reference: string): Promise<Refund | undefined> {
  const row = await db.selectFrom('checkout_refunds').selectAll().where('reference', '=', reference).executeTakeFirst()
  return row && toRefund(row)
}

interface SameRefund extends Pick<Refund, 'checkoutId' | 'asked' | 'as' | 'reason'> {
  amountRaw: bigint
  /** The recipient of a send; undefined for a link, and where the recipient is not known. */
  address: string | undefined
  since: number
}

/** Finds a refund of the same amount, address, form and reason, requested since a given time and not failed. */
export async function findSameRefund(
  db: Db,
  { checkoutId, asked, amountRaw, as, address, reason, since }: SameRefund,
): Promise<Refund | undefined> {
  const row = await db
    .selectFrom('checkout_refunds')
    .selectAll()
    .where('checkout_id', '=', checkoutId)
    .where('created_at', '>', since)
    .where('status', '<>', 'failed')
    .where((where) => where.or([where('asked', '=', asked), where('amount_raw', '=', amountRaw.toString())]))
    .where('given_as', '=', as)
    .where((where) => (reason === null ? where('reason', 'is', null) : where('reason', '=', reason)))
    // The address of a refund by link is its claimant's, so it is not compared.
    .where((where) => where.or([where('given_as', '=', 'link'), where('address', '=', address ?? '')]))
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return row && toRefund(row)
}

const LISTED_MAX = 500

/** The refunds of these checkouts, oldest first. */
export async function listRefunds(db: Db, checkoutIds: readonly string[]): Promise<Refund[]> {
  if (checkoutIds.length === 0) return []
  const rows = await db
    .selectFrom('checkout_refunds')
    .selectAll()
    .where('checkout_id', 'in', [...checkoutIds])
    .orderBy('created_at')
    .orderBy('id')
    .limit(LISTED_MAX * Math.max(1, checkoutIds.length))
    .execute()
  return rows.map(toRefund)
}

/** Refunds that were sent or wait behind a link, newest first, page by page. */
export async function listExportedRefunds(
  db: Db,
  { owner, after, limit }: { owner: string | undefined; after: Refund | undefined; limit: number },
): Promise<Refund[]> {
  let query = db.selectFrom('checkout_refunds').selectAll().where('status', 'in', ['sent', 'claimed'])
  if (owner !== undefined) query = query.where('owner', '=', owner)
  if (after) query = query.where(behind(['created_at', 'desc', after.createdAt], ['id', 'desc', after.id]))
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map(toRefund)
}

interface RefundMove {
  status: RefundStatus
  hash?: string
  address?: string
  failure?: string
  sentAt?: number
  endedAt?: number
  /** Null: the job need not look at it any more. */
  dueAt: number | null
}

/** Moves a refund from one state to another in one statement: of two callers that saw the same state, one succeeds. */
export async function markRefund(db: Db, { id, status }: Refund, move: RefundMove): Promise<Refund | undefined> {
  const row = await db
    .updateTable('checkout_refunds')
    .set({
      status: move.status,
      due_at: move.dueAt,
      ...(move.hash !== undefined && { hash: move.hash }),
      ...(move.address !== undefined && { address: move.address }),
      // No money moved, so the same key may be used again.
      ...(move.failure !== undefined && { failure: move.failure, reference: null }),
      ...(move.sentAt !== undefined && { sent_at: move.sentAt }),
      ...(move.endedAt !== undefined && { ended_at: move.endedAt }),
    })
    .where('id', '=', id)
    .where('status', '=', status)
    .returningAll()
    .executeTakeFirst()
  return row && toRefund(row)
}

/** Lists the refunds that the job must look at now. */
export async function listDueRefunds(db: Db, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('checkout_refunds')
    .select('id')
    .where('due_at', 'is not', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Sets the next look, because nothing has changed or something failed. */
export async function postponeRefund(db: Db, id: string, dueAt: number): Promise<void> {
  await db
    .updateTable('checkout_refunds')
    .set({ due_at: dueAt })
    .where('id', '=', id)
    .where('due_at', 'is not', null)
    .execute()
}

/** The columns of sums over refunds that did not fail. */
export const sumsOf = (engine: StoreEngine) =>
  [
    sumRaw(engine, 'checkout_refunds.amount_raw').as('raw'),
    sumRaw(engine, 'checkout_refunds.fiat_e8').as('e8'),
  ] as const

/** The sums refunded so far, of the price and beyond it. */
export async function sumGivenBack(
  db: Db,
  engine: StoreEngine,
  checkoutId: string,
): Promise<{ e8: bigint; excessRaw: bigint }> {
  const row = await db
    .selectFrom('checkout_refunds')
    .select([
      sumRaw(engine, 'checkout_refunds.fiat_e8').as('e8'),
      sumRaw(engine, 'checkout_refunds.excess_raw').as('excess'),
    ])
    .where('checkout_id', '=', checkoutId)
    .where('status', '<>', 'failed')
    .executeTakeFirstOrThrow()
  return { e8: BigInt(row.e8), excessRaw: BigInt(row.excess) }
}

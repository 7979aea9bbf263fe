import { type RecordIn, type RowIn, columns, named, plain } from '../../kernel/resource/columns.ts'
import { sql } from 'kysely'
import { STEP_ROWS, deleteSome } from '../../kernel/retention.ts'
import { isUniqueViolation } from '../../kernel/dialect.ts'
import type { Db } from '../../kernel/db.ts'
import { type Given, prepared } from '../../kernel/prepared.ts'

/** A payment by request, stored before it is sent and identified by the hash of its block. */
const PAYMENT = columns({
  hash: named('block_hash', plain<string>()),
  /** The signed block in the node's form; every repetition sends exactly this. */
  blockJson: plain<string>(),
  network: plain<string>(),
  payer: plain<string>(),
  previous: plain<string>(),
  amount: named('amount_raw', plain<string>()),
  payTo: plain<string>(),
  action: plain<string>(),
  /** The request with which it was first presented; it pays for no other. */
  fingerprint: named('body_fingerprint', plain<string>()),
  state: plain<'claimed' | 'pending' | 'settled' | 'action_failed' | 'served' | 'rejected'>(),
  /** Changes with every claim, so that a process that has lost its claim cannot change the state. */
  fence: plain<number>(),
  /** When the claim expires. After that another process may claim the payment. */
  leaseUntil: plain<number | null>(),
  answer: plain<string | null>(),
})

export type StoredPayment = RecordIn<typeof PAYMENT>
export type PaymentState = StoredPayment['state']
/** What a payment was presented for; never changes. */
export type NewPayment = Omit<StoredPayment, 'state' | 'fence' | 'leaseUntil' | 'answer'>
export interface X402PaymentsTable extends RowIn<typeof PAYMENT> {
  created_at: number
  updated_at: number
}
const toPayment = PAYMENT.toRecord

/** The exclusive right to work on a payment; a later claim ends it. */
export interface Claim {
  hash: string
  fence: number
}

export async function findPayment(db: Db, hash: string): Promise<StoredPayment | undefined> {
  const row = await db.selectFrom('x402_payments').selectAll().where('block_hash', '=', hash).executeTakeFirst()
  return row && toPayment(row)
}

/** Stored in place of an action for payments to other services; no action has this name. */
export const FOR_OTHERS = '(facilitator)'

/**
 * Where a block was presented, which is stored before it is sent: for a request here, which it pays and nothing else, or to the
 * facilitator, by anybody who has seen it.
 */
export async function findPresented(db: Db, hash: string): Promise<'here' | 'facilitator' | undefined> {
  const [row] = await selectPresented(db, { hash })
  return row && (row.action === FOR_OTHERS ? 'facilitator' : 'here')
}

const selectPresented = prepared((db, given: Given<{ hash: string }>) =>
  db.selectFrom('x402_payments').select('action').where('block_hash', '=', given('hash')),
)

/** The payment in progress on a frontier. */
export async function findUnderWay(db: Db, payer: string, previous: string): Promise<StoredPayment | undefined> {
  const row = await db
    .selectFrom('x402_payments')
    .selectAll()
    .where('payer', '=', payer)
    .where('previous', '=', previous)
    // A literal instead of a parameter, so that the partial index of such rows is used.
    .where(sql<boolean>`state in ('claimed', 'pending')`)
    .executeTakeFirst()
  return row && toPayment(row)
}

/** Claims a new payment; undefined when the block is known already, or another one is in progress on its frontier. */
export async function insertClaim(
  db: Db,
  payment: NewPayment,
  { now, leaseUntil }: { now: number; leaseUntil: number },
): Promise<Claim | undefined> {
  const row = await db
    .insertInto('x402_payments')
    .values({
      ...PAYMENT.toRow({ ...payment, state: 'claimed', fence: 1, leaseUntil, answer: null }),
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('fence')
    .executeTakeFirst()
  return row && { hash: payment.hash, fence: row.fence }
}

/**
 * Takes over a payment on which no process works, in any state; a rejected one becomes claimed again. Undefined when another process was first,
 * or another block is in progress on its frontier.
 */
export async function takeOver(
  db: Db,
  { hash, fence, state }: StoredPayment,
  { now, leaseUntil }: { now: number; leaseUntil: number },
): Promise<Claim | undefined> {
  try {
    const row = await db
      .updateTable('x402_payments')
      .set({
        state: state === 'rejected' ? 'claimed' : state,
        fence: fence + 1,
        lease_until: leaseUntil,
        updated_at: now,
      })
      .where('block_hash', '=', hash)
      .where('fence', '=', fence)
      .where('state', '=', state)
      .where((is) => is.or([is('lease_until', 'is', null), is('lease_until', '<=', now)]))
      .returning('fence')
      .executeTakeFirst()
    return row && { hash, fence: row.fence }
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}

/** Extends this process's claim; false when the claim was lost. */
export async function renewClaim(db: Db, { hash, fence }: Claim, leaseUntil: number): Promise<boolean> {
  const row = await db
    .updateTable('x402_payments')
    .set({ lease_until: leaseUntil })
    .where('block_hash', '=', hash)
    .where('fence', '=', fence)
    .returning('fence')
    .executeTakeFirst()
  return row !== undefined
}

/** Ends a claim without changing the state. */
export async function dropClaim(db: Db, { hash, fence }: Claim): Promise<void> {
  await db
    .updateTable('x402_payments')
    .set({ lease_until: null })
    .where('block_hash', '=', hash)
    .where('fence', '=', fence)
    .execute()
}

/** Changes a payment's state under a claim; false when the claim was lost or the state has changed. */
export async function markState(
  db: Db,
  { hash, fence }: Claim,
  { from, to, answer, now }: { from: readonly PaymentState[]; to: PaymentState; answer?: string; now: number },
): Promise<boolean> {
  const row = await db
    .updateTable('x402_payments')
    .set({ state: to, updated_at: now, ...(answer !== undefined && { answer }) })
    .where('block_hash', '=', hash)
    .where('fence', '=', fence)
    .where('state', 'in', from)
    .returning('fence')
    .executeTakeFirst()
  return row !== undefined
}

/** Rejects a payment in progress on which no process works; false when one does. */
export async function releaseAbandoned(db: Db, { hash, fence }: StoredPayment, now: number): Promise<boolean> {
  const row = await db
    .updateTable('x402_payments')
    .set({ state: 'rejected', fence: fence + 1, updated_at: now })
    .where('block_hash', '=', hash)
    .where('fence', '=', fence)
    .where('state', 'in', ['claimed', 'pending'])
    .where((is) => is.or([is('lease_until', 'is', null), is('lease_until', '<=', now)]))
    .returning('fence')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes answers first, and rows of finished payments later. A payment that was not served stays for ever. */
export async function forgetPayments(
  db: Db,
  { answersUntil, rowsUntil, limit = STEP_ROWS }: { answersUntil: number; rowsUntil: number; limit?: number },
): Promise<number> {
  // Does not use the index of states, which holds all stored payments: few of them have an answer.
  const isOld = sql<boolean>`answer is not null and updated_at <= ${answersUntil} and lower(state) = 'served'`
  const { numUpdatedRows } = await db
    .updateTable('x402_payments')
    .set({ answer: null })
    .where('block_hash', 'in', (query) =>
      query.selectFrom('x402_payments').select('block_hash').where(isOld).limit(limit),
    )
    .where(isOld)
    .executeTakeFirst()
  const where = sql<boolean>`state in ('served', 'rejected') and updated_at <= ${rowsUntil}`
  const deleted = await deleteSome(db, { from: 'x402_payments', key: ['block_hash'], where, limit })
  return Math.max(Number(numUpdatedRows), deleted)
}

/** Terms that a payer may use for a while. */
interface Offer {
  action: string
  payTo: string
  amount: string
}

export async function saveOffer(db: Db, { action, payTo, amount }: Offer, expiresAt: number): Promise<void> {
  await db
    .insertInto('x402_offers')
    .values({ action, pay_to: payTo, amount_raw: amount, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict.columns(['action', 'pay_to', 'amount_raw']).doUpdateSet({ expires_at: expiresAt }),
    )
    .execute()
}

export async function isOffered(db: Db, { action, payTo, amount }: Offer, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('x402_offers')
    .select('action')
    .where('action', '=', action)
    .where('pay_to', '=', payTo)
    .where('amount_raw', '=', amount)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

export function deleteExpiredOffers(db: Db, now: number, limit = STEP_ROWS): Promise<number> {
  const key = ['action', 'pay_to', 'amount_raw'] as const
  return deleteSome(db, { from: 'x402_offers', key, where: sql`expires_at <= ${now}`, limit })
}

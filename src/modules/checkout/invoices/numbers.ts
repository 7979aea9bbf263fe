import type { Db } from '../../../kernel/db.ts'
import { type StoreEngine, jsonMember } from '../../../kernel/dialect.ts'
import { numberTaken } from '../errors.ts'
import type { Checkout } from '../record.ts'

const DIGITS = 6

const toNumber = (count: number) => `INV-${String(count).padStart(DIGITS, '0')}`

/** Numbers that the gateway assigns; a merchant's own number of this form could appear on two invoices. */
export const isGivenByUs = (number: string) => /^INV-[0-9]+$/i.test(number)

/**
 * Refuses a merchant's own number that another open or paid checkout of the account has, because two invoices would carry it. Call it in
 * the transaction that stores the checkout; of two at once, the second waits for the first.
 */
export async function requireFreeNumber(
  db: Db,
  engine: StoreEngine,
  { id, owner, invoice }: Pick<Checkout, 'id' | 'owner' | 'invoice'>,
): Promise<void> {
  if (invoice === null || invoice.number === null) return
  await db
    .insertInto('invoice_counters')
    .values({ owner, last: 0 })
    .onConflict((conflict) =>
      conflict.column('owner').doUpdateSet(({ ref }) => ({ last: ref('invoice_counters.last') })),
    )
    .execute()
  const other = await db
    .selectFrom('checkouts')
    .select('id')
    .where('owner', '=', owner)
    .where('invoice', 'is not', null)
    .where(jsonMember(engine, 'invoice', 'number'), '=', invoice.number)
    .where('id', '<>', id)
    .where('status', 'not in', ['expired', 'cancelled'])
    .executeTakeFirst()
  if (other) throw numberTaken(invoice.number, other.id)
}

/**
 * Assigns the number of an invoice in the transaction that completes its checkout: unpaid checkouts get none, and a transaction that
 * fails releases it. So the numbers of an account have no gaps.
 */
export async function takeInvoiceNumber(
  db: Db,
  { owner, invoice }: Pick<Checkout, 'owner' | 'invoice'>,
): Promise<{ invoiceNumber?: string }> {
  if (invoice === null) return {}
  if (invoice.number !== null) return { invoiceNumber: invoice.number }
  const row = await db
    .insertInto('invoice_counters')
    .values({ owner, last: 1 })
    .onConflict((conflict) =>
      conflict.column('owner').doUpdateSet(({ eb, ref }) => ({ last: eb(ref('invoice_counters.last'), '+', 1) })),
    )
    .returning('last')
    .executeTakeFirstOrThrow()
  return { invoiceNumber: toNumber(row.last) }
}

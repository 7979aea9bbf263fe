import type { Db } from '../../../kernel/db.ts'
import type { Checkout } from '../record.ts'

const DIGITS = 6

const toNumber = (count: number) => `INV-${String(count).padStart(DIGITS, '0')}`

/** Merchants may not use them: they would stand on two invoices. */
export const isGivenByUs = (number: string) => /^INV-[0-9]+$/i.test(number)

/**
 * The number of an invoice that is being paid, taken in the transaction that completes its checkout: what is not paid has
 * none, and a transaction that fails gives it back. So the numbers of an account have no holes.
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

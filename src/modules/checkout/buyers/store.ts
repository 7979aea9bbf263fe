import { type RecordIn, type RowIn, columns, plain } from '../../../kernel/resource/columns.ts'
import type { Db } from '../../../kernel/db.ts'
import { type Given, prepared } from '../../../kernel/prepared.ts'

/** Buyers, as the merchant or the payer has named them; each row is personal data. */
const BUYER = columns({
  checkoutId: plain<string>(),
  owner: plain<string>(),
  name: plain<string | null>(),
  /** The address for the receipt. */
  email: plain<string | null>(),
  /** The language of mails. */
  language: plain<string>(),
  /** `afterwards`: every holder of the link to a checkout with a payment may leave an address, which gets no link of a refund. */
  givenBy: plain<'merchant' | 'payer' | 'afterwards'>(),
  /** How often the address was set. */
  changes: plain<number>(),
  createdAt: plain<number>(),
  /** When the receipt was mailed. */
  receiptAt: plain<number | null>(),
})

export type Buyer = RecordIn<typeof BUYER>
export type BuyersTable = RowIn<typeof BUYER>
const toBuyer = BUYER.toRecord

export async function findBuyer(db: Db, checkoutId: string): Promise<Buyer | undefined> {
  const [row] = await selectBuyer(db, { id: checkoutId })
  return row && toBuyer(row)
}

/** Prepared, because it runs at every completion. */
const selectBuyer = prepared((db, given: Given<{ id: string }>) =>
  db.selectFrom('checkout_buyers').select(BUYER.names).where('checkout_id', '=', given('id')),
)

export async function listBuyers(db: Db, checkoutIds: readonly string[]): Promise<Map<string, Buyer>> {
  if (checkoutIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('checkout_buyers')
    .select(BUYER.names)
    .where('checkout_id', 'in', [...checkoutIds])
    .execute()
  return new Map(rows.map((row) => [row.checkout_id, toBuyer(row)]))
}

/** Writes a buyer, or replaces the address of a known one. */
export async function saveBuyer(db: Db, buyer: Omit<Buyer, 'changes' | 'receiptAt'>): Promise<void> {
  const { checkoutId, owner, name, email, language, givenBy, createdAt } = buyer
  const said = { email, language, given_by: givenBy }
  await db
    .insertInto('checkout_buyers')
    .values({ checkout_id: checkoutId, owner, name, ...said, changes: 1, created_at: createdAt, receipt_at: null })
    .onConflict((conflict) =>
      conflict.column('checkout_id').doUpdateSet(({ eb }) => ({
        ...said,
        changes: eb('checkout_buyers.changes', '+', 1),
      })),
    )
    .execute()
}

/** Keeps the buyer whom the request for a checkout names. */
export async function saveNamed(
  db: Db,
  { id, owner, createdAt }: { id: string; owner: string; createdAt: number },
  { buyer, language = 'en' }: { buyer?: Pick<Buyer, 'name' | 'email'> | undefined; language?: string },
): Promise<void> {
  if (buyer) await saveBuyer(db, { ...buyer, checkoutId: id, owner, language, givenBy: 'merchant', createdAt })
}

export async function markReceipt(db: Db, checkoutId: string, now: number): Promise<void> {
  await db
    .updateTable('checkout_buyers')
    .set({ receipt_at: now })
    .where('checkout_id', '=', checkoutId)
    .where('receipt_at', 'is', null)
    .execute()
}

import type { Db } from '../../../kernel/db.ts'
import { type Given, prepared } from '../../../kernel/prepared.ts'
import type { BuyersTable } from './tables.ts'

export interface Buyer {
  checkoutId: string
  owner: string
  name: string | null
  email: string | null
  language: string
  givenBy: BuyersTable['given_by']
  changes: number
  createdAt: number
  receiptAt: number | null
}

const toBuyer = (row: BuyersTable): Buyer => ({
  checkoutId: row.checkout_id,
  owner: row.owner,
  name: row.name,
  email: row.email,
  language: row.language,
  givenBy: row.given_by,
  changes: row.changes,
  createdAt: row.created_at,
  receiptAt: row.receipt_at,
})

const COLUMNS = [
  'checkout_id',
  'owner',
  'name',
  'email',
  'language',
  'given_by',
  'changes',
  'created_at',
  'receipt_at',
] as const satisfies readonly (keyof BuyersTable)[]

export async function findBuyer(db: Db, checkoutId: string): Promise<Buyer | undefined> {
  const [row] = await selectBuyer(db, { id: checkoutId })
  return row && toBuyer(row)
}

/** Prepared, because it runs at every completion. */
const selectBuyer = prepared((db, given: Given<{ id: string }>) =>
  db.selectFrom('checkout_buyers').select(COLUMNS).where('checkout_id', '=', given('id')),
)

export async function listBuyers(db: Db, checkoutIds: readonly string[]): Promise<Map<string, Buyer>> {
  if (checkoutIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('checkout_buyers')
    .select(COLUMNS)
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

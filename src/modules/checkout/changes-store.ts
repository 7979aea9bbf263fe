import type { Db } from '../../kernel/db.ts'
import { type Given, givenRow, prepared } from '../../kernel/prepared.ts'
import { type RecordIn, type RowIn, columns, named, plain } from '../../kernel/resource/columns.ts'
import {
  type AdditionalStatus,
  CHECKOUT,
  type Checkout,
  type CheckoutStatus,
  type CheckoutsTable,
  type SeenBlock,
} from './record.ts'

/** What changes while a checkout is open. A member that is left out or undefined stays as it is, but an undefined `amountRaw` removes the amount. */
export type CheckoutChange = Partial<
  Pick<
    Checkout,
    | 'status'
    | 'additional'
    | 'paidRaw'
    | 'priceE8'
    | 'plan'
    | 'amountRaw'
    | 'plans'
    | 'chosen'
    | 'paidAt'
    | 'blockHash'
    | 'payer'
    | 'invoiceNumber'
    | 'detectedAt'
    | 'seenAt'
  >
> & { detected?: SeenBlock | null }

/** Moves a checkout from one state to another; false, with nothing changed, when it has left the first state meanwhile. */
export async function markChanged(
  db: Db,
  { id, status }: Pick<Checkout, 'id' | 'status'>,
  change: CheckoutChange,
): Promise<boolean> {
  const { detected, ...members } = change
  const said = { ...members, ...(detected !== undefined && { detected: detected ?? undefined }) }
  const names = (Object.keys(said) as (keyof typeof said)[]).filter(
    (name) => said[name] !== undefined || name === 'amountRaw' || name === 'detected',
  )
  const row = CHECKOUT.toPart(said, names)
  const columns = (Object.keys(row) as (keyof ChangedRow)[]).sort()
  return (await updateOf(columns)(db, { ...row, held_id: id, held_status: status })).length > 0
}

type ChangedRow = Omit<CheckoutsTable, 'id'>

type Change = Partial<ChangedRow> & { held_id: string; held_status: CheckoutStatus }

/** One prepared statement for each set of columns that change together; there are few such sets. */
const updates = new Map<string, ReturnType<typeof prepareUpdate>>()

function updateOf(columns: readonly (keyof ChangedRow)[]) {
  const name = columns.join()
  const update = updates.get(name) ?? prepareUpdate(columns)
  updates.set(name, update)
  return update
}

const prepareUpdate = (columns: readonly (keyof ChangedRow)[]) =>
  prepared((db, given: Given<Change>) =>
    db
      .updateTable('checkouts')
      .set(givenRow(given, columns))
      .where('id', '=', given('held_id'))
      .where('status', '=', given('held_status'))
      .returning('id'),
  )

const PRESENTED = [
  'title',
  'description',
  'image',
  'successUrl',
  'cancelUrl',
  'webhookUrl',
  'webhookSecret',
  'webhookEvents',
  'webhookProof',
  'notify',
  'metadata',
  'note',
  'invoice',
] as const satisfies readonly (keyof Checkout)[]

/** Writes what a merchant may change about an open checkout. */
export async function updatePresentation(
  db: Db,
  id: string,
  shown: Pick<Checkout, (typeof PRESENTED)[number]>,
): Promise<void> {
  await db.updateTable('checkouts').set(CHECKOUT.toPart(shown, PRESENTED)).where('id', '=', id).execute()
}

const TERMS = [
  'address',
  'merchantAddress',
  'mode',
  'barePrice',
  'currency',
  'price',
  'priceE8',
  'look',
  'lookHeight',
] as const satisfies readonly (keyof Checkout)[]

/** Replaces the price and the address, which is allowed only before a payer has seen them. */
export async function updateTerms(db: Db, checkout: Checkout): Promise<void> {
  await db.updateTable('checkouts').set(CHECKOUT.toPart(checkout, TERMS)).where('id', '=', checkout.id).execute()
}

export async function updateExpiry(db: Db, id: string, expiresAt: number): Promise<void> {
  await db.updateTable('checkouts').set({ expires_at: expiresAt }).where('id', '=', id).execute()
}

export async function markServed(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('checkouts')
    .set({ served_at: now })
    .where('id', '=', id)
    .where('served_at', 'is', null)
    .execute()
}

export async function markHidden(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('checkouts')
    .set({ hidden_at: now })
    .where('id', '=', id)
    .where('hidden_at', 'is', null)
    .execute()
}

export async function markNotified(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('checkouts')
    .set({ notified_at: now })
    .where('id', '=', id)
    .where('notified_at', 'is', null)
    .execute()
}

const MOMENT = columns({
  seq: plain<number>(),
  status: plain<CheckoutStatus>(),
  additional: named('additional_status', plain<AdditionalStatus>()),
  reason: plain<string>(),
  blockHash: plain<string | null>(),
  at: plain<number>(),
})

export type TimelineEntry = RecordIn<typeof MOMENT>
export interface CheckoutTimelineTable extends RowIn<typeof MOMENT> {
  checkout_id: string
}

export async function insertTimeline(db: Db, checkoutId: string, entry: TimelineEntry): Promise<void> {
  await insertRow(db, { checkout_id: checkoutId, ...MOMENT.toRow(entry) })
}

const insertRow = prepared((db, given: Given<CheckoutTimelineTable>) =>
  db.insertInto('checkout_timeline').values(givenRow(given, ['checkout_id', ...MOMENT.names])),
)

export async function listTimeline(db: Db, checkoutId: string): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('checkout_timeline')
    .selectAll()
    .where('checkout_id', '=', checkoutId)
    .orderBy('seq', 'desc')
    .limit(500)
    .execute()
  return rows.reverse().map(MOMENT.toRecord)
}

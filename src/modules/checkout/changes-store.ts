import type { Db } from '../../kernel/db.ts'
import type { Raw } from '../../kernel/money.ts'
import { type Given, givenRow, prepared } from '../../kernel/prepared.ts'
import { type Checkout, type Plan, type SeenBlock, toStoredBlock, toStoredPlans } from './record.ts'
import type { AdditionalStatus, CheckoutStatus, CheckoutTimelineTable, CheckoutsTable } from './tables.ts'

export interface CheckoutChange {
  status?: CheckoutStatus
  additional?: AdditionalStatus
  paidRaw?: Raw
  priceE8?: bigint
  plan?: number | null
  amountRaw?: Raw | undefined
  plans?: readonly Plan[]
  chosen?: string
  paidAt?: number
  blockHash?: string | null
  payer?: string | null
  invoiceNumber?: string
  detected?: SeenBlock | null
  detectedAt?: number | null
  seenAt?: number
}

/** Moves a checkout from one state to another; false, with nothing changed, when it has left the first state meanwhile. */
export async function markChanged(
  db: Db,
  { id, status }: Pick<Checkout, 'id' | 'status'>,
  change: CheckoutChange,
): Promise<boolean> {
  const row = toRow(change)
  const columns = (Object.keys(row) as (keyof ChangedRow)[]).sort()
  return (await updateOf(columns)(db, { ...row, held_id: id, held_status: status })).length > 0
}

type ChangedRow = Pick<
  CheckoutsTable,
  | 'status'
  | 'additional_status'
  | 'paid_raw'
  | 'price_e8'
  | 'plan'
  | 'amount_raw'
  | 'plans'
  | 'chosen'
  | 'paid_at'
  | 'block_hash'
  | 'payer'
  | 'invoice_number'
  | 'detected_block'
  | 'detected_at'
  | 'seen_at'
>

const toRow = (change: CheckoutChange): Partial<ChangedRow> => ({
  ...(change.status !== undefined && { status: change.status }),
  ...(change.additional !== undefined && { additional_status: change.additional }),
  ...(change.paidRaw !== undefined && { paid_raw: change.paidRaw.toString() }),
  ...(change.priceE8 !== undefined && { price_e8: change.priceE8.toString() }),
  ...(change.plan !== undefined && { plan: change.plan }),
  ...('amountRaw' in change && { amount_raw: change.amountRaw?.toString() ?? null }),
  ...(change.plans !== undefined && { plans: toStoredPlans(change.plans) }),
  ...(change.chosen !== undefined && { chosen: change.chosen }),
  ...(change.paidAt !== undefined && { paid_at: change.paidAt }),
  ...(change.blockHash !== undefined && { block_hash: change.blockHash }),
  ...(change.payer !== undefined && { payer: change.payer }),
  ...(change.invoiceNumber !== undefined && { invoice_number: change.invoiceNumber }),
  ...(change.detected !== undefined && {
    detected_block: change.detected === null ? null : toStoredBlock(change.detected),
  }),
  ...(change.detectedAt !== undefined && { detected_at: change.detectedAt }),
  ...(change.seenAt !== undefined && { seen_at: change.seenAt }),
})

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

type Presentation = Pick<
  Checkout,
  | 'title'
  | 'description'
  | 'image'
  | 'successUrl'
  | 'cancelUrl'
  | 'webhookUrl'
  | 'webhookSecret'
  | 'webhookEvents'
  | 'webhookProof'
  | 'notify'
  | 'metadata'
  | 'note'
  | 'invoice'
>

/** Writes what a merchant may change about an open checkout. */
export async function updatePresentation(db: Db, id: string, shown: Presentation): Promise<void> {
  await db
    .updateTable('checkouts')
    .set({
      title: shown.title,
      description: shown.description,
      image: shown.image,
      success_url: shown.successUrl,
      cancel_url: shown.cancelUrl,
      webhook_url: shown.webhookUrl,
      webhook_secret: shown.webhookSecret,
      webhook_events: JSON.stringify(shown.webhookEvents),
      webhook_proof: shown.webhookProof ? 1 : 0,
      notify: shown.notify,
      metadata: JSON.stringify(shown.metadata),
      note: shown.note,
      invoice: shown.invoice === null ? null : JSON.stringify(shown.invoice),
    })
    .where('id', '=', id)
    .execute()
}

/** Replaces the price and the address, which is allowed only before a payer has seen them. */
export async function updateTerms(
  db: Db,
  { id, address, merchantAddress, mode, barePrice, currency, price, priceE8, look, lookHeight }: Checkout,
): Promise<void> {
  const money = { currency, price, price_e8: priceE8?.toString() ?? null }
  await db
    .updateTable('checkouts')
    .set({
      address,
      merchant_address: merchantAddress,
      mode,
      bare_price: barePrice ? 1 : 0,
      ...money,
      look,
      look_height: lookHeight,
    })
    .where('id', '=', id)
    .execute()
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

export interface TimelineEntry {
  seq: number
  status: CheckoutStatus
  additional: AdditionalStatus
  reason: string
  blockHash: string | null
  at: number
}

export async function insertTimeline(db: Db, checkoutId: string, entry: TimelineEntry): Promise<void> {
  const { seq, status, additional, reason, blockHash, at } = entry
  await insertRow(db, {
    checkout_id: checkoutId,
    seq,
    status,
    additional_status: additional,
    reason,
    block_hash: blockHash,
    at,
  })
}

const insertRow = prepared((db, given: Given<CheckoutTimelineTable>) =>
  db
    .insertInto('checkout_timeline')
    .values(givenRow(given, ['checkout_id', 'seq', 'status', 'additional_status', 'reason', 'block_hash', 'at'])),
)

export async function listTimeline(db: Db, checkoutId: string): Promise<TimelineEntry[]> {
  const rows = await db
    .selectFrom('checkout_timeline')
    .selectAll()
    .where('checkout_id', '=', checkoutId)
    .orderBy('seq', 'desc')
    .limit(500)
    .execute()
  return rows.reverse().map(({ seq, status, additional_status: additional, reason, block_hash: blockHash, at }) => ({
    seq,
    status,
    additional,
    reason,
    blockHash,
    at,
  }))
}

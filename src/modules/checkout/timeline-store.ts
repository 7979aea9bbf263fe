import { type Given, givenRow, prepared } from '../../kernel/prepared.ts'
import type { AdditionalStatus, CheckoutStatus, CheckoutTimelineTable } from './tables.ts'
import type { Db } from '../../kernel/db.ts'

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

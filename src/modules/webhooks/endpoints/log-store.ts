import type { Db } from '../../../kernel/db.ts'
import { behind } from '../../../kernel/paging.ts'
import { type DeliveryRecord, withAttempts } from '../deliveries-store.ts'

export type LoggedDelivery = DeliveryRecord & { type: string; subject: string }

export interface LogPage {
  endpointId: string
  limit: number
  after?: { createdAt: number; id: string } | undefined
}

/** An endpoint's deliveries with their results, newest first. */
export async function listLog(db: Db, { endpointId, limit, after }: LogPage): Promise<LoggedDelivery[]> {
  let query = db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .selectAll('deliveries')
    .select(['events.type', 'events.subject'])
    .where('deliveries.endpoint_id', '=', endpointId)
  if (after) {
    query = query.where(behind(['deliveries.created_at', 'desc', after.createdAt], ['deliveries.id', 'desc', after.id]))
  }
  const rows = await query
    .orderBy('deliveries.created_at', 'desc')
    .orderBy('deliveries.id', 'desc')
    .limit(limit)
    .execute()
  const deliveries = await withAttempts(db, rows)
  return deliveries.map((delivery, at) => ({ ...delivery, type: rows[at]!.type, subject: rows[at]!.subject }))
}

import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { deleteSome } from '../../../kernel/retention.ts'

export interface LoggedRequest {
  id: string
  accountId: string
  at: number
  requestId: string
  action: string
  status: number
  code: string | null
  microseconds: number
  /** Null for a request by a session. */
  keyId: string | null
  /** How many requests of its kind and minute this row represents. */
  standsFor: number
}

export interface RequestFilter {
  accountId: string
  outcome?: 'well' | 'failed' | undefined
  action?: string | undefined
  keyId?: string | undefined
}

/** This many rows always fit into SQLite's maximum of values in one statement. */
const ROWS_AT_ONCE = 100

export async function insertRequests(db: Db, requests: readonly LoggedRequest[]): Promise<void> {
  for (let from = 0; from < requests.length; from += ROWS_AT_ONCE) {
    const rows = requests.slice(from, from + ROWS_AT_ONCE).map((request) => ({
      id: request.id,
      account_id: request.accountId,
      at: request.at,
      request_id: request.requestId,
      action: request.action,
      status: request.status,
      code: request.code,
      microseconds: request.microseconds,
      key_id: request.keyId,
      stands_for: request.standsFor,
    }))
    await db.insertInto('account_requests').values(rows).execute()
  }
}

/** Newest first; `before` is the last one of the previous page. */
export async function listRequests(
  db: Db,
  { accountId, outcome, action, keyId }: RequestFilter,
  { before, limit }: { before: { at: number; id: string } | undefined; limit: number },
): Promise<LoggedRequest[]> {
  let query = db.selectFrom('account_requests').selectAll().where('account_id', '=', accountId)
  if (outcome !== undefined) query = query.where('status', outcome === 'well' ? '<' : '>=', 400)
  if (action !== undefined) query = query.where('action', '=', action)
  if (keyId !== undefined) query = query.where('key_id', '=', keyId)
  if (before) {
    const { at, id } = before
    query = query.where((eb) => eb.or([eb('at', '<', at), eb.and([eb('at', '=', at), eb('id', '<', id)])]))
  }
  const rows = await query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    at: row.at,
    requestId: row.request_id,
    action: row.action,
    status: row.status,
    code: row.code,
    microseconds: row.microseconds,
    keyId: row.key_id,
    standsFor: row.stands_for,
  }))
}

export function deleteOldRequests(db: Db, before: number, limit: number): Promise<number> {
  return deleteSome(db, { from: 'account_requests', key: ['id'], where: sql<boolean>`at < ${before}`, limit })
}

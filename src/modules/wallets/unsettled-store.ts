import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'

/**
 * Wallets with something to do: open blocks, an ending, a plan, late deposits, an unfreezing. Frozen ones wait for an operator. While sends are
 * not allowed, wallets that could only pay out are left out: there may be as many as payments came in that time.
 */
export async function listUnsettled(db: Db, limit: number, maySend = true): Promise<string[]> {
  const ending = sql`union select id from wallets where status = 'expiring'`
  const late = sql`union select id from wallets where status in ('ended', 'deleted') and balance_raw <> '0'`
  const { rows } = await sql<{ id: string }>`
    select id from wallets where frozen_at is null and id in (
      select wallet_id from wallet_blocks where status in ('signed', 'broadcast')
      union select wallet_id from wallet_blocks where status = 'queued'
      union select wallet_id from wallet_plans where status = 'open'
      union select id from wallets where thawed_at is not null
      ${maySend ? sql`${ending} ${late}` : sql`${ending} and balance_raw = '0'`}
    ) order by lease_until, id limit ${sql.lit(limit)}`.execute(db)
  return rows.map(({ id }) => id)
}

export async function countOpenBlocks(db: Db): Promise<{ status: string; count: number }[]> {
  const { rows } = await sql<{ status: string; count: number | string }>`
    select status, count(*) as "count" from wallet_blocks where status in ('signed', 'broadcast') group by status
    union all select 'queued', count(*) from wallet_blocks where status = 'queued'`.execute(db)
  return rows.map(({ status, count }) => ({ status, count: Number(count) }))
}

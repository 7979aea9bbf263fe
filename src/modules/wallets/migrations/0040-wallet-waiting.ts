import { type Kysely, sql } from 'kysely'

/**
 * What waits in a wallet, in its order. SQLite takes the first of two indexes that look alike, which was the one of all blocks the
 * wallet ever had.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index wallet_blocks_queued`.execute(db)
  await sql`create index wallet_blocks_queued on wallet_blocks (wallet_id, sequence) where status = 'queued'`.execute(
    db,
  )
}

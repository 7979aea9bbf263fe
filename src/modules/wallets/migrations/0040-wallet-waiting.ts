import { type Kysely, sql } from 'kysely'

/**
 * Indexes what waits in a wallet, in its order.
 * Of two similar indexes SQLite uses the first, which was the one of all blocks that the wallet ever had.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index wallet_blocks_queued`.execute(db)
  await sql`create index wallet_blocks_queued on wallet_blocks (wallet_id, sequence) where status = 'queued'`.execute(
    db,
  )
}

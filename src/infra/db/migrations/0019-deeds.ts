import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** A request that acts once gets a claim, a lease while it runs, and a record of what it has made. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const { schema } = db
  await schema.alterTable('idempotency').addColumn('claim', 'text').execute()
  await schema.alterTable('idempotency').addColumn('lease_until', timeColumn(engine)).execute()
  await schema.alterTable('idempotency').addColumn('made', 'text').execute()
}

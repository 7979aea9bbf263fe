import type { Kysely } from 'kysely'
import { type StoreEngine, timeColumn } from '../../../kernel/dialect.ts'

/** Settings of the operator for an account: suspension, forced sign-out, and limits and features that differ from its plan. */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  const { schema } = db
  await schema.alterTable('accounts').addColumn('suspended_at', time).execute()
  await schema.alterTable('accounts').addColumn('signed_out_at', time).execute()
  await schema.alterTable('accounts').addColumn('per_minute', 'integer').execute()
  await schema.alterTable('accounts').addColumn('concurrency', 'integer').execute()
  await schema.alterTable('accounts').addColumn('features', 'text').execute()
}

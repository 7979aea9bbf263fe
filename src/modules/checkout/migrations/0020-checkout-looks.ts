import { type Kysely, sql } from 'kysely'
import type { StoreEngine } from '../../../kernel/dialect.ts'

/** What lay on an address when a checkout was made there, amounts that payers chose, a merchant's note, and which key replaced which. */
export async function up(db: Kysely<unknown>, _engine: StoreEngine): Promise<void> {
  const { schema } = db
  await schema.alterTable('checkouts').addColumn('look', 'integer').execute()
  await schema.alterTable('checkouts').addColumn('look_height', 'integer').execute()
  await schema.alterTable('checkouts').addColumn('note', 'text').execute()
  await schema.alterTable('checkouts').addColumn('chosen', 'text').execute()
  await schema.alterTable('checkout_watchers').addColumn('look', 'integer').execute()
  await schema.alterTable('checkout_watchers').addColumn('look_height', 'integer').execute()
  const looks = schema.alterTable('watched_addresses')
  await looks.addColumn('looks', 'integer', (column) => column.notNull().defaultTo(0)).execute()
  await schema.alterTable('watched_addresses').addColumn('floor_height', 'integer').execute()
  await schema
    .createTable('checkout_sightings')
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('look', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('checkout_sightings_key', ['address', 'hash'])
    .execute()
  await schema.alterTable('checkout_reservations').addColumn('chosen', 'text').execute()
  await schema.alterTable('checkout_reservations').addColumn('chosen_by', 'text').execute()
  await schema.alterTable('api_keys').addColumn('predecessor', 'text').execute()
  await rememberRotations(db)
}

/** Until now only the audit log recorded which key replaced which. */
async function rememberRotations(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ detail: string }>`select detail from audit_entries where what = 'key.rotated'`.execute(
    db,
  )
  for (const { detail } of rows) {
    const { keyId, newKeyId } = JSON.parse(detail) as Record<'keyId' | 'newKeyId', string>
    await sql`update api_keys set predecessor = ${keyId} where id = ${newKeyId}`.execute(db)
  }
}

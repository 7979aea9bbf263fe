import { type Kysely, sql } from 'kysely'
import { type StoreEngine, sumRaw, timeColumn } from '../../../kernel/dialect.ts'

/** Only a change of one of these columns can change a sum. */
const COUNTED = ['owner', 'key_id', 'status', 'currency', 'created_at', 'paid_at', 'paid_raw', 'price_e8']

/**
 * The totals of checkouts by day, kept by triggers in the transaction of every change: no writer can forget them, and a gateway of the
 * previous version keeps them as well.
 */
export async function up(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  await createTables(db, engine)
  // Comes first: from here until the commit no other transaction writes checkouts, and the statements below see everything written before.
  await (engine === 'sqlite' ? keepInSqlite(db) : keepInPostgres(db))
  await fill(db, engine)
}

async function createTables({ schema }: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const time = timeColumn(engine)
  // A single amount has an upper bound, a sum has none.
  const raw = engine === 'sqlite' ? 'text' : sql`numeric`
  await schema
    .createTable('checkout_sums')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('day', time, (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('count', time, (column) => column.notNull())
    .addColumn('raw', raw, (column) => column.notNull())
    .addColumn('e8', raw, (column) => column.notNull())
    .addPrimaryKeyConstraint('checkout_sums_key', ['owner', 'key_id', 'day', 'status', 'currency', 'part'])
    .execute()
  await schema.createIndex('checkout_sums_made').on('checkout_sums').column('key_id').execute()
  await schema
    .createTable('checkout_paid_sums')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('day', time, (column) => column.notNull())
    .addColumn('currency', 'text', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('count', time, (column) => column.notNull())
    .addColumn('raw', raw, (column) => column.notNull())
    .addColumn('e8', raw, (column) => column.notNull())
    .addPrimaryKeyConstraint('checkout_paid_sums_key', ['owner', 'day', 'currency', 'part'])
    .execute()
}

async function fill(db: Kysely<unknown>, engine: StoreEngine): Promise<void> {
  const [raw, e8] = [sumRaw(engine, 'paid_raw'), sumRaw(engine, 'price_e8')]
  const sums = engine === 'sqlite' ? sql`${raw}, ${e8}` : sql`(${raw})::numeric, (${e8})::numeric`
  await sql`insert into checkout_sums
    select owner, coalesce(key_id, ''), created_at / 86400000, status, currency, 0, count(*), ${sums}
    from checkouts group by 1, 2, 3, 4, 5`.execute(db)
  await sql`insert into checkout_paid_sums
    select owner, paid_at / 86400000, currency, 0, count(*), ${sums}
    from checkouts where status = 'complete' and paid_at is not null group by 1, 2, 3`.execute(db)
}

const KEYS = 'owner, key_id, day, status, currency, part'
const PAID_KEYS = 'owner, day, currency, part'

async function keepInSqlite(db: Kysely<unknown>): Promise<void> {
  const more = (table: string) => `do update set count = ${table}.count + excluded.count,
    raw = add_raw(${table}.raw, excluded.raw), e8 = add_raw(${table}.e8, excluded.e8);`
  const count = (row: 'old' | 'new') => {
    const [one, sign] = row === 'new' ? ['1', ''] : ['-1', `'-' || `]
    const values = `${one}, ${sign}${row}.paid_raw, ${sign}coalesce(${row}.price_e8, '0')`
    return `
      insert into checkout_sums
        select ${row}.owner, coalesce(${row}.key_id, ''), ${row}.created_at / 86400000, ${row}.status, ${row}.currency, 0, ${values}
        where true on conflict (${KEYS}) ${more('checkout_sums')}
      insert into checkout_paid_sums
        select ${row}.owner, ${row}.paid_at / 86400000, ${row}.currency, 0, ${values}
        where ${row}.status = 'complete' and ${row}.paid_at is not null
        on conflict (${PAID_KEYS}) ${more('checkout_paid_sums')}`
  }
  const changed = COUNTED.map((column) => `old.${column} is not new.${column}`).join(' or ')
  for (const [name, when, body] of [
    ['made', 'after insert on checkouts', count('new')],
    ['changed', `after update of ${COUNTED.join(', ')} on checkouts when ${changed}`, count('old') + count('new')],
    ['gone', 'after delete on checkouts', count('old')],
  ]) {
    await sql.raw(`create trigger checkout_sums_${name!} ${when!} begin ${body!} end`).execute(db)
  }
}

/** Each connection counts in a part of its own, so that no writer waits for another connection's commit. */
const PARTS = 64

async function keepInPostgres(db: Kysely<unknown>): Promise<void> {
  const more = (table: string) => `do update set count = ${table}.count + excluded.count,
    raw = ${table}.raw + excluded.raw, e8 = ${table}.e8 + excluded.e8;`
  const count = (row: 'old' | 'new') => {
    const [one, sign] = row === 'new' ? ['1', ''] : ['-1', '-']
    const values = `${one}, ${sign}${row}.paid_raw, ${sign}coalesce(${row}.price_e8, 0)`
    const part = `pg_backend_pid() % ${PARTS}`
    return `
      insert into checkout_sums
        values (${row}.owner, coalesce(${row}.key_id, ''), ${row}.created_at / 86400000, ${row}.status, ${row}.currency, ${part}, ${values})
        on conflict (${KEYS}) ${more('checkout_sums')}
      if ${row}.status = 'complete' and ${row}.paid_at is not null then
        insert into checkout_paid_sums
          values (${row}.owner, ${row}.paid_at / 86400000, ${row}.currency, ${part}, ${values})
          on conflict (${PAID_KEYS}) ${more('checkout_paid_sums')}
      end if;`
  }
  await sql
    .raw(`create function keep_checkout_sums() returns trigger language plpgsql as $$ begin
      -- Always in the order of their status: two that change the same two rows would else wait for each other.
      if tg_op = 'UPDATE' and old.status > new.status then ${count('new')} ${count('old')} return null; end if;
      if tg_op <> 'INSERT' then ${count('old')} end if;
      if tg_op <> 'DELETE' then ${count('new')} end if;
      return null;
    end $$`)
    .execute(db)
  const row = (side: string) => `(${COUNTED.map((column) => `${side}.${column}`).join(', ')})`
  await sql
    .raw(`create trigger checkout_sums_made after insert or delete on checkouts
      for each row execute function keep_checkout_sums()`)
    .execute(db)
  await sql
    .raw(`create trigger checkout_sums_changed after update of ${COUNTED.join(', ')} on checkouts
      for each row when (${row('old')} is distinct from ${row('new')}) execute function keep_checkout_sums()`)
    .execute(db)
}

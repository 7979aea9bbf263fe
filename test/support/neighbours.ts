import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import type { Db } from '../../src/kernel/db.ts'
import type { Tables } from '../../src/kernel/db.ts'
import { forEachEngine } from './engines.ts'
import { fill } from './filled-store.ts'

/*
 * A missing condition in a query shows only if there is a row that it would have excluded. So each store function that changes or deletes rows is called
 * with one target row among others that equal it as far as unique keys allow, and then with the target row changed in one way that forbids the update.
 */

type Table = keyof Tables
type AnyRow = Record<string, unknown>

/** Stands for the value of another account's row in that column. */
export const ANOTHER = 'of another' as string

interface Beside<R> {
  engine: StoreEngine
  /** The rows of other accounts, before and after it in key order. */
  others: R[]
}

/** The expected effect of a store function on its row. */
interface StoreFunction<R> {
  /** The state of the row and of all others before the call. */
  row?: Partial<R>
  run(db: Db, row: R, beside: Beside<R>): Promise<unknown>
  /** The expected change; null if it is deleted. */
  to?: Partial<R> | null
  /** The columns by which the function selects rows; by default the key. */
  means?: (keyof R & string)[]
  /** Changes each of which must prevent the update. */
  unless?: Partial<R>[]
  /** It locks the row until the transaction ends and changes nothing. */
  locks?: true
}

/** A moment and a later one. */
export const NOW = 1_000
export const LATER = 2_000

/** Deletes rows up to `last` in this column, and no later ones. */
export const deletesOld = <R>(
  column: keyof R & string,
  run: (db: Db) => Promise<unknown>,
  last = NOW - 1,
): StoreFunction<R> => ({
  row: { [column]: last } as Partial<R>,
  run,
  to: null,
  means: [column],
  unless: [{ [column]: last + 1 } as Partial<R>],
})

interface Shape {
  key: string[]
  /** Columns in which other rows keep their own values; by default the key. */
  own?: string[]
  /** Further rows that differ from the target only in these columns. */
  beside?: string[][]
}

const SHAPES: Partial<Record<Table, Shape>> = {
  accounts: { key: ['id'], own: ['id', 'email'] },
  api_keys: { key: ['id'], own: ['id', 'hash', 'account_id'], beside: [['id', 'hash']] },
  members: { key: ['id'], own: ['id', 'account_id', 'email'], beside: [['id', 'email']] },
  sign_in_links: { key: ['token_hash'] },
  passkeys: { key: ['id'], own: ['id', 'email', 'credential_id'], beside: [['id', 'credential_id']] },
  recovery_codes: { key: ['code_hash'], own: ['code_hash', 'email'], beside: [['code_hash']] },
  passkey_challenges: { key: ['challenge_hash'], own: ['challenge_hash', 'bound_to'], beside: [['challenge_hash']] },
  session_secrets: { key: ['id'] },
  invoice_counters: { key: ['owner'] },
  ended_sessions: { key: ['id'] },
  credit_balances: { key: ['account_id'] },
  credit_reservations: { key: ['id'] },
  free_uses: { key: ['caller', 'meter'], own: ['caller'], beside: [['meter']] },
  key_spends: { key: ['limit_id', 'reference'], own: ['limit_id'], beside: [['reference']] },
  key_spend_days: { key: ['limit_id', 'day'], own: ['limit_id'], beside: [['day']] },
  account_logos: { key: ['account_id'] },
  payment_links: { key: ['id'], own: ['id', 'slug', 'owner'], beside: [['id', 'slug']] },
  subscriptions: { key: ['id'], own: ['id', 'link_id', 'owner'] },
  link_orders: { key: ['checkout_id'], own: ['checkout_id', 'link_id'], beside: [['checkout_id', 'visit']] },
  points_of_sale: { key: ['id'], own: ['id', 'owner'], beside: [['id']] },
  pos_pin_tries: { key: ['pos_id', 'who'], own: ['pos_id'], beside: [['who']] },
  usage_batches: { key: ['id'] },
  account_requests: { key: ['id'] },
  idempotency: { key: ['account_id', 'action', 'key'], own: ['account_id'], beside: [['action'], ['key']] },
  swaps: { key: ['id'] },
  wallets: { key: ['id'], own: ['id', 'address'] },
  wallet_keys: { key: ['wallet_id'] },
  send_freezes: { key: ['scope'], own: ['scope'] },
  wallet_plans: { key: ['id'], own: ['id', 'wallet_id'], beside: [['id', 'run']] },
  wallet_blocks: {
    key: ['id'],
    own: ['id', 'wallet_id', 'plan_id', 'reference'],
    beside: [['id', 'reference']],
  },
  checkouts: { key: ['id'] },
  checkout_reservations: {
    key: ['address', 'amount_raw', 'owner'],
    own: ['address', 'owner', 'checkout_id'],
    beside: [['owner', 'checkout_id'], ['amount_raw']],
  },
  checkout_payments: { key: ['block_hash', 'owner'], own: ['owner'], beside: [['block_hash']] },
  checkout_refunds: { key: ['id'], own: ['id', 'block_id', 'reference'] },
  checkout_sightings: { key: ['address', 'hash'], own: ['address'], beside: [['hash']] },
  watched_addresses: { key: ['address'] },
  usernames: { key: ['name'] },
  service_orders: { key: ['checkout_id'] },
  service_payments: { key: ['block_hash'] },
  x402_payments: { key: ['block_hash'], own: ['block_hash', 'payer'], beside: [['block_hash', 'previous']] },
  x402_offers: { key: ['action', 'pay_to', 'amount_raw'], own: ['action'] },
  email_payments: { key: ['id'] },
  email_recipients: { key: ['id'], own: ['id', 'payment_id'], beside: [['id', 'position']] },
  email_tokens: { key: ['selector'], own: ['selector', 'recipient_id'], beside: [['selector']] },
}

const anyOf = (db: Db) => db as unknown as Kysely<Record<string, AnyRow>>
const pick = (row: AnyRow, columns: string[]) => Object.fromEntries(columns.map((column) => [column, row[column]]))
const without = (row: AnyRow, columns: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)))
function unlike(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  const text = String(value)
  return /^\d+$/.test(text) ? String(BigInt(text) - 1n) : `${text}+`
}
const same = (a: AnyRow, b: AnyRow, columns: string[]) => columns.every((column) => a[column] === b[column])

interface Trial {
  table: string
  shape: Shape
  engine: StoreEngine
  fn: StoreFunction<AnyRow>
}

/** Makes all rows of the table equal to the target. */
async function surround(db: Db, { table, shape, fn }: Trial) {
  const { key, own = key, beside = [] } = shape
  const rows: AnyRow[] = await anyOf(db).selectFrom(table).selectAll().orderBy(key[0]!).execute()
  const middle = Math.floor(rows.length / 2)
  const was = rows[middle]!
  const meant = { ...was, ...fn.row }
  const alike = without(meant, own)
  if (Object.keys(alike).length > 0) await anyOf(db).updateTable(table).set(alike).execute()
  await change(db, { table, shape }, was, meant)
  for (const columns of beside) {
    const row = { ...meant, ...Object.fromEntries(columns.map((column) => [column, unlike(meant[column])])) }
    const insert = anyOf(db).insertInto(table).values(row)
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
  }
  return { meant, others: rows.filter((row) => row !== was) }
}

async function change(db: Db, { table, shape }: Pick<Trial, 'table' | 'shape'>, row: AnyRow, to: AnyRow) {
  let update = anyOf(db).updateTable(table).set(to)
  for (const column of shape.key) update = update.where(column, '=', row[column])
  await update.execute()
}

/** The rows of a table. PostgreSQL moves a row that is written or locked by an update, even if no value changes. */
async function look(db: Db, { table, shape, engine }: Trial): Promise<Map<string, AnyRow>> {
  const place = engine === 'postgres' ? sql`ctid::text` : sql`''`
  const rows = await anyOf(db).selectFrom(table).selectAll().select(place.as('place')).execute()
  return new Map(rows.map((row) => [JSON.stringify(pick(row, shape.key)), row]))
}

async function meet(db: Db, trial: Trial, wrong?: AnyRow): Promise<void> {
  const { shape, engine, fn } = trial
  const { meant, others } = await surround(db, trial)
  if (wrong) {
    const resolved = Object.entries(wrong).map(([column, to]) => [column, to === ANOTHER ? others[0]![column] : to])
    await change(db, trial, meant, Object.fromEntries(resolved) as AnyRow)
  }
  const before = await look(db, trial)
  assert.ok(before.size > 1, 'the row has neighbours')
  const answer = await fn.run(db, meant, { engine, others })
  const after = await look(db, trial)
  const isMeant = (row: AnyRow) =>
    same(row, meant, fn.means ?? shape.key) && !(wrong && same(row, meant, shape.key)) && !isUnseen(trial)
  const changed = [...before.keys()].filter((id) => JSON.stringify(before.get(id)) !== JSON.stringify(after.get(id)))
  const expected = [...before.keys()].filter((id) => isMeant(before.get(id)!))
  const about = wrong ? `with ${JSON.stringify(wrong)}` : 'where everything is right'
  assert.deepEqual(changed, expected, `changes the rows that are meant and no other, ${about}`)
  assert.deepEqual(
    [...after.keys()].filter((id) => !before.has(id)),
    [],
  )
  if (Array.isArray(answer)) assert.equal(answer.length, changed.length, `tells of what it changed, ${about}`)
  else if (!wrong) assert.notEqual(answer, false)
  else if (expected.length === 0)
    assert.ok(answer === undefined || answer === false || answer === 0, `says that it did nothing, ${about}`)
  if (wrong || fn.to === undefined) return
  const now = after.get(JSON.stringify(pick(meant, shape.key)))
  assert.deepEqual(now ? pick(now, Object.keys(fn.to ?? now)) : null, fn.to)
}

/** SQLite has one writer at a time and no visible row locks. */
const isUnseen = ({ engine, fn }: Trial) => fn.locks === true && engine === 'sqlite'

/** Rolls back whatever a trial changes. */
async function undone(db: Db, run: (tx: Db) => Promise<void>): Promise<void> {
  const undo = new Error('undone')
  const trial = db.transaction().execute(async (tx) => {
    await run(tx)
    throw undo
  })
  await assert.rejects(trial, (error) => {
    if (error !== undo) throw error
    return true
  })
}

interface Tried {
  table: string
  name: string
  fn: StoreFunction<AnyRow>
}

/** Functions on one table, by name; text after a space distinguishes two trials of one function. */
export function trialsOn<T extends Table>(
  table: T,
  functions: Record<string, StoreFunction<Selectable<Tables[T]>>>,
): Tried[] {
  return Object.entries(functions).map(([name, fn]) => ({ table, name, fn: fn as unknown as StoreFunction<AnyRow> }))
}

/** Defines the suite of some modules; `elsewhere` lists functions that the file tests in another way. */
export function tryFunctions(modules: string[], tried: Tried[], elsewhere: string[] = []): void {
  forEachEngine((engine, openFreshStore) => {
    test(`what changes one row of ${modules.join(', ')} leaves its neighbours alone, and a row that misses a condition`, async (t) => {
      const { ctx } = await openFreshStore(t)
      await fill(ctx)
      for (const { table, name, fn } of tried) {
        const trial = { table, shape: SHAPES[table as Table]!, engine, fn }
        await t.test(`${name} (${table})`, async () => {
          await undone(ctx.db, (tx) => meet(tx, trial))
          for (const wrong of fn.unless ?? []) await undone(ctx.db, (tx) => meet(tx, trial, wrong))
        })
      }
    })
  })

  test(`every function of ${modules.join(', ')} that changes or deletes rows is tried among neighbours`, () => {
    const names = new Set([...tried.map(({ name }) => name.split(' ')[0]!), ...elsewhere])
    assert.deepEqual(
      modules.flatMap(listFunctions).filter((name) => !names.has(name)),
      [],
    )
  })
}

const CHANGES = /\.updateTable\(|\.deleteFrom\(|deleteSome\(|^\s*update \w+ set /m

/** Names of a module's store functions that change or delete rows, directly or through a private one. */
function listFunctions(module: string): string[] {
  const folder = `src/modules/${module}/`
  const stores = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('store.ts'))
  return stores.flatMap((file) => {
    const parts = readFileSync(folder + file, 'utf8').split(/^(?=(?:export )?(?:async )?function )/m)
    const functions = parts.map((text) => ({ text, name: /^(export )?(?:async )?function (\w+)/.exec(text) }))
    const hidden = functions
      .filter(({ text, name }) => name && !name[1] && CHANGES.test(text))
      .map(({ name }) => name![2]!)
    const moves = (text: string) => CHANGES.test(text) || hidden.some((name) => text.includes(` ${name}(`))
    return functions.filter(({ text, name }) => name?.[1] && moves(text)).map(({ name }) => name![2]!)
  })
}

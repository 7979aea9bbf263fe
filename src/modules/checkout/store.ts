import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type Given, givenRow, prepared, preparedUpTo } from '../../kernel/prepared.ts'
import { type Checkout, toCheckout, toRow } from './record.ts'
import { CHECKOUT_COLUMNS, type CheckoutsTable } from './tables.ts'

/** In these very words, so that a statement that is planned once finds the indexes of open ones. */
export const IS_OPEN = sql<boolean>`status in ('pending', 'detected', 'partial')`
export const NOT_BY_HOLDERS = sql<boolean>`(key_id is null or (key_id not like 'lnk%' and key_id not like 'pos%'))`

export async function insertCheckout(db: Db, checkout: Checkout): Promise<void> {
  await insertRow(db, toRow(checkout))
}

const insertRow = prepared((db, given: Given<CheckoutsTable>) =>
  db.insertInto('checkouts').values(givenRow(given, CHECKOUT_COLUMNS)),
)

export async function findCheckout(db: Db, id: string): Promise<Checkout | undefined> {
  const [row] = await selectById(db, { id })
  return row && toCheckout(row)
}

const selectById = prepared((db, given: Given<{ id: string }>) =>
  db.selectFrom('checkouts').select(CHECKOUT_COLUMNS).where('id', '=', given('id')),
)

/** The same for its owner only; `owner` undefined is an administrator, who sees all. */
export async function findOwnCheckout(
  db: Db,
  { id, owner }: { id: string; owner: string | undefined },
): Promise<Checkout | undefined> {
  const found = await findCheckout(db, id)
  return found && (owner === undefined || found.owner === owner) ? found : undefined
}

/** Which of an owner's checkouts count: those made with one key, or with all but these. */
type MadeWith = { only: string } | { not: readonly string[] }

/** How many checkouts of an owner are open on an address, counted up to a bound. */
export async function countOpen(
  db: Db,
  { address, owner, madeWith, max }: { address: string; owner: string; madeWith: MadeWith; max: number },
): Promise<number> {
  if ('not' in madeWith && madeWith.not.length === 0) {
    const [all] = await countAllOpen(db, { address, owner, limit: max })
    return Number(all!.count)
  }
  let some = db
    .selectFrom('checkouts')
    .select('id')
    .where('address', '=', address)
    .where('owner', '=', owner)
    .where(IS_OPEN)
    .limit(max)
  if ('only' in madeWith) some = some.where('key_id', '=', madeWith.only)
  else {
    some = some
      .where((where) => where.or([where('key_id', 'is', null), where('key_id', 'not in', madeWith.not)]))
      .where(NOT_BY_HOLDERS)
  }
  const row = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

const countAllOpen = preparedUpTo((db, given: Given<{ address: string; owner: string }>, limit) => {
  const some = db
    .selectFrom('checkouts')
    .select('id')
    .where('address', '=', given('address'))
    .where('owner', '=', given('owner'))
    .where(IS_OPEN)
    .where(NOT_BY_HOLDERS)
    .limit(limit)
  return db.selectFrom(some.as('some')).select(({ fn }) => fn.countAll().as('count'))
})

/**
 * Takes hold of a checkout until the transaction ends and gives it the number of its next timeline entry. Every change
 * begins here, so that two instances decide one after the other, each on what the other has left.
 */
export async function lockCheckout(db: Db, id: string): Promise<Checkout | undefined> {
  const [row] = await holdRow(db, { id })
  return row && toCheckout(row)
}

const holdRow = prepared((db, given: Given<{ id: string }>) =>
  db
    .updateTable('checkouts')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1) }))
    .where('id', '=', given('id'))
    .returning(CHECKOUT_COLUMNS),
)

/** Open checkouts of an address whose time is over. */
export async function listOverdue(
  db: Db,
  { address, expiresBefore, limit }: { address: string; expiresBefore: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('checkouts')
    .select('id')
    .where('address', '=', address)
    // As the index of open ones has it: SQLite would go through all that there ever were.
    .where(IS_OPEN)
    .where('status', '<>', 'detected')
    .where('expires_at', '<=', expiresBefore)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** When the next open checkout of each address ends; addresses without one are left out. */
export async function listNextExpiries(db: Db, addresses: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('checkouts')
    .select(({ fn }) => ['address', fn.min('expires_at').as('next')])
    .where('address', 'in', [...addresses])
    .where(IS_OPEN)
    .groupBy('address')
    .execute()
  return new Map(rows.map(({ address, next }) => [address, next]))
}

/** Checkouts whose block was seen and has not been confirmed since. */
export async function listStuck(db: Db, wanted: { detectedBefore: number; limit: number }): Promise<Checkout[]> {
  return (await selectStuck(db, wanted)).map(toCheckout)
}

const selectStuck = preparedUpTo((db, given: Given<{ detectedBefore: number }>, limit) =>
  db
    .selectFrom('checkouts')
    .select(CHECKOUT_COLUMNS)
    .where('status', '=', 'detected')
    .where('detected_at', '<=', given('detectedBefore'))
    .orderBy('detected_at')
    .limit(limit),
)

/** The greater of two columns or values, in words both engines know. */
export const later = (column: string, value: number) =>
  sql<number>`case when ${sql.ref(column)} > ${value} then ${sql.ref(column)} else ${value} end`
/** The smaller one. */
export const earlier = (column: string, value: number) =>
  sql<number>`case when ${sql.ref(column)} < ${value} then ${sql.ref(column)} else ${value} end`

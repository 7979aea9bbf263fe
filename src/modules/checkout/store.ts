import { sql } from 'kysely'
import type { Db } from '../../kernel/db.ts'
import { type Given, givenRow, prepared, preparedUpTo } from '../../kernel/prepared.ts'
import { CHECKOUT, CHECKOUT_COLUMNS, type Checkout, type CheckoutsTable, toCheckout } from './record.ts'

/** Written exactly as in the partial indexes of open checkouts, so that a prepared statement uses them. */
export const IS_OPEN = sql<boolean>`status in ('pending', 'detected', 'partial')`
/** Made neither with a public key nor by a link, both of which anybody can hold. */
export const NOT_BY_OTHERS = sql<boolean>`(made_with is null
  and (key_id is null or (key_id not like 'lnk%' and key_id not like 'pos%')))`

export async function insertCheckout(db: Db, checkout: Checkout): Promise<void> {
  await insertRow(db, CHECKOUT.toRow(checkout))
}

/** A checkout without a look of its own gets the one that its transaction has just stored. */
const insertRow = prepared((db, given: Given<CheckoutsTable>) =>
  db.insertInto('checkouts').values({
    ...givenRow(given, CHECKOUT_COLUMNS),
    look: sql`coalesce(cast(${given('look')} as integer), (select looks from watched_addresses where address = ${given('address')}))`,
  }),
)

export async function findCheckout(db: Db, id: string): Promise<Checkout | undefined> {
  const [row] = await selectById(db, { id })
  return row && toCheckout(row)
}

const selectById = prepared((db, given: Given<{ id: string }>) =>
  db.selectFrom('checkouts').select(CHECKOUT_COLUMNS).where('id', '=', given('id')),
)

/** The same for its owner only; `owner` undefined is an administrator, who may see all. */
export async function findOwnCheckout(
  db: Db,
  { id, owner }: { id: string; owner: string | undefined },
): Promise<Checkout | undefined> {
  const found = await findCheckout(db, id)
  return found && (owner === undefined || found.owner === owner) ? found : undefined
}

interface OpenAt {
  address: string
  owner: string
  /** Counts only checkouts made with this key or link; undefined counts those made with neither a public key nor a link. */
  keyId: string | undefined
  max: number
}

/** Counts an owner's open checkouts on an address, up to a bound. */
export async function countOpen(db: Db, { address, owner, keyId, max: limit }: OpenAt): Promise<number> {
  const [row] = await (keyId === undefined
    ? countOwnOpen(db, { address, owner, limit })
    : countOpenWith(db, { address, owner, keyId, limit }))
  return Number(row!.count)
}

const openAt = (db: Db, given: Given<{ address: string; owner: string }>) =>
  db
    .selectFrom('checkouts')
    .select('id')
    .where('address', '=', given('address'))
    .where('owner', '=', given('owner'))
    .where(IS_OPEN)

const countOwnOpen = preparedUpTo((db, given: Given<{ address: string; owner: string }>, limit) => {
  const some = openAt(db, given).where(NOT_BY_OTHERS).limit(limit)
  return db.selectFrom(some.as('some')).select(({ fn }) => fn.countAll().as('count'))
})

const countOpenWith = preparedUpTo((db, given: Given<{ address: string; owner: string; keyId: string }>, limit) => {
  const some = openAt(db, given).where('key_id', '=', given('keyId')).limit(limit)
  return db.selectFrom(some.as('some')).select(({ fn }) => fn.countAll().as('count'))
})

/** Not made by an unbound public key, so the account itself has chosen the address. */
const IS_OF_ACCOUNT = sql<boolean>`(made_with is null or made_with = 'bound_key')`

/** Whether an account has asked for money at an address. */
export async function hasUsed(db: Db, { address, owner }: { address: string; owner: string }): Promise<boolean> {
  const at = sql`select 1 from checkouts where address = ${address} and owner = ${owner}`
  const { rows } = await sql`${at} and made_with is null union all ${at} and made_with = 'bound_key'
    union all select 1 from checkouts where merchant_address = ${address} and mode = 'generated_wallet'
      and owner = ${owner} and ${IS_OF_ACCOUNT} limit 1`.execute(db)
  return rows.length > 0
}

/** The address where an account last asked for money; checkouts made with a public key do not count. */
export async function findUsualAddress(db: Db, owner: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('checkouts')
    .select('merchant_address')
    .where('owner', '=', owner)
    .where(IS_OF_ACCOUNT)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.merchant_address
}

/**
 * Locks a checkout until the transaction ends, and assigns the number of its next timeline entry. Every change begins here, so that two
 * instances decide one after the other, the second on the state that the first has left.
 */
export async function lockCheckout(db: Db, id: string): Promise<Checkout | undefined> {
  const [row] = await holdRow(db, { id })
  return row && toCheckout(row)
}

/** The same for a checkout as it was read before; false when it has changed since. */
export async function lockUnchanged(db: Db, { id, seq }: Pick<Checkout, 'id' | 'seq'>): Promise<boolean> {
  return (await holdUnchanged(db, { id, seq })).length > 0
}

const holdUnchanged = prepared((db, given: Given<{ id: string; seq: number }>) =>
  db
    .updateTable('checkouts')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1) }))
    .where('id', '=', given('id'))
    .where('seq', '=', given('seq'))
    .returning('id'),
)

const holdRow = prepared((db, given: Given<{ id: string }>) =>
  db
    .updateTable('checkouts')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1) }))
    .where('id', '=', given('id'))
    .returning(CHECKOUT_COLUMNS),
)

export async function listOverdue(
  db: Db,
  { address, expiresBefore, limit }: { address: string; expiresBefore: number; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('checkouts')
    .select('id')
    .where('address', '=', address)
    // Written as in the index of open checkouts: otherwise SQLite would scan all that ever existed.
    .where(IS_OPEN)
    .where('status', '<>', 'detected')
    .where('expires_at', '<=', expiresBefore)
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** When the next open checkout of each address ends; addresses without an open checkout are left out. */
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

/** Checkouts that waited at an address at some time before a payment, newest first. */
export async function listAsked(
  db: Db,
  { owner, address, from, to, limit }: { owner: string; address: string; from: number; to: number; limit: number },
): Promise<Checkout[]> {
  const rows = await db
    .selectFrom('checkouts')
    .select(CHECKOUT_COLUMNS)
    .where('address', '=', address)
    .where('owner', '=', owner)
    .where('created_at', '>=', from)
    .where('created_at', '<=', to)
    .where('status', '<>', 'complete')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toCheckout)
}

/** Checkouts whose block was detected but has not been confirmed since. */
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

/** The greater of a column and a value, in SQL that both engines understand. */
export const later = (column: string, value: number) =>
  sql<number>`case when ${sql.ref(column)} > ${value} then ${sql.ref(column)} else ${value} end`
/** The smaller of a column and a value. */
export const earlier = (column: string, value: number) =>
  sql<number>`case when ${sql.ref(column)} < ${value} then ${sql.ref(column)} else ${value} end`

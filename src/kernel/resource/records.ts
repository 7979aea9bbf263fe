import type { Kysely } from 'kysely'
import type { Place } from '../cursor.ts'
import type { Db } from '../db.ts'
import { behind } from '../keyset.ts'
import type { FieldsOf, Stored } from './field.ts'
import { type RecordOf, type Resource, storedOf } from './resource.ts'

type Row = Record<string, Stored>

export interface Own {
  id: string
  /** The id of its account. */
  owner: string
}

export interface PageOf {
  owner: string
  limit: number
  after?: Place | undefined
}

export interface Records<R> {
  toRecord(row: object): R
  insert(db: Db, record: R): Promise<void>
  /** Whoever asks must prove that they may. */
  find(db: Db, id: string): Promise<R | undefined>
  findOwn(db: Db, own: Own): Promise<R | undefined>
  /** Newest first. */
  list(db: Db, page: PageOf): Promise<R[]>
  /** All of an account, oldest first: there are few. */
  listAll(db: Db, owner: string): Promise<R[]>
  count(db: Db, owner: string): Promise<number>
  /** Holds one until the transaction ends: two changes are made one after the other. */
  lock(db: Db, own: Own): Promise<R | undefined>
  /** Writes what `lock` holds. */
  update(db: Db, record: R): Promise<void>
  /** Marks it, or deletes it, as its noun says. False when it was gone already. */
  remove(db: Db, gone: Own & { now: number }): Promise<boolean>
}

/** The usual statements of a noun. What is asked often, or asks for more, stands beside them in its module. */
export function records<F extends FieldsOf, Room>(of: Resource<F, Room>): Records<RecordOf<F> & { id: string }> {
  type R = RecordOf<F> & { id: string }
  const { table, owner: ownerField, marksDeleted = false } = of
  const stored = storedOf(of)
  const owner = stored.find(({ name }) => name === ownerField)!.column
  const fixed = ['id', ownerField, 'createdAt']
  const changing = stored.filter(({ name, field }) => field.set === 'always' && !fixed.includes(name))

  // The one place where a table is named by a value: its columns are those of the fields, which `RowOf` says to the compiler.
  const on = (db: Db) => db as unknown as Kysely<Record<string, Row>>
  const toRow = (record: object, which: typeof stored): Row => {
    const row: Row = {}
    const values = record as Readonly<Record<string, unknown>>
    for (const { name, column, field } of which) row[column] = field.toColumn(values[name])
    return row
  }
  const toRecord = (row: object): R => {
    const record: Record<string, unknown> = {}
    for (const { name, column, field } of stored) record[name] = field.fromColumn((row as Row)[column]!)
    return record as R
  }
  const alive = (db: Db) => {
    const query = on(db).selectFrom(table)
    return marksDeleted ? query.where('deleted_at', 'is', null) : query
  }
  const ofOwner = (db: Db, id: string) => alive(db).where(owner, '=', id)
  const changeOwn = (db: Db, own: Own, set: Row) => {
    const query = on(db).updateTable(table).set(set).where('id', '=', own.id).where(owner, '=', own.owner)
    return (marksDeleted ? query.where('deleted_at', 'is', null) : query).returningAll().executeTakeFirst()
  }
  async function find(db: Db, id: string): Promise<R | undefined> {
    const row = await alive(db).selectAll().where('id', '=', id).executeTakeFirst()
    return row && toRecord(row)
  }
  return {
    toRecord,
    find,
    async insert(db, record) {
      const row = toRow(record, stored)
      await on(db)
        .insertInto(table)
        .values(marksDeleted ? { ...row, deleted_at: null } : row)
        .execute()
    },
    async findOwn(db, own) {
      const row = await ofOwner(db, own.owner).selectAll().where('id', '=', own.id).executeTakeFirst()
      return row && toRecord(row)
    },
    async list(db, { owner: id, limit, after }) {
      let query = ofOwner(db, id).selectAll()
      if (after) query = query.where(behind(['created_at', 'desc', after.createdAt], ['id', 'desc', after.id]))
      const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
      return rows.map(toRecord)
    },
    async listAll(db, id) {
      const rows = await ofOwner(db, id).selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(toRecord)
    },
    async count(db, id) {
      const counted = ofOwner(db, id).select(({ fn }) => fn.countAll<number>().as('count'))
      return Number((await counted.executeTakeFirst())?.count)
    },
    async lock(db, own) {
      const row = await changeOwn(db, own, { [owner]: own.owner })
      return row && toRecord(row)
    },
    async update(db, record) {
      await on(db).updateTable(table).set(toRow(record, changing)).where('id', '=', record.id).execute()
    },
    async remove(db, { now, ...own }) {
      if (marksDeleted) return (await changeOwn(db, own, { deleted_at: now })) !== undefined
      const query = on(db).deleteFrom(table).where('id', '=', own.id).where(owner, '=', own.owner)
      return (await query.returning('id').executeTakeFirst()) !== undefined
    },
  }
}

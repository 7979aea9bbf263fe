import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import { type Place, behind } from '../paging.ts'
import type { Db } from '../db.ts'
import type { Json, JsonObject } from '../shape.ts'
import type { FieldsOf, Stored } from './field.ts'
import { type AnyEntity, type Entity, type RecordOf, type RowOf, storedOf } from './resource.ts'

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

/** Converts between the rows and the records of a resource. */
export function rowsOf<F extends FieldsOf, Context>(of: Entity<F, Context>) {
  const stored = storedOf(of)
  return {
    toRecord(row: object): RecordOf<F> {
      const record: Record<string, unknown> = {}
      const parsed: Record<string, JsonObject> = {}
      for (const { name, column, wire, field } of stored) {
        const held = (row as Row)[column]!
        if (!field.within) record[name] = field.fromColumn(held)
        else record[name] = (parsed[column] ??= JSON.parse(held as string) as JsonObject)[wire] ?? field.within.absent
      }
      return record as RecordOf<F>
    },
    toRow(record: RecordOf<F>, which: AnyEntity['named'] = stored): RowOf<F> {
      const row: Row = {}
      const objects: Record<string, JsonObject> = {}
      const values: Readonly<Record<string, unknown>> = record
      for (const { name, column, wire, field } of which) {
        const value = values[name]
        if (!field.within) row[column] = field.toColumn(value)
        else {
          const object = (objects[column] ??= {})
          if (!isDeepStrictEqual(value, field.within.absent)) object[wire] = value as Json
        }
      }
      for (const [column, object] of Object.entries(objects)) row[column] = JSON.stringify(object)
      return row as RowOf<F>
    },
  }
}

/** The usual statements of a resource. Frequent or complex queries are written in its module. */
export function records<F extends FieldsOf, Context>(of: Entity<F, Context>) {
  const { table, owner: ownerField, marksDeleted = false } = of
  const rows = rowsOf(of)
  const { toRecord, toRow } = rows
  const stored = storedOf(of)
  const owner = stored.find(({ name }) => name === ownerField)!.column
  const fixed = ['id', ownerField, 'createdAt']
  // A JSON column is written as a whole, including members that can be set only once.
  const changing = stored.filter(
    ({ name, field: { set, within } }) => within ?? (set === 'always' && !fixed.includes(name)),
  )

  // Only here the name of a table is a variable. Its columns are those of the fields, as `RowOf` declares.
  const on = (db: Db) => db as unknown as Kysely<Record<string, Row>>
  const alive = (db: Db) => {
    const query = on(db).selectFrom(table)
    return marksDeleted ? query.where('deleted_at', 'is', null) : query
  }
  const ofOwner = (db: Db, id: string) => alive(db).where(owner, '=', id)
  const changeOwn = (db: Db, own: Own, set: Row) => {
    const query = on(db).updateTable(table).set(set).where('id', '=', own.id).where(owner, '=', own.owner)
    return (marksDeleted ? query.where('deleted_at', 'is', null) : query).returningAll().executeTakeFirst()
  }
  return {
    ...rows,
    async insert(db: Db, record: RecordOf<F>): Promise<void> {
      const row = toRow(record) as Row
      const whole = marksDeleted ? { ...row, deleted_at: null } : row
      await on(db).insertInto(table).values(whole).execute()
    },
    /** Finds a record of any owner, so the caller must check permissions. */
    async find(db: Db, id: string): Promise<RecordOf<F> | undefined> {
      const row = await alive(db).selectAll().where('id', '=', id).executeTakeFirst()
      return row && toRecord(row)
    },
    async findOwn(db: Db, own: Own): Promise<RecordOf<F> | undefined> {
      const row = await ofOwner(db, own.owner).selectAll().where('id', '=', own.id).executeTakeFirst()
      return row && toRecord(row)
    },
    /** Newest first. */
    async list(db: Db, { owner: id, limit, after }: PageOf): Promise<RecordOf<F>[]> {
      let query = ofOwner(db, id).selectAll()
      if (after) query = query.where(behind(['created_at', 'desc', after.createdAt], ['id', 'desc', after.id]))
      const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
      return rows.map(toRecord)
    },
    /** All records of an account, oldest first; only for resources of which there are few. */
    async listAll(db: Db, id: string): Promise<RecordOf<F>[]> {
      const rows = await ofOwner(db, id).selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(toRecord)
    },
    async count(db: Db, id: string): Promise<number> {
      const counted = ofOwner(db, id).select(({ fn }) => fn.countAll<number>().as('count'))
      return Number((await counted.executeTakeFirst())?.count)
    },
    /** Locks a record until the transaction ends, so that two changes happen one after the other. */
    async lock(db: Db, own: Own): Promise<RecordOf<F> | undefined> {
      const row = await changeOwn(db, own, { [owner]: own.owner })
      return row && toRecord(row)
    },
    /** Writes a record that `lock` has returned. */
    async update(db: Db, record: RecordOf<F> & { id: string }): Promise<void> {
      const row = toRow(record, changing) as Row
      await on(db).updateTable(table).set(row).where('id', '=', record.id).execute()
    },
    /** Marks a record as deleted, or deletes it, as the resource declares. False if it was gone already. */
    async remove(db: Db, { now, ...own }: Own & { now: number }): Promise<boolean> {
      if (marksDeleted) return (await changeOwn(db, own, { deleted_at: now })) !== undefined
      const query = on(db).deleteFrom(table).where('id', '=', own.id).where(owner, '=', own.owner)
      return (await query.returning('id').executeTakeFirst()) !== undefined
    },
  }
}

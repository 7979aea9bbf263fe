import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Row } from './rows.ts'

type Value = string | number | null

/** Statements of one connection, prepared once. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql)
    if (!statement) this.#prepared.set(sql, (statement = this.#db.prepare(sql)))
    return statement
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.prepare(sql).get(...values)
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.prepare(sql).all(...values)
  }

  /** A prepared statement cannot serve two walks at once, so each walk prepares its own. */
  *iterate(sql: string, ...values: Value[]): Generator<Row> {
    for (const row of this.#db.prepare(sql).iterate(...values)) yield row
  }

  run(sql: string, ...values: Value[]): void {
    this.prepare(sql).run(...values)
  }
}

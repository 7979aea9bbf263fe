import type { DatabaseSync } from 'node:sqlite'

const TABLES = ['blocks', 'accounts', 'receivable', 'weights', 'totals', 'touched']

interface Column {
  name: string
  /** Position in the primary key, from 1 on. */
  pk: number
}

/**
 * Statements that undo each write, newest first. Temporary triggers of this connection record them while a snapshot
 * needs them, so at other times writes cost nothing extra, and the file contains no trigger.
 */
export class UndoLog {
  readonly #db: DatabaseSync
  #now: () => number = () => 0

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  /** Records from now on how to undo every change. Call it inside a transaction. */
  start(now: () => number): void {
    if (this.#isKept()) return
    this.#now = now
    this.#db.function('undo_now', () => this.#now())
    this.#db.exec('create temp table undo (seq integer primary key, at integer not null, sql text not null)')
    for (const table of TABLES) this.#watch(table)
  }

  /** Stops recording, and deletes the records. */
  stop(): void {
    if (!this.#isKept()) return
    for (const table of TABLES) {
      for (const kind of ['insert', 'update', 'delete']) this.#db.exec(`drop trigger temp.undo_${table}_${kind}`)
    }
    this.#db.exec('drop table temp.undo')
  }

  /** The current end of the log, for `undoTo`. */
  mark(): number {
    return Number(this.#db.prepare('select coalesce(max(seq), 0) as mark from temp.undo').get()!.mark)
  }

  /** Undoes everything since a mark. Call it inside a transaction. */
  undoTo(mark: number): void {
    const rows = this.#db.prepare('select sql from temp.undo where seq > ? order by seq desc').all(mark)
    for (const { sql } of rows) this.#db.exec(String(sql))
    // Deletes what the triggers recorded during the undoing.
    this.#db.prepare('delete from temp.undo where seq > ?').run(mark)
  }

  /** Reads the state of an earlier moment: undoes everything newer, reads, and applies it again. */
  lookBack<T>(moment: number, look: () => T): T {
    this.#db.exec('begin')
    try {
      const row = this.#db.prepare('select seq from temp.undo where at > ? order by seq limit 1').get(moment)
      if (row) this.undoTo(Number(row.seq) - 1)
      return look()
    } finally {
      this.#db.exec('rollback')
    }
  }

  /** Deletes records older than a moment, unless there is a mark. */
  prune(moment: number): void {
    this.#db.prepare('delete from temp.undo where at <= ?').run(moment)
  }

  #isKept(): boolean {
    return this.#db.prepare(`select 1 from temp.sqlite_master where name = 'undo'`).get() !== undefined
  }

  #watch(table: string): void {
    const columns = this.#db.prepare(`pragma table_info(${table})`).all() as unknown as Column[]
    const keys = columns.filter(({ pk }) => pk > 0)
    const equal = (row: string, all: Column[], between: string) =>
      all.map(({ name }) => `'${name} = ' || quote(${row}.${name})`).join(` || '${between}' || `)
    const names = columns.map(({ name }) => name).join(', ')
    const values = columns.map(({ name }) => `quote(old.${name})`).join(` || ', ' || `)
    const undoes = {
      insert: `'delete from ${table} where ' || ${equal('new', keys, ' and ')}`,
      update: `'update ${table} set ' || ${equal('old', columns, ', ')} || ' where ' || ${equal('new', keys, ' and ')}`,
      delete: `'insert into ${table} (${names}) values (' || ${values} || ')'`,
    }
    for (const [kind, sql] of Object.entries(undoes)) {
      this.#db.exec(
        `create temp trigger undo_${table}_${kind} after ${kind} on main.${table}
         begin insert into undo values (null, undo_now(), ${sql}); end`,
      )
    }
  }
}

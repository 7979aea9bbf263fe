import { Worker } from 'node:worker_threads'
import type { SqlResult, SqlValue, SqliteReply, SqliteRequest } from './sqlite-protocol.ts'

type WithoutId<T> = T extends { id: number } ? Omit<T, 'id'> : never
type Asked =
  | Exclude<WithoutId<SqliteRequest>, { op: 'query' | 'forget' }>
  | { op: 'query'; sql: string; values: SqlValue[]; within: boolean }

const STATEMENTS_MAX = 500
const NO_COLUMNS: readonly string[] = []
const OPENING = 1

interface Known {
  number: number
  columns: readonly string[]
}

/** The answer to a request. */
export interface Answered {
  columns: readonly string[]
  rows: unknown[][]
  changes: number
}

/** The answer to a commit that was rolled back. */
export const UNDONE: Answered = { columns: NO_COLUMNS, rows: [], changes: 0 }

interface Pending {
  statement: Known | undefined
  resolve: (result: Answered | undefined) => void
  reject: (error: Error) => void
}

/** An error of SQLite with its extended code. */
class SqliteError extends Error {
  readonly code: number | undefined

  constructor(message: string, code: number | undefined) {
    super(message)
    this.code = code
  }
}

/**
 * Threads without a database, kept for reuse: starting threads would take most of the time of a process that opens many
 * databases, one after another.
 */
const idle: Worker[] = []
const IDLE_MAX = 8

function startThread(): Worker {
  // The worker is the file beside this one, either compiled or source.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./sqlite-worker.${extension}`, import.meta.url), {
    // The worker needs none of the main thread's loaders, which would otherwise be loaded again.
    execArgv: [],
    // Rows are short-lived, so a larger young generation would only occupy memory.
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })
}

/** The main thread's end of a database thread: sends requests and returns promises. */
export class SqliteThread {
  readonly #worker: Worker
  readonly #judge: (error: unknown) => unknown
  readonly #pending = new Map<number, Pending>()
  readonly #statements = new Map<string, Known>()
  #lastStatement = 0
  #lastId = 0
  /**
   * Requests of this turn of the event loop. They are sent together, because a message costs more than most statements.
   */
  #outbox: SqliteRequest[] = []
  #ended: Error | undefined

  constructor(file: string, { readOnly, judge }: { readOnly: boolean; judge(error: unknown): unknown }) {
    this.#judge = judge
    this.#worker = idle.pop() ?? startThread()
    this.#worker.ref()
    this.#worker.on('message', (replies: SqliteReply[]) => {
      for (const reply of replies) this.#receive(reply)
    })
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end(new Error('The database thread ended.')))
    // If the database cannot be opened, no later request will be answered.
    this.send({ op: 'open', file, readOnly }).catch((error: Error) => this.#end(error))
  }

  #end(error: Error): void {
    this.#ended ??= error
    for (const { reject } of this.#pending.values()) reject(this.#ended)
    this.#pending.clear()
  }

  send(asked: Asked): Promise<Answered | undefined> {
    // The thread has ended and answers nothing more.
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId
      if (asked.op !== 'query') {
        this.#pending.set(id, { statement: undefined, resolve, reject })
        this.#say({ ...asked, id })
        return
      }
      const { sql, values, within } = asked
      const known = this.#statements.get(sql)
      const statement = known ?? this.#introduce(sql)
      this.#pending.set(id, { statement, resolve, reject })
      const request = { id, op: 'query' as const, statement: statement.number, values, within }
      this.#say(known ? request : { ...request, sql })
    })
  }

  #say(request: SqliteRequest): void {
    if (this.#outbox.push(request) === 1) setImmediate(() => this.#post())
  }

  /** The order of use is not tracked: if there are too many statements, half of them are dropped. */
  #introduce(sql: string): Known {
    if (this.#statements.size >= STATEMENTS_MAX) {
      const old = [...this.#statements].slice(0, STATEMENTS_MAX / 2)
      for (const [text] of old) this.#statements.delete(text)
      this.#say({ id: 0, op: 'forget', statements: old.map(([, { number }]) => number) })
    }
    const statement = { number: ++this.#lastStatement, columns: NO_COLUMNS }
    this.#statements.set(sql, statement)
    return statement
  }

  #post(): void {
    const requests = this.#outbox
    this.#outbox = []
    if (!this.#ended) this.#worker.postMessage(requests)
  }

  async close(): Promise<void> {
    if (!this.#ended) await this.send({ op: 'close' })
    const isFree = !this.#ended && idle.length < IDLE_MAX
    for (const event of ['message', 'error', 'exit']) this.#worker.removeAllListeners(event)
    this.#end(new Error('The database is closed.'))
    if (!isFree) {
      await this.#worker.terminate()
      return
    }
    this.#worker.unref()
    idle.push(this.#worker)
  }

  #receive(reply: SqliteReply): void {
    const pending = this.#pending.get(reply.id)
    if (!pending) return
    this.#pending.delete(reply.id)
    if (reply.kind === 'undone') pending.resolve(UNDONE)
    else if (reply.kind === 'done') pending.resolve(reply.result && withColumns(pending.statement!, reply.result))
    else {
      const error = this.#judge(new SqliteError(reply.message, reply.code)) as Error
      if (reply.id === OPENING) {
        this.#end(error)
        void this.#worker.terminate()
      }
      pending.reject(error)
    }
  }
}

function withColumns(statement: Known, { columns, rows, changes }: SqlResult): Answered {
  if (columns) statement.columns = columns
  return { columns: statement.columns, rows, changes }
}

import { DatabaseSync, type StatementSync, backup } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { SqlResult, SqlValue, SqliteReply, SqliteRequest } from './sqlite-protocol.ts'

/*
 * A thread that owns one connection, so that a sync to disk never stalls the event loop. Transactions run one after
 * another as savepoints of an open batch. The batch is committed, with one sync, when no further transaction is waiting
 * or the bound is reached; only then does anybody in it hear that it is done.
 */
const BATCH_MAX = 64
const STATEMENTS_MAX = 500
const PAGES_ALL = 2 ** 31 - 1

const { file, readOnly } = workerData as { file: string; readOnly: boolean }
const port = parentPort!
const db = new DatabaseSync(file, { readOnly })
// Set on every open: a reopened file may fall back to settings that can lose the last commits.
db.exec('pragma busy_timeout = 30000; pragma foreign_keys = on')
if (!readOnly) db.exec('pragma journal_mode = wal; pragma synchronous = full')
// Amounts are text; the built-in sum would turn them into floating point.
db.aggregate('sum_raw', {
  start: '0',
  step: (sum: string, value: unknown) => (value === null ? sum : String(BigInt(sum) + BigInt(value as string))),
})

const statements = new Map<string, StatementSync>()
let batchOpen = false
let inTransaction = false
let waiting: number[] = []

const reply = (message: SqliteReply) => port.postMessage(message)

function prepare(sql: string): StatementSync {
  let statement = statements.get(sql)
  if (statement) statements.delete(sql)
  else statement = db.prepare(sql)
  statements.set(sql, statement)
  if (statements.size > STATEMENTS_MAX) statements.delete(statements.keys().next().value!)
  return statement
}

function run(sql: string, values: SqlValue[]): SqlResult {
  const statement = prepare(sql)
  if (statement.columns().length > 0) {
    const rows = statement.all(...values)
    return { rows, changes: rows.length }
  }
  return { rows: [], changes: Number(statement.run(...values).changes) }
}

function openBatch(): void {
  if (batchOpen) return
  db.exec('begin immediate')
  batchOpen = true
}

/** One sync for all who wait; when it fails, it fails for all of them. */
function closeBatch(): void {
  if (!batchOpen) return
  const ids = waiting
  waiting = []
  batchOpen = false
  try {
    db.exec('commit')
    for (const id of ids) reply({ id, kind: 'done' })
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    for (const id of ids) fail(id, error)
  }
}

/** Some failures, such as a full disk, roll everything back: then nobody in the batch may hear that it is done. */
function loseBatch(error: unknown): void {
  const ids = waiting
  waiting = []
  batchOpen = false
  for (const id of ids) fail(id, error)
}

/** Without its batch a transaction has nothing to stand on; its statements would take effect one by one. */
function requireBatch(): void {
  if (!batchOpen) throw new Error('The transaction was rolled back.')
}

function fail(id: number, error: unknown): void {
  const { message, errcode } = error as Error & { errcode?: number }
  reply({ id, kind: 'failed', message, code: errcode })
}

/**
 * All pages in one step: between steps a write would make the copy start again, and a busy store would never be done.
 * A connection of its own, so that reads go on meanwhile.
 */
async function copyTo(target: string): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    await backup(source, target, { rate: PAGES_ALL })
  } finally {
    source.close()
  }
}

function handle(request: SqliteRequest): void {
  const { id } = request
  switch (request.op) {
    case 'query':
      if (inTransaction) requireBatch()
      reply({ id, kind: 'done', result: run(request.sql, request.values) })
      return
    case 'begin':
      openBatch()
      db.exec('savepoint work')
      inTransaction = true
      reply({ id, kind: 'done' })
      return
    case 'commit':
      inTransaction = false
      requireBatch()
      db.exec('release work')
      waiting.push(id)
      reply({ id, kind: 'released' })
      if (!request.more || waiting.length >= BATCH_MAX) closeBatch()
      return
    case 'rollback':
      if (inTransaction && batchOpen) db.exec('rollback to work; release work')
      inTransaction = false
      reply({ id, kind: 'done' })
      if (!request.more) closeBatch()
      return
    case 'backup':
      void copyTo(request.file).then(
        () => reply({ id, kind: 'done' }),
        (error: unknown) => fail(id, error),
      )
      return
    case 'close':
      closeBatch()
      db.close()
      reply({ id, kind: 'done' })
      port.close()
  }
}

port.on('message', (request: SqliteRequest) => {
  try {
    handle(request)
  } catch (error) {
    fail(request.id, error)
    if (batchOpen && !db.isTransaction) loseBatch(error)
    // Whoever was promised a follower must not wait for one that could not begin.
    else if (batchOpen && request.op === 'begin') closeBatch()
  }
})

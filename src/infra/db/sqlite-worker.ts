import { DatabaseSync, type StatementSync, backup } from 'node:sqlite'
import { parentPort, receiveMessageOnPort } from 'node:worker_threads'
import { addFunctions } from './sqlite-functions.ts'
import type { SqlResult, SqlValue, SqliteReply, SqliteRequest } from './sqlite-protocol.ts'

/*
 * A thread that owns one connection, so that a sync to the disk never blocks the event loop. Transactions run one after
 * another, as savepoints of an open batch. The batch is committed with one sync when no transaction is waiting or the
 * batch is full. Only then do the callers in it get their answers.
 */
const BATCH_MAX = 64
/**
 * How many messages the writer reads before it sends their answers. A reader answers each at once, so that quick
 * answers do not wait for slow ones.
 */
const MESSAGES_MAX = 32
const PAGES_ALL = 2 ** 31 - 1

const port = parentPort!
let isWriter = false
let file: string
let db: DatabaseSync

interface Prepared {
  statement: StatementSync
  columns: string[]
  /** Whether the main thread knows these columns. */
  isKnown: boolean
}

/** Texts and prepared statements by their numbers. */
const texts = new Map<number, string>()
const statements = new Map<number, Prepared>()
let batchOpen = false
let inTransaction = false
/** Whether the batch stays open because another transaction was announced. */
let awaitsMore = false
/** How many statements of the transaction have found a row; NaN once one has found none or failed. */
let found = 0
let waiting: number[] = []

function open(request: { file: string; readOnly: boolean }): void {
  file = request.file
  texts.clear()
  statements.clear()
  batchOpen = inTransaction = awaitsMore = false
  waiting = []
  isWriter = !request.readOnly
  db = new DatabaseSync(file, { readOnly: request.readOnly })
  // Set at every open, because a reopened file may have default settings with which the last commits could be lost.
  db.exec('pragma busy_timeout = 30000; pragma foreign_keys = on')
  // Otherwise erased data would stay in free pages, and in every backup made afterwards.
  if (!request.readOnly) db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on')
  addFunctions(db)
}

let replies: SqliteReply[] = []
const reply = (message: SqliteReply) => replies.push(message)

function sendReplies(): void {
  if (replies.length > 0) port.postMessage(replies)
  replies = []
}

const columnsOf = (statement: StatementSync) => statement.columns().map(({ name }) => name)

function prepare(number: number): Prepared {
  const known = statements.get(number)
  if (known) return known
  const statement = db.prepare(texts.get(number)!)
  statement.setReturnArrays(true)
  const prepared = { statement, columns: columnsOf(statement), isKnown: false }
  statements.set(number, prepared)
  return prepared
}

function run(number: number, values: SqlValue[]): SqlResult {
  const prepared = prepare(number)
  const { statement } = prepared
  if (prepared.columns.length === 0) return { rows: [], changes: Number(statement.run(...values).changes) }
  const rows = statement.all(...values) as unknown as unknown[][]
  // The schema may have changed since the statement was prepared.
  if (rows.length > 0 && rows[0]!.length !== prepared.columns.length) {
    prepared.columns = columnsOf(statement)
    prepared.isKnown = false
  }
  const result = { rows, changes: rows.length }
  if (prepared.isKnown) return result
  prepared.isKnown = true
  return { ...result, columns: prepared.columns }
}

function openBatch(): void {
  if (batchOpen) return
  db.exec('begin immediate')
  batchOpen = true
}

/** Commits with one sync for all waiting callers; if it fails, all of them get the error. */
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
  // Callers that are finished do not wait for later requests.
  sendReplies()
}

/** Some failures, such as a full disk, roll back the whole batch. Then every caller in it must get the error. */
function loseBatch(error: unknown): void {
  const ids = waiting
  waiting = []
  batchOpen = false
  for (const id of ids) fail(id, error)
}

/** Refuses statements of a transaction that has no open batch: they would take effect one by one. */
function requireTransaction(): void {
  if (!batchOpen || !inTransaction) throw new Error('The transaction was rolled back.')
}

function fail(id: number, error: unknown): void {
  const { message, errcode } = error as Error & { errcode?: number }
  reply({ id, kind: 'failed', message, code: errcode })
}

function answer(id: number, result: SqlResult): void {
  found = result.rows.length > 0 ? found + 1 : NaN
  reply({ id, kind: 'done', result })
}

/** Rolls back one transaction; the rest of the batch no longer waits for it. */
function undo({ id, more }: { id: number; more: boolean }, kind: 'done' | 'undone'): void {
  if (inTransaction && batchOpen) db.exec('rollback to work; release work')
  inTransaction = false
  reply({ id, kind })
  awaitsMore = more
}

/**
 * Copies all pages in one step: between two steps a write would make the copy start again, so on a busy store it would
 * never finish. It uses a connection of its own, so that reads continue.
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
    case 'open':
      open(request)
      reply({ id, kind: 'done' })
      return
    case 'query':
      // Stored before anything can fail, because the text is sent only once.
      if (request.sql !== undefined) texts.set(request.statement, request.sql)
      if (request.within) requireTransaction()
      answer(id, run(request.statement, request.values))
      return
    case 'forget':
      for (const number of request.statements) {
        texts.delete(number)
        statements.delete(number)
      }
      return
    case 'begin':
      openBatch()
      db.exec('savepoint work')
      inTransaction = true
      found = 0
      reply({ id, kind: 'done' })
      return
    case 'commit':
      requireTransaction()
      if (request.whole !== undefined && request.whole !== found) return undo(request, 'undone')
      inTransaction = false
      db.exec('release work')
      waiting.push(id)
      awaitsMore = request.more
      if (waiting.length >= BATCH_MAX) closeBatch()
      return
    case 'rollback':
      return undo(request, 'done')
    case 'backup':
      void copyTo(request.file).then(
        () => {
          reply({ id, kind: 'done' })
          sendReplies()
        },
        (error: unknown) => {
          fail(id, error)
          sendReplies()
        },
      )
      return
    case 'close':
      closeBatch()
      db.close()
      reply({ id, kind: 'done' })
  }
}

function handleAll(requests: readonly SqliteRequest[]): void {
  for (const request of requests) {
    try {
      handle(request)
    } catch (error) {
      fail(request.id, error)
      found = NaN
      if (batchOpen && !db.isTransaction) loseBatch(error)
      // If the announced transaction could not begin, the batch must not wait for it any longer.
      else if (batchOpen && request.op === 'begin') closeBatch()
    }
  }
}

port.on('message', (first: SqliteRequest[]) => {
  // Everything that arrived while the last batch was synced is one batch.
  let requests: SqliteRequest[] | undefined = first
  for (let messages = 1; requests; messages++) {
    handleAll(requests)
    requests =
      isWriter && messages < MESSAGES_MAX
        ? (receiveMessageOnPort(port)?.message as SqliteRequest[] | undefined)
        : undefined
  }
  if (!inTransaction && !awaitsMore) closeBatch()
  sendReplies()
})

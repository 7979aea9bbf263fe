import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Db } from '../../src/kernel/db.ts'
import { findAccount } from '../../src/modules/accounts/index.ts'
import { insertAccount } from '../../src/modules/accounts/store.ts'
import { addAvailable } from '../../src/modules/accounts/credits-store.ts'
import { fileOf, openFresh } from '../support/engines.ts'
import { until } from '../support/until.ts'

const account = (id: string) => ({ id, email: null, role: 'user' as const, createdAt: 1 })

/** The number of commits in the write-ahead log: frames with a nonzero database size (SQLite file format 4.1). */
function countCommits(file: string): number {
  const log = readFileSync(`${file}-wal`)
  if (log.length === 0) return 0
  const pageSize = log.readUInt32BE(8)
  let commits = 0
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize) {
    const ofThisLog = log.compare(log, 16, 24, at + 8, at + 16) === 0
    if (ofThisLog && log.readUInt32BE(at + 4) > 0) commits++
  }
  return commits
}

/** A pair of rows in one transaction: one alone would be a torn transaction. */
const writePair = (db: Db, id: string) =>
  db.transaction().execute(async (tx) => {
    await insertAccount(tx, account(id))
    await addAvailable(tx, id, 1)
  })

function readPairs(file: string): { accounts: Set<string>; balances: Set<string> } {
  const copy = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = (text: string) => copy.prepare(text).all()
    const read = (text: string) => new Set(rows(text).map((row) => String(Object.values(row)[0])))
    assert.deepEqual({ ...copy.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    return { accounts: read('select id from accounts'), balances: read('select account_id from credit_balances') }
  } finally {
    copy.close()
  }
}

test('transactions that arrive together share syncs, each is answered after its commit; a single one waits for no company', async (t) => {
  const { store, url } = await openFresh(t, 'sqlite')
  const outside = new DatabaseSync(fileOf(url), { readOnly: true })
  t.after(() => outside.close())
  const isThere = outside.prepare('select 1 from accounts where id = ?')
  const start = countCommits(fileOf(url))
  for (const id of ['acc_a', 'acc_b', 'acc_c']) await insertAccount(store.db, account(id))
  const before = countCommits(fileOf(url))
  assert.equal(before - start, 3)
  let early = 0
  await Promise.all(
    Array.from({ length: 256 }, async (_, index) => {
      await writePair(store.db, `acc_${index}`)
      // Another connection sees only what is committed.
      if (!isThere.get(`acc_${index}`)) early++
    }),
  )
  assert.equal(early, 0, 'nobody was answered before the commit')
  const commits = countCommits(fileOf(url)) - before
  assert.ok(commits >= 4 && commits <= 32, `256 transactions took ${commits} syncs`)
})

test('every connection syncs fully, enforces references and waits for others', async (t) => {
  const { store } = await openFresh(t, 'sqlite')
  await store.db.transaction().execute(async (tx) => {
    const read = async (name: string) => Object.values((await sql.raw(`pragma ${name}`).execute(tx)).rows[0]!)[0]
    const settings = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout']
    assert.deepEqual(await Promise.all(settings.map(read)), ['wal', 2, 1, 30_000])
  })
})

// On a full disk, SQLite may roll back more than the failed statement.
test('a full disk fails only the writes that it affects; acknowledged ones are kept, and the store goes on', async (t) => {
  const { store, url } = await openFresh(t, 'sqlite')
  const limit = (pages: number) =>
    store.db.transaction().execute((tx) => sql.raw(`pragma max_page_count = ${pages}`).execute(tx))
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db)
  await limit(rows[0]!.page_count + 30)
  const write = (index: number) => writePair(store.db, `acc_${index}_${'x'.repeat(1000)}`)
  const outcomes = await Promise.allSettled(Array.from({ length: 300 }, (_, index) => write(index)))
  // Writes that share a commit fail together; single ones succeed until the space is used up.
  for (let index = 300; index < 350; index++) outcomes.push(...(await Promise.allSettled([write(index)])))
  const answered = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
  assert.ok(answered.length > 0 && answered.length < 350, `${answered.length} fitted`)
  await limit(100_000)
  await writePair(store.db, 'acc_after')
  const { accounts, balances } = readPairs(fileOf(url))
  assert.deepEqual(accounts, balances)
  const kept = [...accounts].filter((id) => id !== 'acc_after').map((id) => Number(id.split('_')[1]))
  assert.deepEqual(new Set(kept), new Set(answered))
})

// SQLite may roll back the whole transaction by itself; later statements must not take effect one by one.
test('a transaction that lost its ground keeps nothing of what it does afterwards', async (t) => {
  const { store } = await openFresh(t, 'sqlite')
  const lost = store.db.transaction().execute(async (tx) => {
    await insertAccount(tx, account('acc_1'))
    await assert.rejects(
      sql`insert or rollback into accounts (id, role, created_at) values ('acc_1', 'user', 1)`.execute(tx),
    )
    await insertAccount(tx, account('acc_2'))
  })
  await assert.rejects(lost, /rolled back/)
  await insertAccount(store.db, account('acc_3'))
  const rows = await store.db.selectFrom('accounts').select('id').execute()
  assert.deepEqual(rows, [{ id: 'acc_3' }])
})

test('a backup taken under constant writing is whole and holds all that was answered before it began', async (t) => {
  const { store, url } = await openFresh(t, 'sqlite')
  const answered: string[] = []
  const enough = new AbortController()
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let round = 0; !enough.signal.aborted; round++) {
      const id = `acc_${writer}_${round}_${'x'.repeat(300)}`
      await writePair(store.db, id)
      answered.push(id)
    }
  })
  await until(() => answered.length > 1000)
  const before = [...answered]
  const target = `${fileOf(url)}.backup`
  await store.backup(target)
  const duringBackup = answered.length - before.length
  enough.abort()
  await Promise.all(writers)
  const { accounts, balances } = readPairs(target)
  assert.deepEqual(accounts, balances, 'no transaction is torn')
  assert.deepEqual(
    before.filter((id) => !accounts.has(id)),
    [],
  )
  t.diagnostic(`${duringBackup} transactions were answered while the backup ran`)
})

test('closing waits for the writes under way, and a closed store refuses instead of keeping its callers waiting', async (t) => {
  const { store, openAnother } = await openFresh(t, 'sqlite')
  const writes = Array.from({ length: 50 }, (_, index) => writePair(store.db, `acc_${index}`))
  await Promise.all([...writes, writes[0]!.then(() => store.close())]).catch(() => undefined)
  const outcomes = await Promise.allSettled(writes)
  await assert.rejects(findAccount(store.db, 'acc_1'))
  await assert.rejects(insertAccount(store.db, account('acc_1')))
  const { store: again } = await openAnother()
  for (const [index, { status }] of outcomes.entries()) {
    assert.equal((await findAccount(again.db, `acc_${index}`)) !== undefined, status === 'fulfilled', `write ${index}`)
  }
})

test('a statement is understood however it was met before: failed at first, forgotten, or with other columns', async (t) => {
  const { db } = (await openFresh(t, 'sqlite')).store
  const read = (text: string) => sql.raw<Record<string, unknown>>(text).execute(db)
  // The statement's text came with the failed request.
  await assert.rejects(read('select name from things'), /no such table/)
  await read('create table things (name text)')
  await read("insert into things (name) values ('one')")
  assert.deepEqual((await read('select name from things')).rows, [{ name: 'one' }])
  assert.deepEqual((await read('select * from things')).rows, [{ name: 'one' }])
  await read('alter table things add column size integer')
  assert.deepEqual((await read('select * from things')).rows, [{ name: 'one', size: null }])
  // More statements than a thread caches.
  for (let at = 0; at < 1_100; at++) assert.deepEqual((await read(`select ${at} as at`)).rows, [{ at }])
  assert.deepEqual((await read('select name from things')).rows, [{ name: 'one' }])
  assert.deepEqual((await read('select 3 as at')).rows, [{ at: 3 }])
})

// Queries with lists of every length were each a new statement, which was cached with its values.
test('a gateway does not grow with every payment that its shop leaves waiting: lists of 300 lengths are ten statements', async (t) => {
  const { db } = (await openFresh(t, 'sqlite')).store
  const ids = Array.from({ length: 300 }, (_, at) => `acc_${String(at).padStart(3, '0')}`)
  const asking = (operator: 'in' | 'not in', length: number) =>
    db.selectFrom('accounts').select('id').where('id', operator, ids.slice(0, length)).orderBy('id')
  const texts = new Set(ids.map((_, at) => asking('in', at + 1).compile().sql))
  assert.equal(texts.size, 10)
  for (const id of ids.slice(0, 6)) await insertAccount(db, account(id))
  for (const length of [1, 3, 5, 8, 300]) {
    const found = (await asking('in', length).execute()).map(({ id }) => id)
    assert.deepEqual(found, ids.slice(0, Math.min(6, length)))
    const others = (await asking('not in', length).execute()).map(({ id }) => id)
    assert.deepEqual(others, ids.slice(0, 6).slice(length))
  }
})

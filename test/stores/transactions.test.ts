import { OPERATOR } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CompiledQuery, type Kysely, sql } from 'kysely'
import pg from 'pg'
import { postgresDialect } from '../../src/infra/db/postgres.ts'
import { isUniqueViolation, rawColumn, sumRaw } from '../../src/kernel/dialect.ts'
import type { Db } from '../../src/kernel/db.ts'
import { together } from '../../src/kernel/in-tx.ts'
import { type Given, prepared } from '../../src/kernel/prepared.ts'
import { type OrderlyConnection, allOrNone } from '../../src/kernel/store-connection.ts'
import { createAccount, findAccount } from '../../src/modules/accounts/index.ts'
import { insertAccount } from '../../src/modules/accounts/store.ts'
import { addAvailable, findAvailable } from '../../src/modules/accounts/credits-store.ts'
import { forEachEngine, openFresh } from '../support/engines.ts'
import { createDatabase, query } from '../support/postgres.ts'
import { repeat } from '../support/random.ts'
import { until } from '../support/until.ts'

const insertBatch = prepared((db, given: Given<{ id: string }>) =>
  db
    .insertInto('usage_batches')
    .values({ id: given('id'), created_at: 1 })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id'),
)
const addBatch = async (db: Db, id: string) => (await insertBatch(db, { id })).length > 0

const account = (id: string, email: string | null = null) => ({ id, email, role: 'user' as const, createdAt: 1 })

forEachEngine((engine, open) => {
  test('a unique violation is recognised, whichever index it breaks; others are not', async (t) => {
    const { db } = (await open(t)).store
    await insertAccount(db, account('acc_1', 'alice@example.com'))
    const addOne = (at: number) => db.insertInto('usage_batches').values({ id: 'one', created_at: at }).execute()
    await addOne(1)
    await assert.rejects(insertAccount(db, account('acc_1')), isUniqueViolation)
    await assert.rejects(insertAccount(db, account('acc_2', 'ALICE@example.com')), isUniqueViolation)
    await assert.rejects(addOne(2), isUniqueViolation)
    // The account does not exist, and a balance never goes below zero.
    await assert.rejects(addAvailable(db, 'acc_9', 1), (error) => !isUniqueViolation(error))
    await assert.rejects(addAvailable(db, 'acc_1', -1), (error) => !isUniqueViolation(error))
    assert.equal(isUniqueViolation(new Error('something else')), false)
  })

  test('a transaction that fails, by a statement or by its own code, leaves nothing', async (t) => {
    const { db } = (await open(t)).store
    await insertAccount(db, account('acc_1'))
    const bySelf = db.transaction().execute(async (tx) => {
      await insertAccount(tx, account('acc_2'))
      throw new Error('changed my mind')
    })
    await assert.rejects(bySelf, /changed my mind/)
    const byStatement = db.transaction().execute(async (tx) => {
      await insertAccount(tx, account('acc_3'))
      await insertAccount(tx, account('acc_1'))
    })
    await assert.rejects(byStatement, isUniqueViolation)
    const rows = await db.selectFrom('accounts').select('id').execute()
    assert.deepEqual(rows, [{ id: 'acc_1' }])
  })

  test('of statements that are asked at once and one of which fails, nothing stays, not even what came after the failure', async (t) => {
    const { db } = (await open(t)).store
    await insertAccount(db, account('acc_1'))
    const later = async (tx: typeof db) => {
      await sql`select 1`.execute(tx)
      await insertAccount(tx, account('acc_3'))
    }
    const failed = db
      .transaction()
      .execute((tx) => together([insertAccount(tx, account('acc_1')), insertAccount(tx, account('acc_2')), later(tx)]))
    await assert.rejects(failed, (error) => isUniqueViolation(error))
    assert.equal(await findAccount(db, 'acc_2'), undefined)
    assert.equal(await findAccount(db, 'acc_3'), undefined)
    const both = await db
      .transaction()
      .execute((tx) => together([insertAccount(tx, account('acc_2')), findAccount(tx, 'acc_1')]))
    assert.equal(both[1]!.id, 'acc_1')
    assert.equal((await findAccount(db, 'acc_2'))!.id, 'acc_2')
  })

  test('a whole transaction stays if each function finds its row; if one finds none or fails, nothing of it does', async (t) => {
    const { db } = (await open(t)).store
    const made: string[] = []
    const tries = (ids: readonly string[]) => allOrNone(db, (tx) => ids.map((id) => addBatch(tx, id)))
    assert.deepEqual(await tries(['a', 'b']), [true, true])
    made.push('a', 'b')
    // A failed transaction does not affect others in the same sync.
    const all = await Promise.all([tries(['c', 'd']), tries(['e', 'a']), tries(['a', 'f']), tries(['g'])])
    assert.deepEqual(all, [[true, true], [true, false], [false, true], [true]])
    made.push('c', 'd', 'g')
    const fails = allOrNone(db, (tx) => [addBatch(tx, 'h'), addBatch(tx, null as never), addBatch(tx, 'i')])
    const beside = tries(['j'])
    await assert.rejects(fails, /null/i)
    await beside
    made.push('j')
    const rows = await db.selectFrom('usage_batches').select('id').orderBy('id').execute()
    assert.deepEqual(
      rows.map(({ id }) => id),
      made.toSorted(),
    )
  })

  test('a function that asks after its whole transaction has ended is refused and changes nothing', async (t) => {
    const { db } = (await open(t)).store
    const late = async (tx: typeof db) => {
      await setImmediate()
      return addBatch(tx, 'late')
    }
    const outcome = await Promise.allSettled([allOrNone(db, (tx) => [addBatch(tx, 'a'), late(tx)])])
    const ids = (await db.selectFrom('usage_batches').select('id').execute()).map(({ id }) => id)
    assert.deepEqual([outcome[0].status, ids], ['rejected', []])
  })

  test('of many transactions at once, those that fail take only their own writes with them', async (t) => {
    const { db } = (await open(t)).store
    await insertAccount(db, account('taken'))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 90 }, (_, index) =>
        db.transaction().execute(async (tx) => {
          await insertAccount(tx, account(`acc_${index}`))
          if (index % 3 === 1) await insertAccount(tx, account('taken'))
          if (index % 3 === 2) throw new Error('changed my mind')
        }),
      ),
    )
    const kept = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [`acc_${index}`] : []))
    assert.equal(kept.length, 30)
    const rows = await db.selectFrom('accounts').select('id').where('id', '!=', 'taken').execute()
    assert.deepEqual(rows.map(({ id }) => id).sort(), kept.sort())
  })

  test('what a transaction wrote is seen inside at once and outside only after its commit', async (t) => {
    const { store, openAnother } = await open(t)
    const { store: other } = await openAnother()
    await store.db.transaction().execute(async (tx) => {
      await insertAccount(tx, account('acc_1'))
      assert.ok(await findAccount(tx, 'acc_1'))
      // Reads continue during an open transaction, here and on another instance.
      assert.equal(await findAccount(store.db, 'acc_1'), undefined)
      assert.equal(await findAccount(other.db, 'acc_1'), undefined)
    })
    assert.ok(await findAccount(store.db, 'acc_1'))
    assert.ok(await findAccount(other.db, 'acc_1'))
  })

  test('transactions of two instances interleave their steps without losing a write', async (t) => {
    const { store, openAnother } = await open(t)
    const { store: other } = await openAnother()
    await insertAccount(store.db, account('acc_1'))
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (index % 2 === 0 ? store : other).db.transaction().execute(async (tx) => {
          await insertAccount(tx, account(`acc_new_${index}`))
          await addAvailable(tx, 'acc_1', 1)
          await addAvailable(tx, `acc_new_${index}`, 1)
        }),
      ),
    )
    assert.equal(await findAvailable(store.db, 'acc_1'), 200)
    const balances = await store.db.selectFrom('credit_balances').selectAll().execute()
    assert.equal(balances.length, 201)
  })

  test('amounts of raw add up exactly', async (t) => {
    const { store } = await open(t)
    const db = store.db as unknown as Kysely<{ amounts: { raw: string } }>
    await db.schema
      .createTable('amounts')
      .addColumn('raw', rawColumn(engine), (column) => column.notNull())
      .execute()
    const readSum = async () =>
      (await db.selectFrom('amounts').select(sumRaw(engine, 'raw').as('sum')).executeTakeFirstOrThrow()).sum
    assert.equal(await readSum(), '0')
    const supply = 2n ** 128n - 1n
    const half = 2n ** 127n
    await repeat(10, async (random) => {
      const amounts = [0n, 9n, 10n, half, half + 1n, supply, ...Array.from({ length: 20 }, () => random.bigint(128))]
      await db.deleteFrom('amounts').execute()
      await db
        .insertInto('amounts')
        .values(amounts.map((amount) => ({ raw: `${amount}` })))
        .execute()
      assert.equal(await readSum(), `${amounts.reduce((total, amount) => total + amount, 0n)}`)
    })
  })

  test('times and counts come back as numbers, to the millisecond; a statement that begins with a common table expression may write', async (t) => {
    const { ctx, store } = await open(t)
    await sql`with fresh as (select 'acc_1' as id)
      insert into accounts (id, role, created_at) select id, 'user', 1 from fresh`.execute(store.db)
    assert.ok(await findAccount(store.db, 'acc_1'))
    const { id, createdAt } = await createAccount(ctx, { email: null, role: 'admin', actor: OPERATOR })
    assert.equal(createdAt, ctx.clock.now())
    assert.equal((await findAccount(store.db, id))?.createdAt, createdAt)
    await addAvailable(store.db, id, Number.MAX_SAFE_INTEGER)
    assert.equal(await findAvailable(store.db, id), Number.MAX_SAFE_INTEGER)
  })
})

// A restarting server closes its connections, even in the middle of a transaction.
test('after a transaction whose statements fail together, its connection is as good as new; a swallowed failure is no commit', async (t) => {
  const { store } = await openFresh(t, 'postgres')
  const { db } = store
  const bad = (tx: Db) => sql`select nothing from nowhere`.execute(tx)
  const both = db.transaction().execute((tx) => Promise.all([bad(tx), sql`select 2`.execute(tx)]))
  await assert.rejects(both, /nowhere/)
  const swallowed = db.transaction().execute(async (tx) => {
    await insertAccount(tx, account('acc_1'))
    await bad(tx).catch(() => 'swallowed')
  })
  await assert.rejects(swallowed, /statement of the transaction has failed/)
  for (let at = 0; at < 20; at++) await sql`select 1`.execute(db)
  await db.transaction().execute((tx) => insertAccount(tx, account('acc_2')))
  assert.deepEqual(await db.selectFrom('accounts').select('id').execute(), [{ id: 'acc_2' }])
})

test('statements that were asked while the begin of their transaction failed ran without one, and stayed', async (t) => {
  const url = await createDatabase()
  await query(url, 'create table kept (id text)')
  const pool = new pg.Pool({ connectionString: url })
  const link = { types: pg.types, known: new Map(), isPooled: false, toFailure: (error: unknown) => error }
  const connect = async () => ({ client: await pool.connect(), link })
  const driver = postgresDialect({ connect, end: () => pool.end() }).createDriver()
  t.after(() => driver.destroy())
  const connection = (await driver.acquireConnection()) as OrderlyConnection
  await driver.beginTransaction(connection, { isolationLevel: 'unheard of' as never })
  const first = connection.executeWithin(CompiledQuery.raw(`insert into kept values ('a')`))
  // By then the first has been sent and awaits its answer.
  await setImmediate()
  const second = connection.executeWithin(CompiledQuery.raw(`insert into kept values ('b')`))
  const outcomes = await Promise.allSettled([first, second])
  await driver.rollbackTransaction(connection)
  await driver.releaseConnection(connection)
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.deepEqual(await query(url, 'select id from kept'), [])
})

test('a connection cut inside a transaction fails that transaction and nothing else', async (t) => {
  const { store, url } = await openFresh(t, 'postgres')
  const cut = store.db.transaction().execute(async (tx) => {
    await insertAccount(tx, account('acc_1'))
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
    const { pid } = rows[0]!
    await query(url, `select pg_terminate_backend(${pid})`)
    await until(async () => (await query(url, `select 1 from pg_stat_activity where pid = ${pid}`)).length === 0)
    await insertAccount(tx, account('acc_2'))
  })
  await assert.rejects(cut)
  await insertAccount(store.db, account('acc_3'))
  const rows = await store.db.selectFrom('accounts').select('id').execute()
  assert.deepEqual(rows, [{ id: 'acc_3' }])
})

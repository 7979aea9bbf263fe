import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CompiledQuery, sql } from 'kysely'
import { claimJobs, countUnfinished, deleteDead, deleteDone, openDueKinds } from '../../src/infra/jobs/queue.ts'
import type { Db } from '../../src/kernel/db.ts'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { deleteEndedReservations } from '../../src/modules/accounts/credits-store.ts'
import { deleteEndedUses, findFreeUse } from '../../src/modules/accounts/free-uses-store.ts'
import { deleteExpiredAnswers, findSeenRequest } from '../../src/modules/accounts/idempotency-store.ts'
import { isSessionEnded } from '../../src/modules/accounts/sessions-store.ts'
import { listDeeds } from '../../src/modules/accounts/activity/store.ts'
import { deleteOldLinks, findAccount, findKeyByHash } from '../../src/modules/accounts/store.ts'
import { listUnauthorized } from '../../src/modules/billing/store.ts'
import { listReserved, listSumming, listWaiting } from '../../src/modules/checkout/claims-store.ts'
import { forgetNotify, lockUnpaid } from '../../src/modules/checkout/forget-store.ts'
import { listPayments, listRecorded, listUnmatched } from '../../src/modules/checkout/payments-store.ts'
import { listDueRefunds } from '../../src/modules/checkout/refunds/store.ts'
import { sumRefunds } from '../../src/modules/checkout/report-store.ts'
import { deleteReleased } from '../../src/modules/checkout/reservations-store.ts'
import { findCheckout, listNextExpiries, listOverdue, listStuck } from '../../src/modules/checkout/store.ts'
import { claimScans, hasDueScans, listFresh } from '../../src/modules/checkout/watch-store.ts'
import { listDuePayments, listForgettable } from '../../src/modules/email/store.ts'
import { forgetVisitors } from '../../src/modules/links/orders-store.ts'
import { listSubscriptions } from '../../src/modules/links/subscriptions/store.ts'
import { deleteExpiredSwaps } from '../../src/modules/swap/store.ts'
import { forgetBodies, listEventsAbout, listEventsAfter } from '../../src/modules/webhooks/store.ts'
import { countTroubled } from '../../src/modules/webhooks/watches/store.ts'
import { countOwed, readUnfinished } from '../../src/modules/wallets/outbox-store.ts'
import { deleteExpiredWorks } from '../../src/modules/work/store.ts'
import { forgetPayments } from '../../src/modules/x402/store.ts'
import { forEachEngine } from '../support/engines.ts'

/* A store grows for years. What is asked with every request, payment or round of a job goes by an index, so that it stays level. */

const NOW = 1_000
const FEW = 10

const HOT: Readonly<Record<string, (db: Db, engine: StoreEngine) => Promise<unknown>>> = {
  'a key': (db) => findKeyByHash(db, 'h'),
  'an account': (db) => findAccount(db, 'a'),
  'a session': (db) => isSessionEnded(db, 's'),
  'a repeated request': (db) => findSeenRequest(db, { accountId: 'a', action: 'b', key: 'c' }),
  'free uses': (db) => findFreeUse(db, { caller: 'c', meter: 'm', now: NOW }),
  'activity of an account': (db) => listDeeds(db, { accountId: 'a' }, { before: undefined, limit: FEW }),
  'a checkout': (db) => findCheckout(db, 'c'),
  'who waits at an address': (db) => listWaiting(db, 'a', 'h'),
  'whose amount it is': (db) => listReserved(db, 'a', toRaw(1n)),
  'who sums at an address': (db) => listSumming(db, { address: 'a', now: NOW }),
  'blocks that are recorded': (db) => listRecorded(db, ['h']),
  'payments of a checkout': (db) => listPayments(db, 'c'),
  'payments that fit nothing': (db) => listUnmatched(db, { owner: 'o', limit: FEW }),
  'checkouts that are over': (db) => listOverdue(db, { address: 'a', expiresBefore: NOW, limit: FEW }),
  'the next ends of checkouts': (db) => listNextExpiries(db, ['a', 'b']),
  'blocks without an end': (db) => listStuck(db, { detectedBefore: NOW, limit: FEW }),
  'whether a look is due': (db) => hasDueScans(db, NOW),
  'looks that are due': (db, engine) => claimScans(db, engine, { now: NOW, leaseUntil: NOW, limit: FEW }),
  'fresh addresses': (db) => listFresh(db, NOW),
  'refunds in a report': (db, engine) => sumRefunds(db, engine, { owner: 'o' }),
  'refunds that are due': (db) => listDueRefunds(db, NOW, FEW),
  'payments by e-mail that are due': (db) => listDuePayments(db, NOW, FEW),
  'orders that wait': (db) => listUnauthorized(db, NOW, FEW),
  'kinds of jobs that are due': (db) => openDueKinds(['a', 'b'])(db, NOW),
  'jobs that are due': (db, engine) =>
    claimJobs(db, engine, { kind: 'a', limit: FEW, now: NOW, leaseMilliseconds: NOW }),
  'jobs for the metrics': (db) => countUnfinished(db),
  'events of an account': (db) =>
    listEventsAfter(db, { accountId: 'a', afterPosition: 0, delivered: undefined, limit: FEW }),
  'events about a checkout': (db) => listEventsAbout(db, { subject: 's', accountId: 'a', limit: FEW }),
  'forgetting answers': (db) => deleteExpiredAnswers(db, NOW, FEW),
  'forgetting free uses': (db) => deleteEndedUses(db, NOW, FEW),
  'forgetting links to sign in': (db) => deleteOldLinks(db, NOW, FEW),
  'forgetting reservations of credits': (db) => deleteEndedReservations(db, NOW, FEW),
  'forgetting done jobs': (db) => deleteDone(db, NOW, FEW),
  'forgetting dead jobs': (db) => deleteDead(db, { before: NOW, kinds: ['a'], limit: FEW }),
  'forgetting bodies': (db) => forgetBodies(db, NOW, FEW),
  'forgetting amounts': (db) => deleteReleased(db, NOW, FEW),
  'forgetting unpaid checkouts': (db, engine) =>
    lockUnpaid(db, engine, { watchedBefore: NOW, after: undefined, limit: FEW }),
  'forgetting whom to mail': (db) => forgetNotify(db, NOW, FEW),
  'subscriptions of an account': (db) => listSubscriptions(db, { owner: 'o', limit: FEW }),
  'subscriptions in a state': (db) => listSubscriptions(db, { owner: 'o', status: 'due', limit: FEW }),
  'watches that are stuck': (db) => countTroubled(db, { accountId: 'a', endpointId: 'e' }),
  'forgetting visitors': (db) => forgetVisitors(db, NOW, FEW),
  'forgetting swaps': (db) => deleteExpiredSwaps(db, NOW, FEW),
  'forgetting payments by e-mail': (db) => listForgettable(db, NOW, FEW),
  'forgetting payments by request': (db) => forgetPayments(db, { answersUntil: NOW, rowsUntil: NOW, limit: FEW }),
  'forgetting work': (db) => deleteExpiredWorks(db, NOW, FEW),
}

/** The statements that a verb asks. */
async function statementsOf(db: Db, ask: (db: Db) => Promise<unknown>): Promise<CompiledQuery[]> {
  const seen: CompiledQuery[] = []
  const watched = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => Promise.resolve(result),
  })
  const executor = watched.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  executor.executeQuery = <R>(query: CompiledQuery<R>) => {
    seen.push(query)
    return execute(query)
  }
  await ask(watched)
  return seen
}

/** What the engine would do, where it may not go through a table row by row unless there is no other way. */
function explain(db: Db, engine: StoreEngine, query: CompiledQuery): Promise<string[]> {
  return db.connection().execute(async (connection) => {
    if (engine === 'sqlite') {
      const { rows } = await connection.executeQuery<{ detail: string }>({
        ...query,
        sql: `explain query plan ${query.sql}`,
      })
      return rows.map(({ detail }) => detail)
    }
    await sql`set enable_seqscan = off`.execute(connection)
    const { rows } = await connection.executeQuery<Record<string, string>>({ ...query, sql: `explain ${query.sql}` })
    await sql`reset enable_seqscan`.execute(connection)
    return rows.map((row) => row['QUERY PLAN']!)
  })
}

const TABLE_SCAN = /^SCAN (?!CONSTANT|\d+ CONSTANT|kinds|\(|due|open|closed)\S+(?! USING)$|Seq Scan on/

forEachEngine((engine, openFresh) => {
  test('every query of requests, payments and rounds goes by an index', async (t) => {
    const { ctx } = await openFresh(t)
    const slow: string[] = []
    for (const [what, ask] of Object.entries(HOT)) {
      const statements = await statementsOf(ctx.db, (db) => ask(db, engine))
      assert.ok(statements.length > 0, what)
      for (const statement of statements) {
        const plan = await explain(ctx.db, engine, statement)
        const scans = plan.filter((line) => TABLE_SCAN.test(line.trim()))
        if (scans.length > 0) slow.push(`${what}: ${scans.join('; ')}`)
        // SQLite would plan it anew each time it is asked.
        if (/limit \?/.test(statement.sql)) slow.push(`${what}: its limit is bound`)
      }
    }
    assert.deepEqual(slow, [])
  })

  // A wallet keeps every block it ever had, and asks for these at each step of a send.
  test('what a wallet has not finished is found without its other blocks', async (t) => {
    const { ctx } = await openFresh(t)
    for (const ask of [readUnfinished, countOwed]) {
      const [statement] = await statementsOf(ctx.db, (db) => ask(db, 'w'))
      const plan = await explain(ctx.db, engine, statement!)
      const indexes = plan.flatMap((line) => /(?:INDEX|using) (wallet_blocks_\w+)/.exec(line)?.[1] ?? [])
      assert.ok(indexes.includes('wallet_blocks_queued'), plan.join('\n'))
      assert.ok(!indexes.includes('wallet_blocks_sequence'), plan.join('\n'))
    }
  })

  test('a query without an index is told', async (t) => {
    const { ctx } = await openFresh(t)
    const [statement] = await statementsOf(ctx.db, (db) =>
      db.selectFrom('checkouts').select('id').where('note', '=', 'x').execute(),
    )
    const plan = await explain(ctx.db, engine, statement!)
    assert.ok(
      plan.some((line) => TABLE_SCAN.test(line.trim())),
      plan.join('\n'),
    )
  })
})

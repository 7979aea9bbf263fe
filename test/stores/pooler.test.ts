import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { OPERATOR } from '../../src/kernel/actor.ts'
import { faultInPostgresUrl } from '../../src/infra/db/postgres-hosts.ts'
import { grantCredits } from '../../src/modules/accounts/domain/credits.ts'
import { createAccount, findAccount, reserveCredits } from '../../src/modules/accounts/index.ts'
import { openStore } from '../../src/store/schema.ts'
import { TestClock } from '../support/clock.ts'
import { startPgbouncer } from '../support/pgbouncer.ts'
import { createDatabase, query } from '../support/postgres.ts'
import { toStoreCtx } from '../support/sqlite-store.ts'
import { untilReceived } from '../support/until-received.ts'

/* PostgreSQL behind PgBouncer. `TEST_POOLER=transaction` runs all other tests of the store through it as well. */

const openBehind = async (t: { after(end: () => unknown): void }, mode: 'transaction' | 'session') => {
  const server = new URL(await createDatabase())
  const pooler = await startPgbouncer(server.href, mode)
  const open = async (query = '') => {
    const clock = new TestClock()
    const store = await openStore(`${pooler.url}${server.pathname}${query}`, clock)
    t.after(() => store.close())
    return { url: server.href, store, clock, ctx: toStoreCtx(store, clock) }
  }
  t.after(() => pooler.stop())
  return { open, direct: `?direct=${server.host}` }
}

test('behind a pooler by transaction, gateways notify each other, and statements find their connection', async (t) => {
  const { open, direct } = await openBehind(t, 'transaction')
  const [one, other] = [await open(direct), await open(direct)]
  await untilReceived(one, other)
  // More transactions than connections, so that statements of one gateway reach connections that the other has prepared.
  const made = await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      const { ctx } = at % 2 === 0 ? one : other
      const { id } = await createAccount(ctx, { email: null, role: 'user', actor: OPERATOR })
      await grantCredits(ctx, { accountId: id, amount: 5, reason: 'test', reference: id, actor: OPERATOR })
      await reserveCredits(ctx, id, 3)
      return id
    }),
  )
  const found = await Promise.all(made.map((id) => findAccount(one.store.db, id)))
  assert.ok(found.every((account) => account !== undefined))
})

test('a gateway behind a pooler left the lock of its schema changes on a connection, and the next one did not start', async (t) => {
  const { open, direct } = await openBehind(t, 'transaction')
  const { url, store } = await open(direct)
  await Promise.all(Array.from({ length: 20 }, () => sql`select pg_sleep(0.01)`.execute(store.db)))
  await open(direct)
  assert.deepEqual(await query(url, `select pid from pg_locks where locktype = 'advisory'`), [])
})

test('notices between gateways were lost without a word: such a pooler is refused until the server is named', async (t) => {
  const { open } = await openBehind(t, 'transaction')
  await assert.rejects(
    open(),
    /^Error: DATABASE_URL leads to a pooler .* Add the server itself, as in .*\?direct=server:5432\.$/,
  )
})

test('behind a pooler by session nothing needs to be said', async (t) => {
  const { open } = await openBehind(t, 'session')
  await untilReceived(await open(), await open())
})

test('the server behind a pooler is reported by host and port', () => {
  const fault = (direct: string) => faultInPostgresUrl(`postgres://user@pooler:6432/name?direct=${direct}`)
  assert.equal(fault('server:5432'), undefined)
  assert.equal(fault('one:5432,two:5432&target_session_attrs=primary'), undefined)
  assert.equal(fault('server:port'), 'must have direct as host:port of the server')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { copyStore } from '../../src/infra/db/copy.ts'
import type { Store } from '../../src/infra/db/open.ts'
import { capturedMailer } from '../../src/infra/mail/captured.ts'
import { type StoreCtx, inTx } from '../../src/kernel/in-tx.ts'
import { enqueue } from '../../src/kernel/job.ts'
import {
  commitCredits,
  createAccount,
  grantCredits,
  issueKey,
  reserveCredits,
  takeFree,
} from '../../src/modules/accounts/index.ts'
import { addAvailable, addUsage } from '../../src/modules/accounts/credits-store.ts'
import { insertAccount } from '../../src/modules/accounts/store.ts'
import { saveWork } from '../../src/modules/work/store.ts'
import { insertClaim, saveOffer } from '../../src/modules/x402/store.ts'
import { openFresh } from '../support/engines.ts'
import { until } from '../support/until.ts'

/** Puts something into every table. */
async function fill(ctx: StoreCtx): Promise<void> {
  const { db, clock } = ctx
  const times = { created_at: 1, expires_at: 2 ** 41 }
  for (const email of ['alice@example.com', 'bob@example.com', null]) {
    const { id: accountId } = await createAccount(ctx, { email, role: 'user', actor: 'test' })
    await issueKey(ctx, { accountId, kind: 'public', name: 'Ключ “一”', origins: ['https://a.example'], actor: 'test' })
    const grant = { accountId, amount: 2 ** 40 + 1, reason: 'test', reference: `test:${accountId}`, actor: 'test' }
    await grantCredits(ctx, grant)
    await reserveCredits(ctx, accountId, 7)
    await commitCredits(ctx, (await reserveCredits(ctx, accountId, 5)).id, 'work')
    await addUsage(db, accountId, [{ accountId, day: '2026-11-15', action: 'process', count: 3 }], clock.now())
    const free = { caller: `acc:${accountId}`, meter: 'work', now: clock.now() }
    await takeFree(db, free, { max: 3, windowMilliseconds: 60_000 })
    await enqueue(ctx, { kind: 'mail.send', payload: { text: 'a “quoted” \\ text' } })
    await capturedMailer(db, clock).send({ id: accountId, recipient: 'a@b', subject: 'Hello', text: 'Line\nline' })
    await db.insertInto('session_secrets').values({ id: accountId, secret: 'AB', created_at: 1 }).execute()
    await saveWork(db, { root: accountId, work: '0', value: 1n, account: null, now: 1, expiresAt: 2 ** 41 })
    const amount = String(2n ** 128n - 1n)
    const payment = { hash: accountId, blockJson: '{}', network: 'nano:dev', payer: accountId, previous: 'A', amount }
    const asked = { payTo: 'nano_1', action: 'work_generate', fingerprint: 'f' }
    await insertClaim(db, { ...payment, ...asked }, { now: 1, leaseUntil: 2 ** 41 })
    await saveOffer(db, { action: accountId, payTo: 'nano_1', amount }, 2 ** 41)
    const link = { token_hash: accountId, email: 'a@b', used_at: null, ...times }
    await db.insertInto('sign_in_links').values(link).execute()
    const request = { account_id: accountId, action: 'process', key: 'k', fingerprint: 'f', ...times }
    await db
      .insertInto('idempotency')
      .values({ ...request, status: 'finished', answer: '{"a":1}' })
      .execute()
  }
}

/** Every row of every table, in an order of its own. */
async function dump({ db }: Store): Promise<Record<string, string[]>> {
  const any = db as unknown as Kysely<Record<string, Record<string, unknown>>>
  const tables: Record<string, string[]> = {}
  for (const { name } of await db.introspection.getTables()) {
    const rows = await any.selectFrom(name).selectAll().execute()
    tables[name] = rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort()
  }
  return tables
}

test('a store copied to PostgreSQL and back holds the same rows in every table', async (t) => {
  const embedded = await openFresh(t, 'sqlite')
  const clustered = await openFresh(t, 'postgres')
  const back = await openFresh(t, 'sqlite')
  await fill(embedded.ctx)
  const before = await dump(embedded.store)
  const copied = await copyStore(embedded.store, clustered.store)
  // A table the copy does not know would be lost without a word.
  assert.deepEqual(copied.map(({ table }) => table).sort(), Object.keys(before).sort())
  for (const { table, rows } of copied) assert.ok(rows > 0, `${table} was tried with rows`)
  await copyStore(clustered.store, back.store)
  assert.deepEqual(await dump(clustered.store), before)
  assert.deepEqual(await dump(back.store), before)
})

for (const [from, to] of [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const) {
  test(`${from} to ${to}: a target that holds something is refused and left as it is`, async (t) => {
    const source = await openFresh(t, from)
    const target = await openFresh(t, to)
    await fill(source.ctx)
    // Not the first table, so that a part of the copy is already written when it is found.
    await capturedMailer(target.store.db, target.clock).send({ id: 'mine', recipient: 'a@b', subject: 's', text: 't' })
    const before = await dump(target.store)
    await assert.rejects(copyStore(source.store, target.store), /already holds rows in mails/)
    assert.deepEqual(await dump(target.store), before)
  })

  test(`${from} to ${to}: a copy that fails half way leaves the target empty, and can be repeated`, async (t) => {
    const source = await openFresh(t, from)
    const target = await openFresh(t, to)
    await fill(source.ctx)
    await sql`create unique index only_one on mails (subject)`.execute(target.store.db)
    await assert.rejects(copyStore(source.store, target.store))
    assert.deepEqual(Object.values(await dump(target.store)).flat(), [])
    await sql`drop index only_one`.execute(target.store.db)
    await copyStore(source.store, target.store)
    assert.deepEqual(await dump(target.store), await dump(source.store))
  })

  test(`${from} to ${to}: a copy taken while others write is one moment of the source`, async (t) => {
    const source = await openFresh(t, from)
    const target = await openFresh(t, to)
    let written = 0
    const enough = new AbortController()
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let round = 0; !enough.signal.aborted; round++) {
        const id = `acc_${writer}_${round}`
        await inTx(source.ctx, async ({ db }) => {
          await insertAccount(db, { id, email: null, role: 'user', createdAt: 1 })
          await addAvailable(db, id, 1)
        })
        written++
      }
    })
    await until(() => written > 100)
    await copyStore(source.store, target.store)
    enough.abort()
    await Promise.all(writers)
    const { accounts, credit_balances: balances } = await dump(target.store)
    assert.ok(accounts!.length > 0)
    assert.equal(accounts!.length, balances!.length)
  })
}

import { madeContext } from '../../kernel/idempotency.ts'
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { fingerprintOf, once } from '../../guard/once.ts'
import { openSecretBox } from '../../infra/secrets/secret-key.ts'
import type { Idempotency } from '../../kernel/idempotency.ts'
import { AppError, noNode } from '../../kernel/errors.ts'
import { forgetExpired } from './jobs.ts'
import { type OpenedStore, forEachEngine } from '../../../test/support/engines.ts'
import { turnPacedBy } from '../../../test/support/clock.ts'
import { testRandom } from '../../../test/support/random.ts'
import { until } from '../../../test/support/until.ts'

/* An Idempotency-Key: with the same body the same answer, with another body 409 (contract 8). */

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const MAIL = { recipient: 'x', subject: 'x', text: 'x', status: 'queued', created_at: 0, sent_at: null } as const

const secrets = openSecretBox(new Uint8Array(32).fill(7), testRandom)

/** Sends a request with a key; returns the answer, and whether it was a stored one. */
function asker({ ctx }: Pick<OpenedStore, 'ctx'>, run: (idempotency: Idempotency) => Promise<string>) {
  return async (given: { accountId?: string; action?: string; key?: string; body?: Record<string, unknown> } = {}) => {
    const { accountId = 'acc_1', action = 'send', key = 'k', body = { amount: '1' } } = given
    let replayed = false
    const request = { accountId, action, key, fingerprint: fingerprintOf(body), onReplay: () => (replayed = true) }
    try {
      return { text: await once({ ...ctx, secrets }, request, run), replayed }
    } catch (error) {
      if (error instanceof AppError) return { code: error.code, status: error.status, error, replayed }
      throw error
    }
  }
}

const isStarted = async ({ ctx }: OpenedStore) =>
  (await ctx.db.selectFrom('idempotency').selectAll().execute()).length > 0

const readRun = ({ ctx }: OpenedStore) =>
  ctx.db.selectFrom('idempotency').select(['lease_until', 'made']).executeTakeFirstOrThrow()
const readLease = async (opened: OpenedStore) => (await readRun(opened)).lease_until!
const readMade = async (opened: OpenedStore) => ((await isStarted(opened)) ? (await readRun(opened)).made : null)

/** A run that never ends, with this row in the store. */
async function startDead(opened: OpenedStore, row: { claim: string | null; lease_until: number | null }) {
  void asker(opened, () => new Promise<string>(() => undefined))()
  await until(() => isStarted(opened))
  await opened.ctx.db.updateTable('idempotency').set(row).execute()
}

/** Whether a promise has settled, without waiting for it. */
function settledOf(waited: Promise<unknown>): () => boolean {
  let settled = false
  const note = () => void (settled = true)
  waited.then(note, note)
  return () => settled
}

/** Advances the clock in small steps until something has ended. */
const turnUntil = ({ clock, ctx }: OpenedStore, isOver: () => boolean) => turnPacedBy({ clock, db: ctx.db }, isOver)

forEachEngine((engine, open: (t: TestContext) => Promise<OpenedStore>) => {
  test('50 equal requests at once run once; the others get 409 or the same bytes (contract 4.1, rule 29)', async (t) => {
    const opened = await open(t)
    const other = await opened.openAnother()
    let runs = 0
    const run = async () => `{"hash": "${++runs}" ,"x":1}`
    const asks = [asker(opened, run), asker(other, run)]
    const replies = await Promise.all(Array.from({ length: 50 }, (_, at) => asks[at % 2]!()))
    assert.equal(runs, 1)
    assert.equal(replies.filter(({ replayed, text }) => text !== undefined && !replayed).length, 1)
    for (const { text, code, error } of replies) {
      if (text !== undefined) assert.equal(text, '{"hash": "1" ,"x":1}')
      else assert.deepEqual([code, error.status, error.retryAfterSeconds], ['idempotency_in_flight', 409, 1])
    }
    assert.deepEqual(await asks[1]!(), { text: '{"hash": "1" ,"x":1}', replayed: true })
  })

  test('409 another body under a used key, finished or still running (contract 4.1, rules 28 and 29)', async (t) => {
    const opened = await open(t)
    const { resolve: letGo, promise: gone } = Promise.withResolvers<void>()
    const ask = asker(opened, () => gone.then(() => '{}'))
    const first = ask()
    await until(() => isStarted(opened))
    assert.equal((await ask()).code, 'idempotency_in_flight')
    assert.equal((await ask({ body: { amount: '2' } })).code, 'idempotency_conflict')
    letGo()
    assert.deepEqual(await first, { text: '{}', replayed: false })
    const { code, status } = await ask({ body: { amount: '2' } })
    assert.deepEqual([code, status], ['idempotency_conflict', 409])
  })

  test('a key belongs to one account and one action, and what is kept for it is encrypted in the store', async (t) => {
    const opened = await open(t)
    let runs = 0
    const ask = asker(opened, async () => `shown ${++runs}`)
    assert.deepEqual(await ask(), { text: 'shown 1', replayed: false })
    const { answer } = await opened.ctx.db.selectFrom('idempotency').selectAll().executeTakeFirstOrThrow()
    assert.ok(!answer!.includes('shown'), answer!)
    assert.deepEqual(await ask(), { text: 'shown 1', replayed: true })
    assert.equal((await ask({ accountId: 'acc_2', body: { other: 1 } })).text, 'shown 2')
    assert.equal((await ask({ action: 'create', body: { other: 1 } })).text, 'shown 3')
    assert.equal((await ask({ key: 'K' })).text, 'shown 4')
  })

  // A node that did not answer must not make a payment impossible.
  test('a failure on our side frees the key, an unexpected one too; what was made before it is found at once', async (t) => {
    const opened = await open(t)
    let fail: (() => Error) | undefined = noNode
    const ask = asker(opened, () => (fail ? Promise.reject(fail()) : Promise.resolve('{"done":1}')))
    assert.equal((await ask()).code, 'no_node')
    fail = () => new TypeError('a bug')
    await assert.rejects(ask(), TypeError)
    assert.deepEqual(await opened.ctx.db.selectFrom('idempotency').selectAll().execute(), [])
    fail = undefined
    assert.deepEqual(await ask(), { text: '{"done":1}', replayed: false })

    const making = asker(opened, async (idempotency) => {
      if (idempotency.made) return JSON.stringify(idempotency.made)
      await idempotency.record(opened.ctx.db, { id: 'thing_1' })
      throw noNode()
    })
    assert.equal((await making({ key: 'made' })).code, 'no_node')
    assert.deepEqual(await making({ key: 'made' }), { text: '{"id":"thing_1"}', replayed: false })
  })

  test('a refusal of the request itself is kept and repeated; one the client can lift frees the key', async (t) => {
    const opened = await open(t)
    let runs = 0
    let refusal = new AppError('insufficient_credits', 'Not enough credits.')
    const ask = asker(opened, () => {
      runs++
      return Promise.reject(refusal)
    })
    await ask()
    refusal = new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds: 3 })
    assert.equal((await ask()).code, 'too_many_requests')
    refusal = new AppError('invalid_amount', 'Invalid amount number', { body: { field: 'amount' } })
    assert.equal((await ask()).replayed, false)
    const again = await ask()
    assert.deepEqual([runs, again.replayed], [3, true])
    const { code, message, body, status } = again.error!
    const expected = ['invalid_amount', 'Invalid amount number', { field: 'amount' }, 400]
    assert.deepEqual([code, message, body, status], expected)
  })

  test('a run says every second that it lives, and a repeat elsewhere is 409 for as long as it does (contract 4.1, rule 29)', async (t) => {
    const opened = await open(t)
    const { clock, ctx } = opened
    const { resolve: letGo, promise: gone } = Promise.withResolvers<void>()
    const first = asker(opened, () => gone.then(() => '"slow"'))()
    await until(() => isStarted(opened))
    for (let second = 1; second <= 20; second++) {
      const before = await readLease(opened)
      await until(() => clock.waiting > 0)
      clock.advance(1_000)
      await until(async () => (await readLease(opened)) > before)
    }
    // Other processes know only what the store says about the run.
    const { claim } = await ctx.db.selectFrom('idempotency').select('claim').executeTakeFirstOrThrow()
    await ctx.db.updateTable('idempotency').set({ claim: 'run_elsewhere' }).execute()
    const repeat = asker(opened, async () => '"second"')()
    const waited = settledOf(repeat)
    await until(() => clock.waiting > 1)
    const later = { lease_until: (await readLease(opened)) + 1 }
    await ctx.db.updateTable('idempotency').set(later).execute()
    await turnUntil(opened, waited)
    assert.equal((await repeat).code, 'idempotency_in_flight')
    await ctx.db.updateTable('idempotency').set({ claim }).execute()
    letGo()
    assert.deepEqual(await first, { text: '"slow"', replayed: false })
  })

  test('the request of a killed process is run by a repeat within a moment, by one, which finds what was made', async (t) => {
    const opened = await open(t)
    const { clock, ctx } = opened
    void asker(opened, async (idempotency) => {
      await idempotency.record(ctx.db, { id: 'thing_1' })
      return new Promise(() => undefined)
    })()
    await until(async () => (await readMade(opened)) !== null)
    assert.ok(!(await readMade(opened))!.includes('thing_1'), 'it lies sealed')
    const dead = { claim: 'run_of_the_dead', lease_until: clock.now() + 3_000 }
    await ctx.db.updateTable('idempotency').set(dead).execute()
    let runs = 0
    const ask = asker(await opened.openAnother(), async ({ made, resumed }) => {
      runs++
      return JSON.stringify({ made, resumed })
    })
    assert.equal((await ask({ body: { other: 1 } })).code, 'idempotency_conflict')
    const asked = Promise.all(Array.from({ length: 10 }, () => ask()))
    await turnUntil(opened, settledOf(asked))
    const replies = await asked
    assert.equal(runs, 1)
    const first = replies.find(({ text, replayed }) => text !== undefined && !replayed)
    assert.deepEqual(JSON.parse(first!.text!), { made: { id: 'thing_1' }, resumed: true })
    // Those who asked have waited at most one lease.
    assert.deepEqual(await ask(), { text: first!.text, replayed: true })
  })

  if (engine === 'postgres') {
    test('what a run records at the moment of its takeover is found', async (t) => {
      const opened = await open(t)
      const { ctx } = opened
      await startDead(opened, { claim: 'run_of_the_dying', lease_until: 0 })
      const made = secrets.encrypt(madeContext('acc_1', 'send', 'k'), '{"id":"thing_1"}')
      const { resolve: commit, promise: committed } = Promise.withResolvers<void>()
      const { resolve: note, promise: recorded } = Promise.withResolvers<void>()
      const recording = ctx.db.transaction().execute(async (tx) => {
        await tx.updateTable('idempotency').set({ made }).where('claim', '=', 'run_of_the_dying').execute()
        note()
        await committed
      })
      await recorded
      const asked = asker(await opened.openAnother(), async (idempotency) => JSON.stringify(idempotency.made))()
      await until(async () => (await sql`select 1 from pg_locks where not granted`.execute(ctx.db)).rows.length > 0)
      commit()
      await recording
      assert.equal((await asked).text, '{"id":"thing_1"}')
    })
  }

  // After a machine slept or a process was stopped, the process continues as if nothing had happened.
  test('of two concurrent runs with one key, only one takes effect', async (t) => {
    const opened = await open(t)
    const { ctx } = opened
    const { resolve: wake, promise: awake } = Promise.withResolvers<void>()
    const makes = (name: string, before: Promise<void>) => async (idempotency: Idempotency) => {
      await before
      await ctx.db.transaction().execute(async (tx) => {
        await tx
          .insertInto('mails')
          .values({ id: name, ...MAIL })
          .execute()
        await idempotency.record(tx, { name })
      })
      return `"${name}"`
    }
    const sleeper = asker(opened, makes('sleeper', awake))()
    await until(() => isStarted(opened))
    await ctx.db.updateTable('idempotency').set({ claim: 'run_of_the_sleeper', lease_until: 0 }).execute()
    assert.equal((await asker(opened, makes('other', Promise.resolve()))()).text, '"other"')
    wake()
    assert.equal((await sleeper).code, 'idempotency_in_flight')
    assert.deepEqual(await ctx.db.selectFrom('mails').select('id').execute(), [{ id: 'other' }])
    assert.deepEqual(await asker(opened, makes('third', Promise.resolve()))(), { text: '"other"', replayed: true })
  })

  test('the request of a killed process is run although the clock was set back an hour since', async (t) => {
    const opened = await open(t)
    const { clock } = opened
    await startDead(opened, { claim: 'run_of_the_dead', lease_until: clock.now() + HOUR })
    const before = clock.now()
    const asked = asker(await opened.openAnother(), async () => '"late"')()
    await turnUntil(opened, settledOf(asked))
    assert.deepEqual(await asked, { text: '"late"', replayed: false })
    assert.ok(clock.now() - before < MINUTE, 'it waits for a lease, not for the hour')
  })

  test('a request begun by a gateway of the previous version is left to it for ten minutes', async (t) => {
    const opened = await open(t)
    const { clock } = opened
    await startDead(opened, { claim: null, lease_until: null })
    const ask = asker(await opened.openAnother(), async () => '"mine"')
    clock.leap(10 * MINUTE - 1)
    assert.equal((await ask()).code, 'idempotency_in_flight')
    clock.leap(1)
    assert.deepEqual(await ask(), { text: '"mine"', replayed: false })
  })

  test('an answer is kept for 24 hours; then the key is as good as new, swept or not', async (t) => {
    const opened = await open(t)
    const { ctx, clock } = opened
    let runs = 0
    const ask = asker(opened, async () => String(++runs))
    await ask()
    clock.advance(24 * HOUR - 1)
    assert.deepEqual(await ask(), { text: '1', replayed: true })
    await forgetExpired(ctx, { keepRequests: undefined }).run({}, new AbortController().signal)
    assert.deepEqual(await ask(), { text: '1', replayed: true })
    clock.advance(1)
    assert.deepEqual(await ask({ body: { other: 1 } }), { text: '2', replayed: false })
    clock.advance(24 * HOUR)
    await forgetExpired(ctx, { keepRequests: undefined }).run({}, new AbortController().signal)
    assert.deepEqual(await ctx.db.selectFrom('idempotency').selectAll().execute(), [])
  })
})

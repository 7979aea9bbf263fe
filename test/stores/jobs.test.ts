import { OPERATOR, actorOf } from '../../src/kernel/actor.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ClaimedJob,
  claimJobs,
  countJobs,
  listJobs,
  markDead,
  markAllDone,
  markRetry,
  renewClaim,
  retryDead,
} from '../../src/infra/jobs/queue.ts'
import { inTx } from '../../src/kernel/in-tx.ts'
import { enqueue } from '../../src/kernel/job.ts'
import { createAccount } from '../../src/modules/accounts/index.ts'
import { listActivities } from '../../src/modules/accounts/activity/store.ts'
import { retryJob } from '../../src/modules/admin/domain/retry-job.ts'
import { type OpenedStore, forEachEngine, openFresh } from '../support/engines.ts'
import { query } from '../support/postgres.ts'

const LEASE = 60_000

const claim = ({ store, clock }: Pick<OpenedStore, 'store' | 'clock'>, limit = 1) =>
  claimJobs(store.db, store.engine, { kind: 'k', limit, now: clock.now(), leaseMilliseconds: LEASE })

const count = async ({ store }: OpenedStore) => (await countJobs(store.db)).map(({ status, count }) => [status, count])

forEachEngine((_engine, open) => {
  test('a job commits or vanishes with the transaction that added it', async (t) => {
    const world = await open(t)
    const add = (fails: boolean) =>
      inTx(world.ctx, async (tx) => {
        await enqueue(tx, { kind: 'k', payload: { fails } })
        if (fails) throw new Error('changed my mind')
      })
    await assert.rejects(add(true), /changed my mind/)
    await add(false)
    const claimed = await claim(world, 10)
    assert.deepEqual(
      claimed.map(({ payload }) => payload),
      [{ fails: false }],
    )
  })

  test('a key admits one job that waits or runs, and a new one after it', async (t) => {
    const world = await open(t)
    const add = () => enqueue(world.ctx, { kind: 'k', payload: {}, key: 'once' })
    await Promise.all(Array.from({ length: 20 }, add))
    assert.deepEqual(await count(world), [['ready', 1]])
    const [running] = await claim(world)
    await add()
    assert.deepEqual(await count(world), [['running', 1]])
    await markAllDone(world.store.db, [running!], world.clock.now())
    await add()
    await enqueue(world.ctx, { kind: 'other', payload: {}, key: 'once' })
    assert.equal((await listJobs(world.store.db, { status: 'ready', limit: 10 })).length, 2)
  })

  test('a job waits for its time, and the one due first goes first', async (t) => {
    const world = await open(t)
    const { ctx, clock } = world
    await enqueue(ctx, { kind: 'k', payload: 'later', runAt: clock.now() + 2_000 })
    await enqueue(ctx, { kind: 'k', payload: 'soon', runAt: clock.now() + 1_000 })
    assert.deepEqual(await claim(world), [])
    clock.advance(5_000)
    assert.equal((await claim(world))[0]?.payload, 'soon')
    assert.equal((await claim(world))[0]?.payload, 'later')
  })

  test('a claim holds for its lease; then another claimant gets the job, and the first can no longer end it', async (t) => {
    const world = await open(t)
    const { clock, store } = world
    await enqueue(world.ctx, { kind: 'k', payload: {} })
    const [first] = await claim(world)
    clock.advance(LEASE - 1)
    assert.equal(await renewClaim(store.db, first!, clock.now() + LEASE), true)
    clock.advance(LEASE)
    assert.deepEqual(await claim(world), [])
    clock.advance(1)
    const [second] = await claim(world)
    assert.deepEqual([second?.id, second?.attempts], [first!.id, 2])
    assert.equal(await renewClaim(store.db, first!, clock.now() + LEASE), false)
    const isDone = async (job: ClaimedJob) => (await markAllDone(store.db, [job], clock.now())).has(job.id)
    assert.equal(await isDone(first!), false)
    assert.equal(await markRetry(store.db, first!, clock.now(), 'late'), false)
    assert.equal(await markDead(store.db, first!, clock.now(), 'late'), false)
    assert.deepEqual([await isDone(second!), await isDone(second!)], [true, false])
  })

  test('a dead job is tried again once, with fresh attempts, and the audit names the administrator who did it, not one who failed to', async (t) => {
    const world = await open(t)
    const { store, clock, ctx } = world
    const { id: accountId } = await createAccount(ctx, { email: null, role: 'admin', actor: OPERATOR })
    const retry = () => retryJob({ store: ctx, retryDead }, { id: job!.id, accountId, actor: actorOf.person('mem_1') })
    const told = async () => {
      const activities = await listActivities(store.db, { accountId }, { before: undefined, limit: 10 })
      return activities.filter(({ what }) => what === 'job.retried').map(({ actor: who, detail }) => ({ who, detail }))
    }
    await enqueue(ctx, { kind: 'k', payload: {} })
    const [job] = await claim(world)
    assert.equal(await retryDead(store.db, job!.id, clock.now()), false)
    assert.equal(await retryDead(store.db, 'job_unknown', clock.now()), false)
    await assert.rejects(retry(), { code: 'not_found' })
    assert.deepEqual(await told(), [])
    await markDead(store.db, job!, clock.now(), 'broken')
    assert.deepEqual(await claim(world), [])
    const outcomes = await Promise.allSettled([retry(), retry(), retry()])
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected'])
    assert.deepEqual(await told(), [{ who: 'mem_1', detail: { id: job!.id } }])
    const [again] = await claim(world)
    assert.deepEqual([again?.id, again?.attempts], [job!.id, 1])
  })

  // A dead recurring job has a successor with its key, so reviving it must not fail with a database error.
  test('a dead job whose key is waiting again stays dead', async (t) => {
    const world = await open(t)
    const { store, clock, ctx } = world
    await enqueue(ctx, { kind: 'k', payload: {}, key: 'schedule' })
    const [job] = await claim(world)
    await markDead(store.db, job!, clock.now(), 'broken')
    await enqueue(ctx, { kind: 'k', payload: {}, key: 'schedule' })
    assert.equal(await retryDead(store.db, job!.id, clock.now()), false)
    const retried = retryJob({ store: ctx, retryDead }, { id: job!.id, accountId: 'nobody', actor: OPERATOR })
    await assert.rejects(retried, { code: 'not_found' })
  })
})

// A planner that expects one row may run the inner query for each row of the outer one.
test('on PostgreSQL a claim keeps its limit when statistics say that the queue is almost empty', async (t) => {
  const world = await openFresh(t, 'postgres')
  await enqueue(world.ctx, { kind: 'k', payload: 0 })
  await query(world.url, 'analyze jobs')
  for (let index = 1; index < 20; index++) await enqueue(world.ctx, { kind: 'k', payload: index })
  assert.equal((await claim(world, 2)).length, 2)
})

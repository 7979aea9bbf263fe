import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimJobs, countJobs, listJobs, retryDead } from '../../src/infra/jobs/queue.ts'
import { JobRunner, type RunnerOptions } from '../../src/infra/jobs/runner.ts'
import { inTx } from '../../src/kernel/in-tx.ts'
import { type Job, enqueue } from '../../src/kernel/job.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { type OpenedStore, forEachEngine, openFresh } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { hearFailures } from '../support/failures.ts'
import { untilHeard } from '../support/until-heard.ts'

type Instance = Omit<OpenedStore, 'openAnother'>

const LEASE = 60_000
const PERIOD = 600_000

const jobOf = (run: Job['run'], more: Partial<Job> = {}): Job => ({
  kind: 'k',
  attemptsMax: 3,
  concurrencyMax: 5,
  leaseMilliseconds: LEASE,
  run,
  ...more,
})

function runnerOn(
  { store, clock, ctx }: Omit<Instance, 'clock'> & { clock: Clock },
  job: Job,
  onOutcome?: RunnerOptions['onOutcome'],
): JobRunner {
  const { random, ids } = ctx
  const { db, engine } = store
  const options = { failures: hearFailures(), db, engine, clock, random, ids, jobs: [job] }
  return new JobRunner({ ...options, ...(onOutcome && { onOutcome }) })
}

const countOf = async ({ store }: Instance, status: string) =>
  (await countJobs(store.db)).find((row) => row.status === status)?.count ?? 0

/** Stands still until it is opened. */
function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

forEachEngine((_engine, open) => {
  test('two instances run 200 jobs once each, never one job twice at a time, within their bound', async (t) => {
    const world = await open(t)
    const instances = [world, await world.openAnother()]
    const runs = new Map<unknown, number>()
    const active = new Set<unknown>()
    const most = [0, 0]
    const runners = instances.map((instance, index) => {
      let here = 0
      const run = async (payload: unknown) => {
        assert.ok(!active.has(payload), 'nobody else works on it')
        active.add(payload)
        most[index] = Math.max(most[index]!, ++here)
        await new Promise(setImmediate)
        runs.set(payload, (runs.get(payload) ?? 0) + 1)
        active.delete(payload)
        here--
      }
      return runnerOn(instance, jobOf(run))
    })
    await Promise.all(Array.from({ length: 200 }, (_, index) => enqueue(world.ctx, { kind: 'k', payload: index })))
    for (const runner of runners) await runner.start()
    await until(async () => {
      for (const runner of runners) runner.wake()
      return (await countOf(world, 'done')) === 200
    })
    await Promise.all(runners.map((runner) => runner.stop()))
    assert.deepEqual(
      [...runs.values()],
      Array.from({ length: 200 }, () => 1),
    )
    assert.ok(Math.max(...most) <= 5, `${most.join(' and ')} at once`)
  })

  test('the job of a worker that died is taken over when its lease is over, not before', async (t) => {
    const world = await open(t)
    const { clock, store } = world
    await enqueue(world.ctx, { kind: 'k', payload: 'orphan' })
    await claimJobs(store.db, store.engine, { kind: 'k', limit: 1, now: clock.now(), leaseMilliseconds: LEASE })
    const runs: unknown[] = []
    const note = jobOf(async (payload) => void runs.push(payload))
    const runner = runnerOn(world, note)
    await runner.start()
    clock.advance(LEASE)
    await runner.stop()
    assert.equal(runs.length, 0)
    clock.advance(1)
    const next = runnerOn(world, note)
    await next.start()
    await until(async () => (await countOf(world, 'done')) === 1)
    await next.stop()
    assert.deepEqual(runs, ['orphan'])
  })

  test('a job that kills its worker every time ends dead instead of going on for ever', async (t) => {
    const world = await open(t)
    const { clock, store } = world
    await enqueue(world.ctx, { kind: 'k', payload: {}, attemptsMax: 2 })
    for (let death = 0; death < 2; death++) {
      await claimJobs(store.db, store.engine, { kind: 'k', limit: 1, now: clock.now(), leaseMilliseconds: LEASE })
      clock.advance(LEASE + 1)
    }
    const runner = runnerOn(
      world,
      jobOf(() => assert.fail('it must not run again')),
    )
    await runner.start()
    await until(async () => (await countOf(world, 'dead')) === 1)
    await runner.stop()
  })

  test('a running job keeps its claim by signs of life; when it is lost, the job is aborted and cannot end it', async (t) => {
    const world = await open(t)
    const { clock, store } = world
    const outcomes: string[] = []
    const started = gate()
    const job = jobOf(async (_payload, signal) => {
      started.open()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    })
    // Signs of life are given by hand, so that the test knows when the next one is planned.
    const signs: (() => void)[] = []
    const byHand: Clock = {
      now: () => clock.now(),
      after(milliseconds, run) {
        if (milliseconds === LEASE / 3) signs.push(run)
        return () => undefined
      },
    }
    const runner = runnerOn({ ...world, clock: byHand }, job, ({ outcome }) => outcomes.push(outcome))
    await enqueue(world.ctx, { kind: 'k', payload: {} })
    await runner.start()
    await started.opened
    const lockedUntil = async () =>
      (await store.db.selectFrom('jobs').select('locked_until').executeTakeFirstOrThrow()).locked_until
    for (let sign = 0; sign < 6; sign++) {
      await until(() => signs.length === sign + 1)
      clock.advance(LEASE / 3)
      signs[sign]!()
      await until(async () => (await lockedUntil()) === clock.now() + LEASE)
    }
    const stolen = { kind: 'k', limit: 1, now: clock.now() + LEASE + 1, leaseMilliseconds: LEASE }
    assert.equal((await claimJobs(store.db, store.engine, stolen)).length, 1)
    await until(() => signs.length === 7)
    signs[6]!()
    await until(() => outcomes.length > 0)
    assert.deepEqual(outcomes, ['lost'])
    await runner.stop()
    assert.equal(await countOf(world, 'running'), 1)
  })

  test('failures are tried again after a random, growing wait, then the job is dead and can be revived', async (t) => {
    const world = await open(t)
    const { clock, store, ctx } = world
    const outcomes: string[] = []
    let broken = true
    const job = jobOf(() => (broken ? Promise.reject(new Error('out of order')) : Promise.resolve()), {
      concurrencyMax: 50,
    })
    const runner = runnerOn(world, job, ({ outcome }) => outcomes.push(outcome))
    for (let index = 0; index < 20; index++) await enqueue(ctx, { kind: 'k', payload: index, attemptsMax: 3 })
    await runner.start()
    for (const [attempt, ceiling] of [
      [1, 2_000],
      [2, 4_000],
    ] as const) {
      await until(() => outcomes.length === attempt * 20)
      const waits = (await listJobs(store.db, { status: 'ready', limit: 50 })).map(({ runAt }) => runAt - clock.now())
      assert.equal(waits.length, 20)
      assert.ok(
        waits.every((wait) => wait > 0 && wait <= ceiling),
        `${waits.join(' ')} within ${ceiling}`,
      )
      assert.ok(new Set(waits).size > 10, 'they do not march in step')
      clock.advance(ceiling)
      runner.wake()
    }
    await until(() => outcomes.length === 60)
    assert.deepEqual(outcomes, [...Array<string>(40).fill('retry'), ...Array<string>(20).fill('dead')])
    const dead = await listJobs(store.db, { status: 'dead', limit: 50 })
    assert.deepEqual(new Set(dead.map(({ lastError }) => lastError)), new Set(['out of order']))
    broken = false
    for (const { id } of dead) assert.equal(await retryDead(store.db, id, clock.now()), true)
    runner.wake()
    await until(async () => (await countOf(world, 'done')) === 20)
    await runner.stop()
  })

  test('a failure is not tried again in the same moment, however small its random wait', async (t) => {
    const world = await open(t)
    const smallest = { bytes: (length: number) => Buffer.alloc(length) }
    const ended = gate()
    const job = jobOf(() => Promise.reject(new Error('out of order')))
    const runner = runnerOn({ ...world, ctx: { ...world.ctx, random: smallest } }, job, () => ended.open())
    await enqueue(world.ctx, { kind: 'k', payload: {} })
    await runner.start()
    await ended.opened
    await runner.stop()
    const [waiting] = await listJobs(world.store.db, { status: 'ready', limit: 1 })
    assert.ok(waiting !== undefined && waiting.attempts === 1 && waiting.runAt > world.clock.now())
  })

  test('recurring work runs once per period on one of two instances', async (t) => {
    const world = await open(t)
    const { clock } = world
    let runs = 0
    const job = jobOf(async () => void runs++, { everyMilliseconds: PERIOD, concurrencyMax: 1 })
    const runners = [world, await world.openAnother()].map((instance) => runnerOn(instance, job))
    await Promise.all(runners.map((runner) => runner.start()))
    const settled = (rounds: number) => until(async () => runs === rounds && (await countOf(world, 'ready')) === 1)
    await settled(1)
    for (let round = 2; round <= 6; round++) {
      clock.advance(PERIOD - 1)
      for (const runner of runners) runner.wake()
      assert.equal(await countOf(world, 'ready'), 1)
      clock.advance(1)
      for (const runner of runners) runner.wake()
      await settled(round)
    }
    assert.equal((await listJobs(world.store.db, { limit: 10 })).length, 1, 'rounds leave nothing behind')
    await Promise.all(runners.map((runner) => runner.stop()))
  })

  test('recurring work that has nothing to do is asked once per period and writes nothing', async (t) => {
    const world = await open(t)
    let [asked, isNeeded] = [0, false]
    const more = { everyMilliseconds: PERIOD, isNeeded: async () => ++asked > 0 && isNeeded }
    const job = jobOf(async () => {}, more)
    const runner = runnerOn(world, job)
    const claims = async () => (await world.store.db.selectFrom('jobs').select('fence').execute())[0]!.fence
    await runner.start()
    await until(() => asked === 1)
    runner.wake()
    assert.equal(await claims(), 0)
    isNeeded = true
    world.clock.advance(PERIOD)
    runner.wake()
    await until(async () => (await claims()) === 1 && (await countOf(world, 'ready')) === 1)
    assert.equal(asked, 2)
    await runner.stop()
  })

  test('recurring work survives a crash in the middle of a run and between runs', async (t) => {
    const world = await open(t)
    const { clock, store } = world
    let runs = 0
    const job = jobOf(async () => void runs++, { everyMilliseconds: PERIOD, concurrencyMax: 1 })
    const first = runnerOn(world, job)
    await first.start()
    await until(async () => runs === 1 && (await countOf(world, 'ready')) === 1)
    await first.stop()
    // Between runs: a new process adds no second schedule. In the middle: a worker takes it and is never heard of again.
    clock.advance(PERIOD)
    await claimJobs(store.db, store.engine, { kind: 'k', limit: 1, now: clock.now(), leaseMilliseconds: LEASE })
    const second = runnerOn(world, job)
    await second.start()
    assert.deepEqual([await countOf(world, 'ready'), await countOf(world, 'running')], [0, 1])
    clock.advance(LEASE + 1)
    second.wake()
    await until(async () => runs === 2 && (await countOf(world, 'ready')) === 1)
    await second.stop()
  })

  test('recurring work goes on after a round that failed for good', async (t) => {
    const world = await open(t)
    const { clock } = world
    let runs = 0
    const failing = async () => {
      if (++runs === 1) throw new Error('out of order')
    }
    const runner = runnerOn(world, jobOf(failing, { everyMilliseconds: PERIOD, attemptsMax: 1 }))
    await runner.start()
    await until(async () => (await countOf(world, 'dead')) === 1 && (await countOf(world, 'ready')) === 1)
    clock.advance(PERIOD)
    runner.wake()
    await until(async () => runs === 2 && (await countOf(world, 'ready')) === 1)
    await runner.stop()
  })

  test('stopping waits for running jobs, also for those it was just about to get', async (t) => {
    const world = await open(t)
    for (let index = 0; index < 20; index++) await enqueue(world.ctx, { kind: 'k', payload: index })
    let running = 0
    const job = jobOf(async () => {
      running++
      await new Promise(setImmediate)
      running--
    })
    const runner = runnerOn(world, job)
    await runner.start()
    await runner.stop()
    assert.equal(running, 0)
    assert.equal(await countOf(world, 'running'), 0)
    const done = await countOf(world, 'done')
    await new Promise(setImmediate)
    assert.equal(await countOf(world, 'done'), done, 'nothing starts after the stop')
  })

  // The process must outlive its store: the job is taken again when the claim is over.
  test('a store that goes away under a running job ends neither the process nor the job', async (t) => {
    const world = await open(t)
    const another = await world.openAnother()
    await enqueue(world.ctx, { kind: 'k', payload: {} })
    const started = gate()
    const finish = gate()
    const job = jobOf(async () => {
      started.open()
      await finish.opened
    })
    const runner = runnerOn(another, job)
    await runner.start()
    await started.opened
    await another.store.close()
    world.clock.advance(LEASE / 3)
    finish.open()
    await runner.stop()
    world.clock.advance(LEASE)
    const next = runnerOn(world, job)
    await next.start()
    await until(async () => (await countOf(world, 'done')) === 1)
    await next.stop()
  })
})

test('on PostgreSQL a notice wakes the runner of another instance; nobody waits for the poll', async (t) => {
  const world = await openFresh(t, 'postgres')
  const another = await world.openAnother()
  const ran = gate()
  const runner = runnerOn(
    another,
    jobOf(async () => ran.open()),
  )
  another.store.notices.subscribe('jobs', () => runner.wake())
  await runner.start()
  await untilHeard(world, another)
  // The test's clock stands still, so that no poll can help.
  await inTx(world.ctx, (tx) => enqueue(tx, { kind: 'k', payload: {} }))
  await ran.opened
  await runner.stop()
})

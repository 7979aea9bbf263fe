import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { claimJobs, countJobs, listJobs, retryDead } from '../../src/infra/jobs/queue.ts'
import { JobRunner } from '../../src/infra/jobs/runner.ts'
import { noWork } from '../../src/kernel/errors.ts'
import { inTx } from '../../src/kernel/in-tx.ts'
import { type Job, PutOff, enqueue } from '../../src/kernel/job.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { type OpenedStore, forEachEngine, openFresh } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { receiveFailures } from '../support/failures.ts'
import { untilReceived } from '../support/until-received.ts'

type Instance = Omit<OpenedStore, 'openAnother'>

const LEASE = 60_000
const PERIOD = 600_000
const DAY = 86_400_000

const USUAL = { kind: 'k', attemptsMax: 3, concurrencyMax: 5, leaseMilliseconds: LEASE }
const jobOf = (run: Job['run'], more: Partial<Job> = {}): Job => ({ ...USUAL, run, ...more })

/** A runner with one job that records how each run ended. */
function runnerOn(
  { store, clock, ctx }: Omit<Instance, 'clock'> & { clock: Clock },
  job: Job,
  outcomes: string[] = [],
): JobRunner {
  const { random, ids } = ctx
  const options = { failures: receiveFailures(), db: store.db, engine: store.engine, clock, random, ids, jobs: [job] }
  return new JobRunner({ ...options, onOutcome: ({ outcome }) => void outcomes.push(outcome) })
}

async function startOn(...given: Parameters<typeof runnerOn>): Promise<JobRunner> {
  const runner = runnerOn(...given)
  await runner.start()
  return runner
}

const countOf = async ({ store }: Instance, status: string) =>
  (await countJobs(store.db)).find((row) => row.status === status)?.count ?? 0

/** Blocks until it is opened. */
const gate = () => Promise.withResolvers<void>()

/** Claims a job, as a worker that dies afterwards. */
const claimOne = ({ store, clock }: Pick<Instance, 'store' | 'clock'>, now = clock.now()) =>
  claimJobs(store.db, store.engine, { kind: 'k', limit: 1, now, leaseMilliseconds: LEASE })

forEachEngine((_engine, open) => {
  test('two instances run 200 jobs once each, never one job twice at a time, within their bound', async (t) => {
    const world = await open(t)
    const runs = new Map<unknown, number>()
    const active = new Set<unknown>()
    const most = [0, 0]
    const runners = [world, await world.openAnother()].map((instance, index) => {
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
    assert.deepEqual([runs.size, new Set(runs.values())], [200, new Set([1])])
    assert.ok(Math.max(...most) <= 5, `${most.join(' and ')} at once`)
  })

  test('the job of a worker that died is taken over when its lease is over, not before; one that kills every worker ends dead', async (t) => {
    const world = await open(t)
    const { clock } = world
    await enqueue(world.ctx, { kind: 'k', payload: 'orphan' })
    await claimOne(world)
    const runs: unknown[] = []
    const note = jobOf(async (payload) => void runs.push(payload))
    const runner = await startOn(world, note)
    clock.advance(LEASE)
    await runner.stop()
    assert.equal(runs.length, 0)
    clock.advance(1)
    const next = await startOn(world, note)
    await until(async () => (await countOf(world, 'done')) === 1)
    await next.stop()
    await enqueue(world.ctx, { kind: 'k', payload: 'killer', attemptsMax: 2 })
    for (let death = 0; death < 2; death++) {
      await claimOne(world)
      clock.advance(LEASE + 1)
    }
    const last = await startOn(world, note)
    await until(async () => (await countOf(world, 'dead')) === 1)
    await last.stop()
    assert.deepEqual(runs, ['orphan'], 'the other was not run again')
  })

  test('a running job keeps its claim by signs of life; when it is lost, the job is aborted and cannot end it', async (t) => {
    const world = await open(t)
    const { clock, store } = world
    const outcomes: string[] = []
    const started = gate()
    const job = jobOf(async (_payload, signal) => {
      started.resolve()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    })
    // Heartbeats are sent by hand, so that the test knows when the next one is due.
    const signs: (() => void)[] = []
    const byHand: Clock = {
      now: () => clock.now(),
      after(milliseconds, run) {
        if (milliseconds === LEASE / 3) signs.push(run)
        return () => undefined
      },
    }
    await enqueue(world.ctx, { kind: 'k', payload: {} })
    const runner = await startOn({ ...world, clock: byHand }, job, outcomes)
    await started.promise
    const lockedUntil = async () =>
      (await store.db.selectFrom('jobs').select('locked_until').executeTakeFirstOrThrow()).locked_until
    for (let sign = 0; sign < 6; sign++) {
      await until(() => signs.length === sign + 1)
      clock.advance(LEASE / 3)
      signs[sign]!()
      await until(async () => (await lockedUntil()) === clock.now() + LEASE)
    }
    assert.equal((await claimOne(world, clock.now() + LEASE + 1)).length, 1, 'it is stolen')
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
    const fail = async () => {
      if (broken) throw new Error('out of order')
    }
    for (let index = 0; index < 20; index++) await enqueue(ctx, { kind: 'k', payload: index, attemptsMax: 3 })
    const runner = await startOn(world, jobOf(fail, { concurrencyMax: 50 }), outcomes)
    for (const attempt of [1, 2]) {
      const ceiling = attempt * 2_000
      await until(() => outcomes.length === attempt * 20)
      const waits = (await listJobs(store.db, { status: 'ready', limit: 50 })).map(({ runAt }) => runAt - clock.now())
      assert.equal(waits.length, 20)
      assert.ok(Math.min(...waits) > 0 && Math.max(...waits) <= ceiling, `${waits.join(' ')} within ${ceiling}`)
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
    const outcomes: string[] = []
    const job = jobOf(() => Promise.reject(new Error('out of order')))
    await enqueue(world.ctx, { kind: 'k', payload: {} })
    const runner = await startOn({ ...world, ctx: { ...world.ctx, random: smallest } }, job, outcomes)
    await until(() => outcomes.length > 0)
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
    const claims = async () => (await world.store.db.selectFrom('jobs').select('fence').execute())[0]!.fence
    const job = jobOf(async () => {}, more)
    const runner = await startOn(world, job)
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

  test('a runner with nothing to do sleeps until the next job is due, or until recurring work is to be asked again; five seconds at most', async (t) => {
    const world = await open(t)
    const { clock, ctx } = world
    const pauses: number[] = []
    const asleep = {
      now: () => clock.now(),
      after: (milliseconds: number, run: () => void) => sleep(milliseconds, run),
    }
    let wakeUp = () => {}
    const sleep = (milliseconds: number, run: () => void) => {
      if (milliseconds < LEASE / 3) [wakeUp] = [run, pauses.push(milliseconds)]
      return () => undefined
    }
    const runs: unknown[] = []
    const runner = runnerOn(
      { ...world, clock: asleep },
      jobOf(async (payload) => void runs.push(payload)),
    )
    const afterSleeping = async () => {
      const slept = pauses.length
      clock.advance(pauses.at(-1)!)
      wakeUp()
      await until(() => pauses.length > slept)
      return pauses.at(-1)
    }
    await runner.start()
    await until(() => pauses.length === 1)
    assert.equal(pauses[0], 1_000, 'something may have happened')
    assert.equal(await afterSleeping(), 5_000)
    await enqueue(ctx, { kind: 'k', payload: 'later', runAt: clock.now() + 8_200 })
    assert.deepEqual([await afterSleeping(), runs], [3_200, []])
    await afterSleeping()
    await until(() => runs.length === 1)
    await runner.stop()

    pauses.length = 0
    const asked: number[] = []
    const isNeeded = async () => asked.push(clock.now()) < 0
    const recurring = runnerOn(
      { ...world, clock: asleep },
      jobOf(async () => {}, { everyMilliseconds: 1_700, isNeeded }),
    )
    await recurring.start()
    await until(() => pauses.length === 1)
    assert.equal(await afterSleeping(), 700)
    assert.equal(await afterSleeping(), 1_700)
    assert.deepEqual(asked, [clock.now() - 1_700, clock.now()])
    await recurring.stop()
  })

  test('recurring work survives a crash in the middle of a run and between runs', async (t) => {
    const world = await open(t)
    const { clock } = world
    let runs = 0
    const job = jobOf(async () => void runs++, { everyMilliseconds: PERIOD, concurrencyMax: 1 })
    const first = await startOn(world, job)
    await until(async () => runs === 1 && (await countOf(world, 'ready')) === 1)
    await first.stop()
    // Between runs: a new process adds no second schedule. During a run: a worker claims the job and dies.
    clock.advance(PERIOD)
    await claimOne(world)
    const second = await startOn(world, job)
    assert.deepEqual([await countOf(world, 'ready'), await countOf(world, 'running')], [0, 1])
    clock.advance(LEASE + 1)
    second.wake()
    await until(async () => runs === 2 && (await countOf(world, 'ready')) === 1)
    await second.stop()
  })

  test('refunds and recoveries do not stand still for a day after the clock was set back by one, neither in a running gateway nor after a restart', async (t) => {
    const world = await open(t)
    const { clock } = world
    let runs = 0
    let asked = 0
    const isNeeded = async () => ++asked > 0
    const job = jobOf(async () => void runs++, { everyMilliseconds: PERIOD, concurrencyMax: 1, isNeeded })
    const settled = (rounds: number) => until(async () => runs === rounds && (await countOf(world, 'ready')) === 1)
    const first = await startOn(world, job)
    await settled(1)
    clock.setBack(DAY)
    first.wake()
    await settled(2)
    await first.stop()
    clock.setBack(DAY)
    const second = await startOn(world, job)
    await settled(3)
    await second.stop()
    // Killed during a run, and the clock is set back before the next start.
    clock.advance(PERIOD)
    await claimOne(world)
    clock.setBack(DAY)
    const third = await startOn(world, job)
    clock.advance(LEASE + 1)
    third.wake()
    await settled(4)
    await third.stop()
  })

  test('recurring work goes on after a round that failed for good', async (t) => {
    const world = await open(t)
    let runs = 0
    const failing = async () => {
      if (++runs === 1) throw new Error('out of order')
    }
    const runner = await startOn(world, jobOf(failing, { everyMilliseconds: PERIOD, attemptsMax: 1 }))
    await until(async () => (await countOf(world, 'dead')) === 1 && (await countOf(world, 'ready')) === 1)
    world.clock.advance(PERIOD)
    runner.wake()
    await until(async () => runs === 2 && (await countOf(world, 'ready')) === 1)
    await runner.stop()
  })

  // The job has one attempt. If the stop counted as one, the wallet's owner would wait forever for the money.
  test('a job that fails because its process stops is given back, and runs once at the next start', async (t) => {
    const world = await open(t)
    await enqueue(world.ctx, { kind: 'k', payload: {}, attemptsMax: 1 })
    const outcomes: string[] = []
    const [begun, work] = [gate(), gate()]
    const job = jobOf(async () => {
      begun.resolve()
      await work.promise
    })
    const first = await startOn(world, job, outcomes)
    await begun.promise
    const stopped = first.stop()
    work.reject(noWork(5))
    await stopped
    assert.deepEqual(outcomes, ['given_back'])
    const [waiting] = await listJobs(world.store.db, { limit: 10 })
    assert.deepEqual([waiting!.status, waiting!.attempts, waiting!.runAt <= world.clock.now()], ['ready', 0, true])

    let runs = 0
    const again = jobOf(async () => void runs++)
    const second = await startOn(await world.openAnother(), again, outcomes)
    await until(() => outcomes.length === 2)
    await second.stop()
    assert.deepEqual([runs, outcomes], [1, ['given_back', 'done']])
  })

  // The job has one attempt. If every check counted, jobs that wait for a condition or a limit would be given up.
  test('a job that is put off waits without using an attempt, and runs when its time has come', async (t) => {
    const world = await open(t)
    const { clock, store } = world
    await enqueue(world.ctx, { kind: 'k', payload: {}, attemptsMax: 1 })
    const outcomes: string[] = []
    let isOff = true
    const job = jobOf(async () => {
      if (isOff) throw new PutOff(clock.now() + PERIOD, 'Switched off.')
    })
    const runner = await startOn(world, job, outcomes)
    for (let times = 1; times <= 3; times++) {
      await until(() => outcomes.length === times)
      const [waiting] = await listJobs(store.db, { limit: 10 })
      const { status, attempts, runAt, lastError } = waiting!
      assert.deepEqual([status, attempts, runAt, lastError], ['ready', 0, clock.now() + PERIOD, 'Switched off.'])
      isOff = times < 3
      clock.advance(PERIOD)
      runner.wake()
    }
    await until(() => outcomes.length === 4)
    await runner.stop()
    assert.deepEqual(outcomes, ['put_off', 'put_off', 'put_off', 'done'])
  })

  test('stopping waits for running jobs and for those being claimed; a job over a list ends between two steps', async (t) => {
    const world = await open(t)
    const outcomes: string[] = []
    let steps = 0
    const list = jobOf(async (_payload, signal) => {
      for (; !signal.aborted; steps++) await new Promise(setImmediate)
    })
    await enqueue(world.ctx, { kind: 'k', payload: {} })
    const first = await startOn(world, list, outcomes)
    await until(() => steps > 0)
    await first.stop()
    assert.deepEqual(outcomes, ['done'])

    for (let index = 0; index < 20; index++) await enqueue(world.ctx, { kind: 'k', payload: index })
    let running = 0
    const job = jobOf(async () => {
      running++
      await new Promise(setImmediate)
      running--
    })
    await (await startOn(world, job)).stop()
    assert.deepEqual([running, await countOf(world, 'running')], [0, 0])
    const done = await countOf(world, 'done')
    await new Promise(setImmediate)
    assert.equal(await countOf(world, 'done'), done, 'nothing starts after the stop')
  })

  test('a job that ends while its gateway stops asks the store for nothing more, which may be closed by then', async (t) => {
    const world = await open(t)
    let answers = 0
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        answers++
        return result
      },
    }
    const store = { ...world.store, db: world.store.db.withPlugin(counting) }
    await enqueue(world.ctx, { kind: 'k', payload: {} })
    const started = gate()
    const stopped = gate()
    const job = jobOf(async () => {
      started.resolve()
      await stopped.promise
    })
    const runner = await startOn({ ...world, store }, job)
    await started.promise
    const stop = runner.stop()
    stopped.resolve()
    await stop
    const before = answers
    assert.ok(before > 0)
    assert.equal(await countOf(world, 'done'), 1)
    assert.equal(answers, before)
  })

  // The process must survive an outage of its store: the job is claimed again when the lease ends.
  test('an outage of the store during a job ends neither the process nor the job', async (t) => {
    const world = await open(t)
    const another = await world.openAnother()
    await enqueue(world.ctx, { kind: 'k', payload: {} })
    const started = gate()
    const finish = gate()
    const job = jobOf(async () => {
      started.resolve()
      await finish.promise
    })
    const runner = await startOn(another, job)
    await started.promise
    await another.store.close()
    world.clock.advance(LEASE / 3)
    finish.resolve()
    await runner.stop()
    world.clock.advance(LEASE)
    const next = await startOn(world, job)
    await until(async () => (await countOf(world, 'done')) === 1)
    await next.stop()
  })
})

test('on PostgreSQL a notification wakes the runner of another instance, without waiting for the poll', async (t) => {
  const world = await openFresh(t, 'postgres')
  const another = await world.openAnother()
  const ran = gate()
  const job = jobOf(async () => ran.resolve())
  const runner = runnerOn(another, job)
  another.store.notices.subscribe('jobs', () => runner.wake())
  await runner.start()
  await untilReceived(world, another)
  // The test clock stands still, so polling cannot help.
  await inTx(world.ctx, (tx) => enqueue(tx, { kind: 'k', payload: {} }))
  await ran.promise
  await runner.stop()
})

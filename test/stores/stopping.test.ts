import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listJobs } from '../../src/infra/jobs/queue.ts'
import { JobRunner } from '../../src/infra/jobs/runner.ts'
import { noWork } from '../../src/kernel/errors.ts'
import { type Job, enqueue } from '../../src/kernel/job.ts'
import { type OpenedStore, forEachEngine } from '../support/engines.ts'
import { until } from '../support/until.ts'
import { hearFailures } from '../support/failures.ts'

type Instance = Omit<OpenedStore, 'openAnother'>

function runnerOn({ store, clock, ctx }: Instance, run: Job['run'], outcomes: string[]): JobRunner {
  const { db, engine } = store
  const job: Job = { kind: 'sweep', attemptsMax: 1, concurrencyMax: 1, leaseMilliseconds: 60_000, run }
  const onOutcome = ({ outcome }: { outcome: string }) => outcomes.push(outcome)
  return new JobRunner({
    failures: hearFailures(),
    db,
    engine,
    clock,
    random: ctx.random,
    ids: ctx.ids,
    jobs: [job],
    onOutcome,
  })
}

forEachEngine((_engine, open) => {
  // It has one attempt: if the stop counted as one, whoever waits for its money would wait for ever.
  test('a job that fails because its process stops is given back, and runs once at the next start', async (t) => {
    const world = await open(t)
    await enqueue(world.ctx, { kind: 'sweep', payload: {}, attemptsMax: 1 })
    const outcomes: string[] = []
    const work = Promise.withResolvers<void>()
    let begun = 0
    const first = runnerOn(
      world,
      async () => {
        begun++
        await work.promise
      },
      outcomes,
    )
    await first.start()
    await until(() => begun === 1)
    const stopped = first.stop()
    work.reject(noWork(5))
    await stopped
    assert.deepEqual(outcomes, ['given_back'])
    const [job] = await listJobs(world.store.db, { limit: 10 })
    assert.deepEqual([job!.status, job!.attempts, job!.runAt <= world.clock.now()], ['ready', 0, true])

    let runs = 0
    const second = runnerOn(await world.openAnother(), async () => void runs++, outcomes)
    await second.start()
    await until(() => outcomes.length === 2)
    await second.stop()
    assert.deepEqual([runs, outcomes], [1, ['given_back', 'done']])
  })

  test('a job that goes through a list ends between two of its steps when its process stops', async (t) => {
    const world = await open(t)
    await enqueue(world.ctx, { kind: 'sweep', payload: {}, attemptsMax: 1 })
    const outcomes: string[] = []
    let steps = 0
    const runner = runnerOn(
      world,
      async (_payload, signal) => {
        for (; !signal.aborted; steps++) await new Promise(setImmediate)
      },
      outcomes,
    )
    await runner.start()
    await until(() => steps > 0)
    await runner.stop()
    assert.deepEqual(outcomes, ['done'])
  })
})

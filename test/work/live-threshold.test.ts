import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { openCpuEngine } from '../../src/infra/work/cpu.ts'
import { WORK_THRESHOLDS, workValue } from '../../src/kernel/nano/work.ts'
import { newHash, testRandom } from '../support/random.ts'

/*
 * The live network's work is millions of times harder than in other tests: a send takes 537 million hashes on average, half a minute on two cores. The
 * time varies, and one search in a thousand takes seven times the average, so the time limit is generous.
 */
const TIMEOUT = 30 * 60_000

for (const block of ['receive', 'send'] as const) {
  test(`finds work for a ${block} on the live network with all cores`, { timeout: TIMEOUT }, async (t) => {
    const engine = await openCpuEngine({ threads: availableParallelism(), random: testRandom })
    t.after(() => engine.close())
    const root = newHash()
    const threshold = WORK_THRESHOLDS.live[block]
    t.diagnostic(`root ${root}`)
    const work = await engine.search({ root, threshold }, new AbortController().signal)
    assert.ok(work)
    assert.ok(workValue(root, work) >= threshold, `work ${work} for root ${root}`)
    t.diagnostic(`work ${work} after ${(engine.hashes / 1e6).toFixed(0)} million hashes, ${engine.shape}`)
  })
}

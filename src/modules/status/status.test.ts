import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enqueue } from '../../kernel/job.ts'
import { TestClock } from '../../../test/support/clock.ts'
import { ENGINES, openFresh } from '../../../test/support/engines.ts'
import type { State } from './components.ts'
import { look, readStatus } from './domain/status.ts'

const MINUTE = 60_000

for (const engine of ENGINES) {
  test(`${engine}: the page shows failures with their start, and times without a running gateway; a single failed probe is no incident`, async (t) => {
    const clock = new TestClock()
    const ctx = { ...(await openFresh(t, engine)).ctx, clock }
    const seen: Record<'nodes' | 'work' | 'prices', State> = { nodes: 'up', work: 'up', prices: 'up' }
    const lookFor = async (minutes: number) => {
      for (let passed = 0; passed < minutes; passed++) {
        await look(ctx, () => seen)
        clock.advance(MINUTE)
      }
    }
    const incidents = async () =>
      (await readStatus(ctx)).incidents.map(({ component, state, startedAt, endedAt }) => {
        const minutes = endedAt === null ? 'open' : (endedAt - startedAt) / MINUTE
        return `${component} ${state} ${minutes}`
      })
    await lookFor(2)
    seen.nodes = 'down'
    await lookFor(1)
    seen.nodes = 'up'
    await lookFor(1)
    assert.deepEqual(await incidents(), [])
    seen.nodes = 'degraded'
    await lookFor(3)
    assert.deepEqual(await incidents(), ['nodes degraded open'])
    seen.nodes = 'down'
    await lookFor(2)
    seen.nodes = 'up'
    await lookFor(1)
    assert.deepEqual(await incidents(), ['nodes down 2', 'nodes degraded 4'])

    clock.advance(10 * MINUTE)
    await lookFor(1)
    assert.equal((await incidents())[0], 'gateway down 11')
    const { components } = await readStatus(ctx)
    const gateway = components.find(({ component }) => component === 'gateway')!
    assert.deepEqual([gateway.state, gateway.days.length, gateway.days.at(-1)?.state], ['up', 90, 'down'])
    assert.equal(gateway.uptime, '50.00')

    await enqueue(ctx, { kind: 'webhooks.deliver', payload: {} })
    clock.advance(2 * MINUTE)
    await lookFor(1)
    clock.advance(4 * MINUTE)
    await lookFor(2)
    const webhooks = (await readStatus(ctx)).components.find(({ component }) => component === 'webhooks')
    assert.equal(webhooks?.state, 'degraded')
  })
}

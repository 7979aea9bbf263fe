import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { Signer } from '../support/blocks.ts'
import type { Moment } from '../support/faults.ts'
import { SEED, SeededRandom, testRandom } from '../support/random.ts'
import { PLACES } from '../support/thorough.ts'
import { type Instance, type WalletWorld, openWalletWorld } from '../support/wallet-world.ts'

/** Longer than any lease. */
const LEASE = 11_000
const CALLS_MAX = 1_000

/** Prepares a new case; returns what to do, and what must be true in the end. */
export type Scenario = (
  world: WalletWorld,
  instance: Instance,
) => Promise<{ act(instance: Instance): Promise<unknown>; check(alive: Instance): Promise<void> }>

/** How a call fails: before or after it took effect, and whether the process dies. */
export interface Way {
  moment: Moment
  deadly: boolean
}

export interface Plan {
  engine: StoreEngine | 'memory'
  wayOf(): Way
  /** The first call that fails, and the distance to the next one. */
  first?: number
  stride?: number
  /** Fails if the scenario made fewer outside calls than this, because then it was not run. */
  placesMin: number
}

/** Every call fails, each in the same way. */
export const always = (engine: Plan['engine'], way: Way, placesMin = 10): Plan => ({
  engine,
  wayOf: () => way,
  placesMin,
})

let signers = 1_000
/** An unused address. */
export const stranger = () => new Signer(signers++).address

const WAYS: Way[] = [
  { moment: 'before', deadly: true },
  { moment: 'after', deadly: true },
  { moment: 'after', deadly: false },
]
const HALF = 2

/**
 * Every failing call fails in a way chosen by the seed. Signatures make runs slow, so a run takes only half of the calls, also chosen by the seed: over
 * many runs all are covered.
 */
export async function failByLot(t: TestContext, scenario: Scenario): Promise<void> {
  t.diagnostic(`SEED=${SEED}`)
  const random = new SeededRandom(SEED)
  const first = 1 + random.below(HALF)
  const wayOf = () => random.pick(WAYS)
  await failEverywhere(t, scenario, { engine: 'memory', wayOf, first, stride: HALF, placesMin: 5 })
}

/** Lets the n-th outside call of a scenario fail, for every n of the plan; the surviving instance must reach the same end. */
export async function failEverywhere(t: TestContext, scenario: Scenario, plan: Plan): Promise<void> {
  const { engine, wayOf, first = PLACES.first, stride = PLACES.stride, placesMin } = plan
  const world = await openWalletWorld(t, { engine, random: testRandom })
  let instance = await world.start()
  for (let call = first; call < CALLS_MAX; call += stride) {
    const { act, check } = await scenario(world, instance)
    const { faults } = instance
    const { moment, deadly } = wayOf()
    if (deadly) faults.crashAt(call, moment)
    else faults.failAt(call, moment)
    await world.finish(act(instance)).catch((error: unknown) => {
      if (!faults.fired) throw error
    })
    await world.finish(faults.ended)
    faults.disarm()
    world.clock.advance(LEASE)
    if (faults.dead) instance = await world.start()
    await world.finish(act(instance))
    await world.finish(instance.settle())
    try {
      await check(instance)
    } catch (cause) {
      const way = `${deadly ? 'dies' : 'fails'} ${moment} call ${call}`
      throw new Error(`${way}: ${(cause as Error).message}`, { cause })
    }
    if (!faults.fired) {
      t.diagnostic(`about ${call - 1} places to fail, every ${stride} from ${first} on`)
      assert.ok(call > placesMin)
      assert.deepEqual(world.alarms, [])
      return
    }
  }
  assert.fail('It never ended.')
}

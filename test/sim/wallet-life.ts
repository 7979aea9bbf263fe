import type { TestContext } from 'node:test'
import { AppError } from '../../src/kernel/errors.ts'
import { Crash } from '../support/faults.ts'
import type { SeededRandom } from '../support/random.ts'
import type { Instance, WalletWorld } from '../support/wallet-world.ts'

const LEASE = 11_000
/** Expected failures of an operation. Any other is a defect. */
const EXPECTED = ['no_node', 'publish_unknown', 'publish_refused', 'insufficient_funds', 'wallet_busy']

/** Random operations on wallets in two processes, which may die at any call. */
export abstract class WalletLife {
  readonly world: WalletWorld
  readonly random: SeededRandom
  readonly outcomes = new Map<string, number>()
  instances: Instance[] = []
  deaths = 0
  readonly #expected: ReadonlySet<string>

  constructor(world: WalletWorld, random: SeededRandom, expected: readonly string[]) {
    this.world = world
    this.random = random
    this.#expected = new Set([...EXPECTED, ...expected])
  }

  abstract begin(): Promise<void>
  abstract step(): Promise<void>
  /** Ends all faults and advances the clock until nothing is left to do. */
  abstract rest(): Promise<void>

  async startTwo(): Promise<void> {
    this.instances = [await this.world.start(), await this.world.start()]
  }

  /** A random choice by weight. */
  pick<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
    let at = this.random.below(choices.reduce((sum, [weight]) => sum + weight, 0))
    return choices.find(([weight]) => (at -= weight) < 0)![1]
  }

  note(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
  }

  /** Runs an operation and counts its result; an unexpected failure is thrown. */
  async tolerate(operation: () => Promise<unknown>): Promise<void> {
    try {
      await operation()
    } catch (error) {
      const code = error instanceof AppError ? error.code : error instanceof Crash ? 'died' : undefined
      const isDying = this.instances.some(({ faults }) => faults.dead)
      if (code === undefined ? !isDying : code !== 'died' && !this.#expected.has(code)) throw error
      this.note(code ?? 'died')
    }
  }

  async replaceDead(): Promise<void> {
    for (const [at, { faults }] of this.instances.entries()) {
      if (!faults.dead) continue
      this.deaths++
      this.world.clock.advance(LEASE)
      this.instances[at] = await this.world.start()
    }
  }

  /** Runs that many steps, then `rest`. */
  async live(t: TestContext, seed: number, steps: number): Promise<void> {
    t.diagnostic(`SEED=${seed} STEPS=${steps}`)
    await this.begin()
    let step = 0
    try {
      for (; step < steps; step++) await this.step()
      await this.rest()
    } catch (cause) {
      throw new Error(`SEED=${seed} STEPS=${steps}, step ${step}: ${(cause as Error).message}`, { cause })
    }
    const outcomes = [...this.outcomes].map(([name, times]) => `${name} ${times}`).join(', ')
    t.diagnostic(`${this.deaths} deaths; ${outcomes}`)
  }
}

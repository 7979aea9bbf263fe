import { systemClock } from '../../src/infra/clock.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import type { Db } from '../../src/kernel/db.ts'
import { until } from './until.ts'

/** A clock that stands still until a test turns it. */
export class TestClock implements Clock {
  #now: number
  #timers: { at: number; run: () => void }[] = []

  constructor(start = Date.UTC(2026, 10, 15)) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  /** How many wait for a later moment. */
  get waiting(): number {
    return this.#timers.length
  }

  /** How many wait for exactly this moment. */
  waitingFor(moment: number): number {
    return this.#timers.filter(({ at }) => at === moment).length
  }

  after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#now + milliseconds, run }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Moves time forward and runs what falls due, in order. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds
    for (;;) {
      const due = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
      if (!due) break
      this.#timers = this.#timers.filter((timer) => timer !== due)
      this.#now = due.at
      due.run()
    }
    this.#now = end
  }

  /** As when the clock of a machine is set back: what waits comes after as long as before. */
  setBack(milliseconds: number): void {
    this.#now -= milliseconds
    this.#timers = this.#timers.map(({ at, run }) => ({ at: at - milliseconds, run }))
  }

  /**
   * Moves time forward at once, as when a machine has slept: what was waiting runs, once and late. What comes again every
   * few seconds does not come half a million times for a month.
   */
  leap(milliseconds: number): void {
    this.#now += milliseconds
    const due = this.#timers.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at)
    for (const timer of due) {
      if (!this.#timers.includes(timer)) continue
      this.#timers = this.#timers.filter((other) => other !== timer)
      timer.run()
    }
  }
}

/**
 * The time of a network beside a test's clock: it shows the same hour and hurries when the clock is turned, but what it has
 * under way comes about while the clock stands, too.
 */
export const networkClock = (clock: Clock): Clock => ({
  now: () => clock.now(),
  after(milliseconds, run) {
    const cancel = () => ends.forEach((end) => end())
    const ends = [clock, systemClock].map((each) =>
      each.after(milliseconds, () => {
        cancel()
        run()
      }),
    )
    return cancel
  },
})

const LIVED_STEP = 10
const LIVED_STEP_MAX = 30

/**
 * Time as this process lives it: while another program has the processor, or a long task the only thread, it stands still.
 * Where nodes and gateways share the process, whoever waits for another must not count what neither of them could use: a
 * good node would be late through no fault of its own.
 */
class LivedClock extends TestClock {
  #looked: number | undefined

  override after(milliseconds: number, run: () => void): () => void {
    if (this.#looked === undefined) {
      this.#looked = performance.now()
      setInterval(() => this.#goOn(), LIVED_STEP).unref()
    }
    return super.after(milliseconds, run)
  }

  #goOn(): void {
    const now = performance.now()
    this.advance(Math.min(Math.round(now - this.#looked!), LIVED_STEP_MAX))
    this.#looked = now
  }
}

export const livedClock: Clock = new LivedClock(Date.now())

/** Real time after which whoever waits for a clock that stands still is helped on. */
const PATIENCE = 5_000

/**
 * Awaits something that is quick as a rule. When a job happens to hold the wallet that is needed, it is looked at again only
 * after a while, and for that the clock has to move.
 */
export function turningWhenStuck<T>(clock: TestClock, waited: Promise<T>, patience = PATIENCE): Promise<T> {
  const timer = setInterval(() => clock.advance(100), patience)
  return waited.finally(() => clearInterval(timer))
}

/** Awaits the end of something by a clock that no test turns any more: where the end waits for a moment, the moment comes. */
export async function closingBy(clock: Clock, closed: Promise<void>): Promise<void> {
  if (!(clock instanceof TestClock)) return closed
  let turning: NodeJS.Timeout | undefined
  const stuck = setTimeout(() => (turning = setInterval(() => clock.advance(1_000), 40)), PATIENCE)
  try {
    await closed
  } finally {
    clearTimeout(stuck)
    clearInterval(turning)
  }
}

/**
 * Turns the clock in small steps until something is so. Every step waits for the disk, as leases do: the clock never runs
 * away from those who hold one.
 */
export function turnPacedBy(
  { clock, db }: { clock: TestClock; db: Db },
  isSo: () => boolean | Promise<boolean>,
): Promise<void> {
  const waitForDisk = () =>
    db
      .updateTable('accounts')
      .set(({ ref }) => ({ role: ref('role') }))
      .execute()
  return until(async () => {
    if (await isSo()) return true
    await waitForDisk()
    clock.advance(100)
    return false
  }, Infinity)
}

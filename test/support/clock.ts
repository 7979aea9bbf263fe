import { systemClock } from '../../src/infra/clock.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import type { Db } from '../../src/kernel/db.ts'
import { until } from './until.ts'

/** A clock that stands still until a test advances it. */
export class TestClock implements Clock {
  #now: number
  #timers: { at: number; run: () => void }[] = []

  constructor(start = Date.UTC(2026, 10, 15)) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  /** The number of pending timers. */
  get waiting(): number {
    return this.#timers.length
  }

  /** The number of timers for exactly this moment. */
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

  /** Advances the time and runs due timers in order. */
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

  /** Sets the clock back, as on a machine; timers fire after the same delay as before. */
  setBack(milliseconds: number): void {
    this.#now -= milliseconds
    this.#timers = this.#timers.map(({ at, run }) => ({ at: at - milliseconds, run }))
  }

  /** Jumps ahead, as after a machine's sleep: due timers fire once, late. So an interval of seconds does not fire half a million times for a month. */
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
 * A network's clock for use with a test clock: it shows the same time and speeds up with it, but pending work also completes while the test clock stands
 * still.
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
 * A clock of the process's own running time: it pauses while another program has the processor or a long task blocks the thread. If nodes and gateways
 * share a process, such a pause must not count as a node's delay.
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

/** Real time after which a caller that waits for a stopped clock is helped by advancing it. */
const PATIENCE = 5_000

/** Awaits something that is usually quick. If a job holds the needed wallet, it is checked again only after a while, so the clock must advance. */
export function turningWhenStuck<T>(clock: TestClock, waited: Promise<T>, patience = PATIENCE): Promise<T> {
  const timer = setInterval(() => clock.advance(100), patience)
  return waited.finally(() => clearInterval(timer))
}

/** Awaits a close with a clock that no test advances any more: it advances to each moment that the close waits for. */
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

/** Advances the clock in small steps until a condition is true. Every step waits for the disk, so that leases do not expire while their holders write. */
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

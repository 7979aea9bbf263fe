import { systemClock } from '../infra/clock.ts'
import type { Failures } from '../kernel/failures.ts'

/** The longest time for a shutdown after an uncaught error. */
const END_MAX = 10_000

/**
 * Handles uncaught errors. After a rejection the process continues, because only that promise failed. After an
 * exception the state of the process is unknown: it shuts down, and a supervisor starts another.
 */
export function onUncaught(failures: Failures, end: () => Promise<void>): void {
  let ending = false
  process.on('unhandledRejection', failures.failed('process', { doing: 'rejection' }))
  process.on('uncaughtException', (error) => {
    failures.failed('process', { doing: 'exception' })(error)
    if (ending) return
    ending = true
    systemClock.after(END_MAX, () => process.exit(1))
    const exit = () => process.exit(1)
    end().then(exit, (reason: unknown) => {
      console.error(reason)
      exit()
    })
  })
}

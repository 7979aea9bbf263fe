import { systemClock } from '../infra/clock.ts'
import type { Failures } from '../kernel/failures.ts'

/** How long an orderly end may take after an uncaught error. */
const END_MAX = 10_000

/**
 * What was not caught. A rejection has failed alone and the process goes on; after an exception it is not known in which
 * state things are, so the process ends in order, and what watches over it starts another.
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

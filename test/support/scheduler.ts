import { Scheduler, type SchedulerOptions } from '../../src/infra/work/scheduler.ts'
import { AppError, LedgerRefusal } from '../../src/kernel/errors.ts'
import { WORK_THRESHOLDS } from '../../src/kernel/nano/work.ts'
import { type FoundWork, type WorkRequest } from '../../src/kernel/work-port.ts'
import { TestClock } from './clock.ts'
import { newHash } from './random.ts'
import { ScriptedEngine } from './scripted-engine.ts'

interface Wait extends Promise<FoundWork> {
  root: string
}

/** A scheduler with engines that find work when the test says so, and a shortcut to call it. */
export function openScheduler(
  engines: ScriptedEngine[] = [new ScriptedEngine()],
  options: Partial<SchedulerOptions> = {},
) {
  const clock = new TestClock()
  const scheduler = new Scheduler({ engines, clock, queueSecondsMax: 60, waitSecondsMax: 300, ...options })
  const ask = (request: Partial<WorkRequest> = {}): Wait => {
    const root = request.root ?? newHash()
    const threshold = WORK_THRESHOLDS.dev.send
    const promise = scheduler.search({ root, threshold, class: 'interactive', payer: 'a', ...request })
    promise.catch(() => undefined)
    return Object.assign(promise, { root })
  }
  return { clock, scheduler, ask, engine: engines[0]! }
}

export const refusedWith = (text: string) => (error: unknown) =>
  (error instanceof AppError || error instanceof LedgerRefusal) && error.message === text

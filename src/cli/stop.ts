import { onParentGone } from './parent.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** A start has nothing to end in order yet: what it has written by then survives a kill as well. */
export function leaveWhenStopped(): void {
  for (const signal of SIGNALS) process.once(signal, () => process.exit(0))
}

/** Runs once, at the first request to stop; the second one does not wait. */
export function onStop(stop: () => Promise<void>): void {
  for (const signal of SIGNALS) process.removeAllListeners(signal)
  let stopping = false
  const begin = () => {
    if (stopping) process.exit(1)
    stopping = true
    exitAfter(stop)
  }
  for (const signal of SIGNALS) process.on(signal, begin)
  onParentGone(begin)
}

/** Ends the process in order, and says so when that did not work. */
export function exitAfter(stop: () => Promise<void>): void {
  stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
}

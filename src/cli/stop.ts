import { onParentGone } from './parent.ts'

/** Runs once, at the first request to stop; the second one does not wait. */
export function onStop(stop: () => Promise<void>): void {
  let stopping = false
  const begin = () => {
    if (stopping) process.exit(1)
    stopping = true
    exitAfter(stop)
  }
  process.on('SIGTERM', begin)
  process.on('SIGINT', begin)
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

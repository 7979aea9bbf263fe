const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** During the start there is nothing to shut down: everything written so far survives a kill as well. */
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

/** Shuts the process down, and reports a failure to do so. */
function exitAfter(stop: () => Promise<void>): void {
  stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
}

/**
 * What to do when the process that started this one over a channel is gone: the launcher. When it
 * dies, even by SIGKILL, no other process would stop this one. The latest call replaces earlier ones.
 */
export function onParentGone(leave: () => void): void {
  process.removeAllListeners('disconnect')
  process.on('disconnect', leave)
  if (process.send && !process.connected) leave()
}

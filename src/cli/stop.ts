const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** During the start nothing has to be shut down: data written so far would survive a kill as well. */
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
 * Sets what to do when the launcher, which started this process over a channel, is gone. If the launcher is killed,
 * nothing else would stop this process. The latest call replaces earlier ones.
 */
export function onParentGone(leave: () => void): void {
  process.removeAllListeners('disconnect')
  process.on('disconnect', leave)
  if (process.send && !process.connected) leave()
}

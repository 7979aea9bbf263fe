/*
 * Node's runner follows every promise and every handle from the test that began it, to know whose a stray error is. That costs a sixth of all
 * processor time of the suites. It is switched off once all files have defined their tests: a stray error fails the suite, not the test, and is
 * printed with the place it comes from.
 */
import { createRequire } from 'node:module'
import { isMainThread } from 'node:worker_threads'

async function stopTracking() {
  const { beforeEach } = await import('node:test')
  // Node's own, lent with --expose-internals.
  const { getHookArrays, symbols } = createRequire(import.meta.url)('internal/async_hooks')
  let isTracking = true
  beforeEach(() => {
    if (!isTracking) return
    isTracking = false
    const [hooks] = getHookArrays()
    // What keeps the context of a request hears of no end, and stays.
    for (const hook of hooks.filter((each) => each[symbols.destroy_symbol])) hook.disable()
    for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, (error) => console.error(error))
  })
}

// Threads that tests start load this, too, and have no tests.
if (isMainThread) await stopTracking()

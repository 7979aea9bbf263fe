/*
 * Node's test runner tracks every promise and handle, to attribute stray errors to a test. That costs a sixth of the suites' processor time, so it is
 * switched off once all files have defined their tests. A stray error then fails the suite instead of the test, and is printed with its stack.
 */
import { createRequire } from 'node:module'
import { isMainThread } from 'node:worker_threads'

async function stopTracking() {
  const { beforeEach } = await import('node:test')
  // Node's internals, available through --expose-internals.
  const { getHookArrays, symbols } = createRequire(import.meta.url)('internal/async_hooks')
  let isTracking = true
  beforeEach(() => {
    if (!isTracking) return
    isTracking = false
    const [hooks] = getHookArrays()
    // Only the runner's hooks listen for `destroy`; the hooks that keep a request's context do not and stay.
    for (const hook of hooks.filter((each) => each[symbols.destroy_symbol])) hook.disable()
    for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, (error) => console.error(error))
  })
}

// Threads that tests start load this file too, but have no tests.
if (isMainThread) await stopTracking()

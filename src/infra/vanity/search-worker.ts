import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { type Pattern, VanityWalk } from './walk.ts'

/*
 * A thread that searches until it finds a key. It never reads messages: when the caller leaves, the thread is
 * terminated, which works in the middle of a computation.
 */
const { start, pattern } = workerData as { start: bigint; pattern: Pattern }

// Lower priority than requests. On Linux this affects only the calling thread, elsewhere the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some sandboxes forbid it; then the thread has normal priority.
  }
}

const walk = new VanityWalk(start, pattern)
let scalar: bigint | undefined
while (scalar === undefined) scalar = walk.next()
parentPort!.postMessage(scalar)

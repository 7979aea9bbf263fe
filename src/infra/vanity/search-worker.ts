import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { type Pattern, VanityWalk } from './walk.ts'

/*
 * A thread that walks until it finds something. It never looks up: a caller who leaves ends the thread, which takes
 * effect in the middle of a computation.
 */
const { start, pattern } = workerData as { start: bigint; pattern: Pattern }

// On Linux this concerns the calling thread alone, elsewhere all of the process. Requests come before wishes.
if (process.platform === 'linux') {
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some sandboxes forbid it; then the thread competes as others do.
  }
}

const walk = new VanityWalk(start, pattern)
let scalar: bigint | undefined
while (scalar === undefined) scalar = walk.next()
parentPort!.postMessage(scalar)

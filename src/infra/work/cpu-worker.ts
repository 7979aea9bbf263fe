import { parentPort, workerData } from 'node:worker_threads'
import { JobMemory } from './job-memory.ts'
import { openSearcher } from './searcher.ts'
import type { WebAssemblyModule } from './web-assembly.ts'

export interface CpuWorkerData {
  buffer: SharedArrayBuffer
  threads: number
  /** Index of this thread. */
  thread: number
  module: WebAssemblyModule
  /** Nonces tried between two checks whether the search is still wanted. */
  chunk: number
}

/** Messages to the main thread: that the thread is ready, then what it has found. */
export type CpuWorkerMessage = 'ready' | { generation: number; nonce: bigint }

const { buffer, threads, thread, module, chunk } = workerData as CpuWorkerData
const port = parentPort!
const memory = new JobMemory(threads, buffer)
const searcher = openSearcher(module)
const post = (message: CpuWorkerMessage) => port.postMessage(message)

/** Searches in chunks of a few milliseconds, so that a thread soon notices the end of a search. */
function search(generation: number, start: bigint, threshold: bigint): void {
  let next = start
  while (memory.isRunning(generation)) {
    const nonce = searcher.search(next, chunk, threshold)
    if (nonce !== undefined) {
      memory.count(thread, Number(BigInt.asUintN(64, nonce - next)) + 1)
      // With an easy threshold all threads find a nonce at once; one of them is enough.
      if (memory.end(generation)) post({ generation, nonce })
      return
    }
    memory.count(thread, chunk)
    next = BigInt.asUintN(64, next + BigInt(chunk))
  }
}

post('ready')
// The thread has nothing else to do, so it sleeps in this loop until it is terminated.
for (;;) {
  const { generation, root, threshold, start } = memory.waitForJob(thread)
  searcher.setRoot(root)
  search(generation, start, threshold)
}

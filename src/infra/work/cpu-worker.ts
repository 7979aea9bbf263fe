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
  /** Nonces tried between two checks of the generation. */
  chunk: number
}

/** Messages to the main thread: first that the thread can search, then what it found. */
export type CpuWorkerMessage = 'ready' | { generation: number; nonce: bigint }

const { buffer, threads, thread, module, chunk } = workerData as CpuWorkerData
const port = parentPort!
const memory = new JobMemory(threads, buffer)
const searcher = openSearcher(module)
const post = (message: CpuWorkerMessage) => port.postMessage(message)

/** Searches in chunks of a few milliseconds: an ended job is left after the current one. */
function search(generation: number, start: bigint, threshold: bigint): void {
  let next = start
  while (memory.isRunning(generation)) {
    const nonce = searcher.search(next, chunk, threshold)
    if (nonce !== undefined) {
      memory.count(thread, Number(BigInt.asUintN(64, nonce - next)) + 1)
      // With an easy threshold all threads find something at once; one answer is enough.
      if (memory.end(generation)) post({ generation, nonce })
      return
    }
    memory.count(thread, chunk)
    next = BigInt.asUintN(64, next + BigInt(chunk))
  }
}

post('ready')
// The thread has nothing else to do: it sleeps in this loop until it is terminated.
for (;;) {
  const { generation, root, threshold, start } = memory.waitForJob(thread)
  searcher.setRoot(root)
  search(generation, start, threshold)
}

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FoundDevice } from './device.ts'
import type { MeasuredShape } from './tune.ts'

/**
 * Starts one of the programs beside this file. It gets a single thread for waiting, which has the context of the card.
 * OpenCL for processors reads its number of threads from the environment.
 */
export function cardProcess(
  program: 'look-process' | 'device-process',
  parameters: readonly string[],
  threads: number,
): ChildProcess {
  // The program is the file beside this one, either compiled or source.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return fork(fileURLToPath(new URL(`./${program}.${extension}`, import.meta.url)), parameters, {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: { ...driverEnvironment(), UV_THREADPOOL_SIZE: '1', POCL_MAX_PTHREAD_COUNT: String(threads) },
  })
}

/** The variables that drivers use. The gateway's settings contain secrets, which must not be passed on. */
export function driverEnvironment(): Record<string, string> {
  const names =
    /^(PATH|HOME|TMPDIR|TEMP|TMP|SystemRoot|LANG|LD_LIBRARY_PATH|XDG_CACHE_HOME|(CUDA|NVIDIA|OCL|OPENCL|POCL)_.*)$/
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => names.test(entry[0])),
  )
}

/** Messages to the process of a device. */
export type ToDevice =
  | { search: number; root: string; threshold: bigint; start: bigint }
  /** The callers of this search have left. */
  | { stop: number }

/** Messages from it. */
export type FromDevice =
  | { ready: { shape: string; rate: number; shapes: readonly MeasuredShape[] } }
  | { found: number; nonce: bigint }
  /** A cancelled search has ended. */
  | { ended: number }
  /** The device does not work; the process ends. */
  | { broken: string }

/** What the process that looks for devices reports, once. */
export interface Seen {
  devices: readonly FoundDevice[]
}

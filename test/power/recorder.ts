import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('recorder.c', import.meta.url))

const canRecord = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0
/** Why a test cannot run here; false if it can. */
export const skip = canRecord ? false : 'needs Linux and a C compiler: apt-get install gcc libc6-dev'

/** The library that records a process's file operations, and its log. */
export interface Recorder {
  library: string
  log: string
}

export function compileRecorder(folder: string): Recorder {
  const library = join(folder, 'recorder.so')
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl', '-lpthread'])
  return { library, log: join(folder, 'log') }
}

/** Environment variables for a process whose file operations below a folder are recorded. */
export const recordedBy = ({ library, log }: Recorder, folder: string) => ({
  LD_PRELOAD: library,
  POWER_LOG: log,
  POWER_FOLDER: folder,
})

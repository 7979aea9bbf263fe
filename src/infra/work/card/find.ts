import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundDevice } from './device.ts'
import { type Seen, cardProcess, driverEnvironment } from './process.ts'

const LIBRARIES = ['libcuda.so.1', 'libOpenCL.so.1']
/** The cache in which the system's loader lists known libraries. */
const LOADER_CACHE = '/etc/ld.so.cache'

/**
 * Whether there may be a driver. Starting a process to find out would cost a tenth of a second on machines without one.
 */
function mayHaveDriver(): boolean {
  if (process.platform !== 'linux') return true
  const folders = (driverEnvironment().LD_LIBRARY_PATH ?? '').split(':').filter((folder) => folder !== '')
  if (folders.some((folder) => LIBRARIES.some((library) => existsSync(join(folder, library))))) return true
  if (!existsSync(LOADER_CACHE)) return true
  const known = readFileSync(LOADER_CACHE, 'latin1')
  return LIBRARIES.some((library) => known.includes(library))
}

/** If the machine searches with WebAssembly only, names the package that could make it faster. */
export function reportFasterWork({
  workThreads,
  workCards,
}: {
  workThreads: number | undefined
  workCards: readonly number[] | undefined
}): string[] {
  const isLinux = process.platform === 'linux' && process.arch === 'x64'
  if (!isLinux || workThreads === 0 || workCards?.length === 0 || mayHaveDriver()) return []
  return ['apt-get install pocl-opencl-icd may make this machine search up to three times as fast']
}

/** All devices that drivers on this machine list: cards first, then the processor. */
export async function findDevices(): Promise<readonly FoundDevice[]> {
  if (!mayHaveDriver()) return []
  const looking = cardProcess('look-process', [], 1)
  let seen: Seen | undefined
  looking.once('message', (message: Seen) => (seen = message))
  // The last messages may arrive after the exit event.
  await Promise.all([once(looking, 'exit'), once(looking, 'disconnect')])
  if (!seen) throw new Error('The drivers of this machine could not be asked for their cards.')
  return seen.devices.toSorted((a, b) => Number(a.kind === 'cpu') - Number(b.kind === 'cpu'))
}

import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FoundDevice } from './device.ts'
import type { Seen } from './messages.ts'
import { cardProcess, driverEnvironment } from './process.ts'

const LIBRARIES = ['libcuda.so.1', 'libOpenCL.so.1']
/** What the system's loader has written down about its libraries. */
const LOADER_CACHE = '/etc/ld.so.cache'

/** Whether a driver may be there. Looking with a process of its own costs a machine without any a tenth of a second. */
function mayHaveDriver(): boolean {
  if (process.platform !== 'linux') return true
  const folders = (driverEnvironment().LD_LIBRARY_PATH ?? '').split(':').filter((folder) => folder !== '')
  if (folders.some((folder) => LIBRARIES.some((library) => existsSync(join(folder, library))))) return true
  if (!existsSync(LOADER_CACHE)) return true
  const known = readFileSync(LOADER_CACHE, 'latin1')
  return LIBRARIES.some((library) => known.includes(library))
}

/** What a machine whose processors search through WebAssembly alone could have for one package. */
export function tellFasterWork({
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

/** Every device that a driver on this machine lists: cards, then the processor. */
export async function findDevices(): Promise<readonly FoundDevice[]> {
  if (!mayHaveDriver()) return []
  const looking = cardProcess('look-process', [], 1)
  let seen: Seen | undefined
  looking.once('message', (message: Seen) => (seen = message))
  // Its last words may come after its end.
  await Promise.all([once(looking, 'exit'), once(looking, 'disconnect')])
  if (!seen) throw new Error('The drivers of this machine could not be asked for their cards.')
  return seen.devices.toSorted((a, b) => Number(a.kind === 'cpu') - Number(b.kind === 'cpu'))
}

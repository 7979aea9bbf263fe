import { DatabaseSync } from 'node:sqlite'

const IN_MEMORY = ':memory:'

/** The file whose lock restricts a ledger file to one process. */
export const lockOf = (file: string) => (file === IN_MEMORY ? file : `${file}.lock`)

/**
 * Restricts a ledger file to one process: each process caches what it has read, so two would silently diverge. The lock is the
 * operating system's, so it ends with the process, however that ends.
 */
export function lockFile(file: string): { release(): void } {
  if (file === IN_MEMORY) return { release: () => undefined }
  const lock = new DatabaseSync(lockOf(file))
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (cause) {
    lock.close()
    const hint = 'Is nano-gateway running already? A second one needs a folder and a port of its own: DATA_DIR, PORT.'
    throw new Error(`The ledger ${file} is in use by another process. ${hint}`, { cause })
  }
  return { release: () => lock.close() }
}

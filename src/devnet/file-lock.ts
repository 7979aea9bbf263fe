import { DatabaseSync } from 'node:sqlite'

const IN_MEMORY = ':memory:'

/** The lock file of a ledger file. */
export const lockOf = (file: string) => (file === IN_MEMORY ? file : `${file}.lock`)

/**
 * Lets only one process use a ledger file. Each process caches what it has read, so two of them would get different
 * ledgers without noticing. The operating system releases the lock when the process ends in any way.
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

import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Keeps for the next start what this one has found out, whole or not at all. Answers whether it is kept. */
export function keepFile(file: string, data: string | Uint8Array): boolean {
  const own = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(own, data, { mode: 0o600 })
    renameSync(own, file)
    return true
  } catch {
    // Where the gateway may not write beside its code, the next start finds it out again.
    return false
  }
}

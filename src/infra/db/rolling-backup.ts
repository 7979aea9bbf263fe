import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '../../kernel/db.ts'
import type { Gauge } from '../../kernel/module.ts'
import type { Clock } from '../../kernel/ports.ts'
import { keepFolderPrivate, syncFolder } from '../private-files.ts'
import { findFact, replaceFact } from './facts.ts'
import type { Store } from './open.ts'

const BACKUP = /^gateway-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.db$/
const PART = /^\.gateway-.*\.part$/

/**
 * Writes a copy of the store into a folder and deletes the oldest copies, so that only the wanted number remains. A
 * copy gets its name when it is complete and on the disk; incomplete copies left by a crash are removed. Other files in
 * the folder are not touched.
 */
export async function backUpInto(
  { db, backup }: Pick<Store, 'db' | 'backup'>,
  { folder, keep, now }: { folder: string; keep: number; now: number },
): Promise<{ file: string; deleted: string[] }> {
  keepFolderPrivate(folder)
  for (const name of readdirSync(folder)) if (PART.test(name)) rmSync(join(folder, name), { force: true })
  const name = `gateway-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.db`
  const part = join(folder, `.${name}.part`)
  await backup(part)
  sync(part)
  renameSync(part, join(folder, name))
  syncFolder(folder)
  await replaceFact(db, { name: 'backup', value: String(now), now })
  const copies = readdirSync(folder).filter((one) => BACKUP.test(one))
  const deleted = copies.sort().slice(0, Math.max(0, copies.length - keep))
  for (const old of deleted) rmSync(join(folder, old), { force: true })
  return { file: join(folder, name), deleted }
}

function sync(file: string): void {
  const handle = openSync(file, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Age of the newest copy; no value before the first. */
export const backupGauge = ({ db, clock }: { db: Db; clock: Clock }): Gauge => ({
  name: 'gateway_backup_age_seconds',
  help: 'Time since the last copy that `backup --every` has written.',
  labels: [],
  async read() {
    const at = await findFact(db, 'backup')
    return at === undefined ? [] : [{ value: Math.max(0, clock.now() - Number(at)) / 1000 }]
  },
})

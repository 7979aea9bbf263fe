import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Log } from '../infra/log.ts'
import { keepFilesPrivate, keepFolderPrivate, writePrivateFile } from '../infra/private-files.ts'

/** Prefixes of all files that the gateway keeps in its folder. */
const OURS = ['gateway.db', 'devnet.db', 'devnet.json', 'secret.key', 'wallet-keys', 'administrator.key', 'store-mark']

/** Makes the data folder, or closes one that an earlier version left open to others. */
export function openDataFolder({ dataDir }: Pick<Config, 'dataDir'>, log: Log): void {
  const open = keepFolderPrivate(dataDir)
  if (open !== undefined) log.warn({ event: 'data_folder_open', folder: dataDir, reason: open })
  keepFilesPrivate(dataDir, OURS)
}

/** The file with the administrator key of a first start, until the operator has taken it. */
export const keyFileOfAdministrator = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'administrator.key')

export function keepAdministratorKey(config: Pick<Config, 'dataDir'>, key: string): void {
  writePrivateFile(keyFileOfAdministrator(config), `${key}\n`)
}

/** What a start says about the administrator key: on a terminal the key itself, otherwise its file; nothing when it was taken already. */
export function reportAdministratorKey(
  config: Pick<Config, 'dataDir'>,
  { createdKey, isTerminal }: { createdKey: string | undefined; isTerminal: boolean },
): string[] {
  const file = keyFileOfAdministrator(config)
  if (createdKey !== undefined && isTerminal) return [`  Admin key  ${createdKey}   (shown only once: keep it)`]
  return existsSync(file) ? [`  Admin key  in ${file}   (take it from there, then remove the file)`] : []
}

/** Deletes the file after the operator has seen the key. */
export function forgetAdministratorKey(config: Pick<Config, 'dataDir'>): void {
  rmSync(keyFileOfAdministrator(config), { force: true })
}

import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Random } from '../../kernel/ports.ts'
import { syncFolder } from '../private-files.ts'
import { MASTER_KEY_BYTES, type MasterKey } from './envelope.ts'

/** The keys that encrypt the data keys of wallets. One encrypts, all decrypt. */
export interface MasterKeys {
  active: MasterKey
  byId: ReadonlyMap<string, MasterKey>
}

/** Selects the active key by its name; without a name, the last one. */
export function toMasterKeys(keys: readonly MasterKey[], activeId = ''): MasterKeys {
  const active = activeId === '' ? keys.at(-1) : keys.find(({ id }) => id === activeId)
  if (!active) throw new Error('WALLET_KEY_ACTIVE names a key that WALLET_KEYS does not have.')
  return { active, byId: new Map(keys.map((key) => [key.id, key])) }
}

/** Reads a key file: one `id:base64` per line, the last one is active. Undefined if there is no file. */
export function readKeyFile(file: string): MasterKeys | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const keys = text.split('\n').filter((line) => line.trim() !== '')
  return toMasterKeys(
    keys.map((line) => {
      const [id = '', base64 = ''] = line.trim().split(':')
      const key = Buffer.from(base64, 'base64')
      const isZero = key.every((byte) => byte === 0)
      if (id === '' || key.length !== MASTER_KEY_BYTES || isZero) throw new Error(`${file} is damaged.`)
      return { id, key }
    }),
  )
}

/** Changes whenever the file may have changed. Throws if there is no file. */
export function stampKeyFile(file: string): string {
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
  return [ino, size, mtimeNs, ctimeNs].join()
}

/** Creates the file with a first key, unless another process has done so meanwhile. */
export function createKeyFile(file: string, random: Random): MasterKeys {
  const beside = writeBeside(file, [newKey(random)], random)
  try {
    linkSync(beside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(beside, { force: true })
  }
  syncFolder(dirname(file))
  return readKeyFile(file)!
}

/**
 * Adds a key that is active from now on. Older keys stay, because they have encrypted data keys. One process at a time.
 */
export function addToKeyFile(file: string, random: Random): MasterKeys {
  return withLock(file, () => {
    const known = readKeyFile(file)
    if (!known) throw new Error(`${file} is missing.`)
    renameSync(writeBeside(file, [...known.byId.values(), newKey(random)], random), file)
    syncFolder(dirname(file))
    return readKeyFile(file)!
  })
}

/**
 * Without a lock, of two processes that change the file at once, one would lose its new key and everything encrypted
 * with it.
 */
export function withLock<T>(file: string, run: () => T): T {
  const lock = `${file}.lock`
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new Error(`Another rotation is running. If none is, one was killed: remove ${lock}.`, { cause: error })
  }
  try {
    return run()
  } finally {
    rmSync(lock, { force: true })
  }
}

function newKey(random: Random): MasterKey {
  return { id: `key-${Buffer.from(random.bytes(4)).toString('hex')}`, key: random.bytes(MASTER_KEY_BYTES) }
}

/** Writes a complete file or none: it is synced before it gets its name. */
function writeBeside(file: string, keys: readonly MasterKey[], random: Random): string {
  const beside = `${file}.${Buffer.from(random.bytes(8)).toString('hex')}.new`
  const handle = openSync(beside, 'wx', 0o600)
  try {
    for (const { id, key } of keys) writeSync(handle, `${id}:${Buffer.from(key).toString('base64')}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return beside
}

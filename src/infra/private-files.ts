import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const OWNER_ONLY = 0o600
const FOLDER = 0o700
const OTHERS = 0o077
/** Mode bit of shared folders such as `/tmp`, whose mode we must not change. */
const STICKY = 0o1000
/** Suffixes of the files that SQLite keeps beside a database, which contain the same data. */
const BESIDE = ['', '-wal', '-shm', '-journal']

/** Creates a folder, and missing parents, that only the owner can use and that survives a power cut. */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  // Node's recursive version never ends if a folder cannot be made, for example below /proc.
  const missing: string[] = []
  for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at)
  for (const each of missing.reverse()) mkdirOnce(each)
  const [first] = missing
  if (first === undefined) return
  // The name of a new folder is on the disk only after its parent was synced.
  for (let made = path; ; made = dirname(made)) {
    syncFolder(dirname(made))
    if (made === first) return
  }
}

/** Another process may create it at the same time. */
function mkdirOnce(folder: string): void {
  try {
    mkdirSync(folder, { mode: FOLDER })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Creates a folder for the owner only, and closes an existing one that others can enter. Returns the reason if that
 * fails.
 */
export function keepFolderPrivate(folder: string): string | undefined {
  makeFolder(folder)
  const { mode } = statSync(folder)
  if ((mode & OTHERS) === 0) return undefined
  if ((mode & STICKY) !== 0) return 'it is shared with everybody on this machine'
  try {
    chmodSync(folder, FOLDER)
    return undefined
  } catch (error) {
    return `its mode cannot be changed (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`
  }
}

/** Makes files private whose names begin like one of ours, including those that SQLite created. */
export function keepFilesPrivate(folder: string, names: readonly string[]): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && names.some((name) => entry.name.startsWith(name))) close(join(folder, entry.name))
  }
}

/**
 * Creates the file of a database before SQLite does, because SQLite would let others read it. Files that SQLite creates
 * beside it get the same mode.
 */
export function keepDatabasePrivate(file: string): void {
  if (file === ':memory:') return
  // Do not open an existing file: closing it would release SQLite's locks on it in this process.
  if (!existsSync(file)) closeSync(openSync(file, 'ax', OWNER_ONLY))
  for (const name of BESIDE) close(file + name)
}

/** Writes a complete file or none, readable by the owner only. */
export function writePrivateFile(file: string, text: string): void {
  const beside = `${file}.new`
  rmSync(beside, { force: true })
  const handle = openSync(beside, 'wx', OWNER_ONLY)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(beside, file)
  syncFolder(dirname(file))
}

/** When this returns, the names in the folder are on the disk. Windows journals names and cannot sync folders. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openToSync(folder)
  if (handle === undefined) return
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** A folder that we may not read cannot be synced; how safe its names are then depends on the file system. */
function openToSync(folder: string): number | undefined {
  try {
    return openSync(folder, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    return undefined
  }
}

function close(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode
  if (mode === undefined || (mode & OTHERS) === 0) return
  try {
    chmodSync(file, OWNER_ONLY)
  } catch (error) {
    // The file belongs to another user, which does not matter, or is gone by now.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOENT') throw error
  }
}

/** Keeps a result for the next start, completely or not at all. Returns whether it was kept. */
export function keepFile(file: string, data: string | Uint8Array): boolean {
  const own = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(own, data, { mode: 0o600 })
    renameSync(own, file)
    return true
  } catch {
    // The gateway may not write beside its code, so the next start computes the result again.
    return false
  }
}

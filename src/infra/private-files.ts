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
/** Mode bit of folders that everybody uses, such as `/tmp`, whose mode we must not change. */
const STICKY = 0o1000
/** Suffixes of the files that SQLite keeps beside a database, with the same content. */
const BESIDE = ['', '-wal', '-shm', '-journal']

/** Makes a folder, with missing ones above it, for its owner alone. They survive a power cut. */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  // The library's recursive way never ends where a folder cannot be made, such as below /proc.
  const missing: string[] = []
  for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at)
  for (const each of missing.reverse()) mkdirOnce(each)
  const [first] = missing
  if (first === undefined) return
  // The name of a folder is on the disk only after a sync of the folder above it.
  for (let made = path; ; made = dirname(made)) {
    syncFolder(dirname(made))
    if (made === first) return
  }
}

/** Another process may make it at the same time. */
function mkdirOnce(folder: string): void {
  try {
    mkdirSync(folder, { mode: FOLDER })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Makes a folder for its owner alone, and closes an existing one that others can enter. Returns why if that is not possible. */
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

/** Closes the files of a folder whose names begin like one of ours, including those that SQLite made. */
export function keepFilesPrivate(folder: string, names: readonly string[]): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && names.some((name) => entry.name.startsWith(name))) close(join(folder, entry.name))
  }
}

/**
 * Makes the file of a database before SQLite does, which would let others read it. The files that SQLite makes beside a
 * database have the mode of the database.
 */
export function keepDatabasePrivate(file: string): void {
  if (file === ':memory:') return
  // Do not open an existing file: closing it would release the locks that SQLite holds on it in this process.
  if (!existsSync(file)) closeSync(openSync(file, 'ax', OWNER_ONLY))
  for (const name of BESIDE) close(file + name)
}

/** Writes a complete file or none, for its owner alone. */
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

/** Names in a folder are on the disk when this returns. Windows journals them, and cannot sync folders. */
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

/** Without permission to read the folder it cannot be synced; its names are then as safe as the file system makes them. */
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
    // Another user's file, which we may use all the same; or one that is gone by now.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'EROFS' && code !== 'ENOENT') throw error
  }
}

/** Keeps a result for the next start, completely or not at all. Returns whether it is kept. */
export function keepFile(file: string, data: string | Uint8Array): boolean {
  const own = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(own, data, { mode: 0o600 })
    renameSync(own, file)
    return true
  } catch {
    // Where the gateway may not write beside its code, the next start computes it again.
    return false
  }
}

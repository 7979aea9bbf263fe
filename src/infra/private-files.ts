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
/** Everybody's folder, such as `/tmp`: it is not ours to close. */
const STICKY = 0o1000
/** Behind the name of a database: what SQLite keeps beside it, with the same content. */
const BESIDE = ['', '-wal', '-shm', '-journal']

/** Makes a folder, with those above it that are missing, for its owner alone. A power cut after that does not take them away. */
export function makeFolder(folder: string): void {
  const path = resolve(folder)
  // The library's own way to make several never ends where one cannot be made, such as below /proc.
  const missing: string[] = []
  for (let at = path; !existsSync(at); at = dirname(at)) missing.push(at)
  for (const each of missing.reverse()) mkdirOnce(each)
  const [first] = missing
  if (first === undefined) return
  // Whatever is synced inside a folder, the folder has its name on the disk once the one above it was synced.
  for (let made = path; ; made = dirname(made)) {
    syncFolder(dirname(made))
    if (made === first) return
  }
}

/** Another process may be faster. */
function mkdirOnce(folder: string): void {
  try {
    mkdirSync(folder, { mode: FOLDER })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Makes a folder that only its owner enters, and closes one that is open to others. Says why where that cannot be done. */
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

/** Closes the files of a folder whose names begin like one of ours, also those that SQLite made. */
export function keepFilesPrivate(folder: string, names: readonly string[]): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && names.some((name) => entry.name.startsWith(name))) close(join(folder, entry.name))
  }
}

/**
 * Makes the file of a database before SQLite does, which does not ask who may read it. What SQLite lays beside a
 * database has the mode of the database.
 */
export function keepDatabasePrivate(file: string): void {
  if (file === ':memory:') return
  // Never opened where it exists: closing it again would take from SQLite the locks that this process holds on it.
  if (!existsSync(file)) closeSync(openSync(file, 'ax', OWNER_ONLY))
  for (const name of BESIDE) close(file + name)
}

/** Writes a whole file or none, for its owner alone. */
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

/** Names in a folder are on disk when this returns. Windows keeps a journal of them, and flushes no folder. */
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

/** Whoever may make a name in a folder may not always read it; then its names are as safe as its file system makes them. */
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

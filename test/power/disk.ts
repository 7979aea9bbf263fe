import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SeededRandom } from '../support/random.ts'
import type { FileOperation } from './log.ts'

/** A disk writes this many bytes atomically. After a power cut, parts of a larger write may be missing. */
const SECTOR = 512

type Change = { offset: number; data: Buffer } | { size: number }

/** Which unsynced changes survive a cut. */
export type Leaves = 'nothing' | 'everything' | 'some'

class Content {
  #bytes = Buffer.alloc(0)
  #size = 0

  write(offset: number, data: Uint8Array): void {
    const end = offset + data.length
    if (end > this.#bytes.length) {
      const wider = Buffer.alloc(Math.max(end, this.#bytes.length * 2))
      this.#bytes.copy(wider, 0, 0, this.#size)
      this.#bytes = wider
    }
    this.#bytes.set(data, offset)
    this.#size = Math.max(this.#size, end)
  }

  resize(size: number): void {
    if (size < this.#size) this.#bytes.fill(0, size, this.#size)
    else if (size > this.#size) this.write(size - 1, Buffer.alloc(1))
    this.#size = size
  }

  change(change: Change): void {
    if ('data' in change) this.write(change.offset, change.data)
    else this.resize(change.size)
  }

  copy(): Content {
    const copy = new Content()
    copy.write(0, this.bytes)
    return copy
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }
}

/** The synced contents of a file and the writes since then. */
class DiskFile {
  readonly #synced = new Content()
  #pending: Change[] = []

  change(change: Change): void {
    this.#pending.push(change)
  }

  sync(): void {
    for (const change of this.#pending) this.#synced.change(change)
    this.#pending = []
  }

  after(leaves: Leaves, random: SeededRandom): Buffer {
    const left = this.#synced.copy()
    for (const change of this.#pending) {
      for (const piece of leaves === 'some' ? tear(change, random) : leaves === 'everything' ? [change] : [])
        left.change(piece)
    }
    return left.bytes
  }
}

/** All of a change, some of its sectors, or nothing. */
function tear(change: Change, random: SeededRandom): Change[] {
  const luck = random.below(3)
  if (luck === 0) return []
  if (luck === 1 || !('data' in change)) return [change]
  const pieces: Change[] = []
  const { offset, data } = change
  for (let at = offset; at < offset + data.length;) {
    const end = Math.min(offset + data.length, (Math.floor(at / SECTOR) + 1) * SECTOR)
    if (random.below(2) === 0) pieces.push({ offset: at, data: data.subarray(at - offset, end - offset) })
    at = end
  }
  return pieces
}

type Entry = DiskFile | DiskFolder
/** Names that are added and removed; both names of a rename are together. */
type Naming = ReadonlyMap<string, Entry | undefined>

const rename = (names: Map<string, Entry>, naming: Naming) => {
  for (const [name, entry] of naming) {
    if (entry) names.set(name, entry)
    else names.delete(name)
  }
}

/** A folder. Its names are on the disk only after the folder itself was synced, whatever was synced in its files. */
class DiskFolder {
  readonly names = new Map<string, Entry>()
  readonly #synced = new Map<string, Entry>()
  #pending: Naming[] = []

  name(naming: Naming): void {
    rename(this.names, naming)
    this.#pending.push(naming)
  }

  sync(): void {
    for (const naming of this.#pending) rename(this.#synced, naming)
    this.#pending = []
  }

  after(leaves: Leaves, random: SeededRandom): Map<string, Entry> {
    const left = new Map(this.#synced)
    if (leaves === 'nothing') return left
    // Most file systems keep a journal of names and lose only the last ones; others lose any of them.
    const inOrder = random.below(2) === 0
    const kept = leaves === 'everything' ? this.#pending.length : random.below(this.#pending.length + 1)
    this.#pending.forEach((naming, at) => {
      if (leaves === 'everything' || (inOrder ? at < kept : random.below(2) === 0)) rename(left, naming)
    })
    return left
  }
}

/** A disk that keeps what was synced, and loses anything else at random. */
export class Disk {
  readonly #root = new DiskFolder()
  readonly #byInode = new Map<bigint, Entry>()

  constructor(rootInode: bigint) {
    this.#byInode.set(rootInode, this.#root)
  }

  apply(operation: FileOperation): void {
    switch (operation.kind) {
      case 'create':
      case 'folder': {
        const entry = operation.kind === 'create' ? new DiskFile() : new DiskFolder()
        this.#byInode.set(operation.inode, entry)
        const { folder, name } = this.#find(operation.path)
        folder.name(new Map([[name, entry]]))
        return
      }
      case 'write':
        return this.#file(operation.inode).change(operation)
      case 'truncate':
        return this.#file(operation.inode).change(operation)
      case 'sync':
        return this.#byInode.get(operation.inode)!.sync()
      case 'remove': {
        const { folder, name } = this.#find(operation.path)
        return folder.name(new Map([[name, undefined]]))
      }
      case 'rename':
      case 'link': {
        const [from, to] = [this.#find(operation.path), this.#find(operation.to)]
        if (from.folder !== to.folder) throw new Error('A name moves to another folder, which this disk cannot do.')
        const moved = new Map<string, Entry | undefined>([[to.name, from.folder.names.get(from.name)!]])
        if (operation.kind === 'rename') moved.set(from.name, undefined)
        from.folder.name(moved)
      }
    }
  }

  /** Writes to `target` what a power cut at this moment would leave. */
  cut(target: string, leaves: Leaves, random: SeededRandom): void {
    const lay = (path: string, folder: DiskFolder) => {
      mkdirSync(path, { recursive: true })
      for (const [name, entry] of folder.after(leaves, random)) {
        if (entry instanceof DiskFolder) lay(join(path, name), entry)
        else writeFileSync(join(path, name), entry.after(leaves, random), { mode: 0o600 })
      }
    }
    lay(target, this.#root)
  }

  #file(inode: bigint): DiskFile {
    return this.#byInode.get(inode) as DiskFile
  }

  #find(path: string): { folder: DiskFolder; name: string } {
    const names = path.split('/').filter((name) => name !== '')
    const name = names.pop()!
    const folder = names.reduce((found, part) => found.names.get(part) as DiskFolder, this.#root)
    return { folder, name }
  }
}

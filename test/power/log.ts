import { readFileSync } from 'node:fs'

/** The records of `recorder.c`. `until` is the end of the record in the log. */
export type FileOperation = { until: number } & (
  | { kind: 'create' | 'folder'; inode: bigint; path: string }
  | { kind: 'write'; inode: bigint; offset: number; data: Buffer }
  | { kind: 'truncate'; inode: bigint; size: number }
  | { kind: 'sync'; inode: bigint }
  | { kind: 'remove'; path: string }
  | { kind: 'rename' | 'link'; path: string; to: string }
)

const HEAD = 32
const KINDS = ['', 'create', 'write', 'truncate', 'sync', 'folder', 'rename', 'remove', 'link'] as const

/** All file operations of a process, in order. */
export function readOperations(file: string): FileOperation[] {
  const log = readFileSync(file)
  const operations: FileOperation[] = []
  for (let at = 0; at < log.length;) {
    const kind = KINDS[log.readUInt32LE(at)]
    const [first, second] = [log.readUInt32LE(at + 4), log.readUInt32LE(at + 8)]
    const inode = log.readBigUInt64LE(at + 16)
    const offset = Number(log.readBigUInt64LE(at + 24))
    const data = log.subarray(at + HEAD, at + HEAD + first)
    const to = log.toString('utf8', at + HEAD + first, at + HEAD + first + second)
    at += HEAD + first + second
    const path = data.toString()
    if (kind === 'create' || kind === 'folder') operations.push({ kind, inode, path, until: at })
    else if (kind === 'write') operations.push({ kind, inode, offset, data, until: at })
    else if (kind === 'truncate') operations.push({ kind, inode, size: offset, until: at })
    else if (kind === 'sync') operations.push({ kind, inode, until: at })
    else if (kind === 'remove') operations.push({ kind, path, until: at })
    else if (kind === 'rename' || kind === 'link') operations.push({ kind, path, to, until: at })
    else throw new Error(`A file was changed by ${path}, which the recorder does not follow.`)
  }
  return operations
}

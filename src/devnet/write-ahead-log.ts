import { closeSync, fdatasync, openSync } from 'node:fs'

/**
 * The write-ahead log beside a ledger's file. SQLite writes a commit there and does not wait for the disk (`synchronous =
 * normal`); we do, on another thread, once for all commits before it. The log is one file as long as the ledger is open.
 */
export class WriteAheadLog {
  readonly #descriptor: number | undefined

  /** Once the ledger has been written to, because the log is there from then on. */
  constructor(ledgerFile: string) {
    // Windows syncs only for those who may write.
    this.#descriptor = ledgerFile === ':memory:' ? undefined : openSync(`${ledgerFile}-wal`, 'r+')
  }

  /** When everything that is in the log now is on the disk; undefined for a ledger without a disk. */
  sync(): Promise<void> | undefined {
    const descriptor = this.#descriptor
    if (descriptor === undefined) return undefined
    return new Promise((resolve, reject) => {
      fdatasync(descriptor, (error) => (error ? reject(error) : resolve()))
    })
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
  }
}

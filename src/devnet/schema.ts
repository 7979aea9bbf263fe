import { closeSync, fdatasync, openSync } from 'node:fs'

/** The tables of the ledger; opening a file twice changes nothing. */
export const SCHEMA = `
  create table if not exists blocks (
    position integer primary key, hash text not null unique, account text not null, contents text not null,
    link text, balance text not null, amount text not null, subtype text, height integer not null,
    epoch integer not null, timestamp integer not null, successor text not null
  ) strict;
  create unique index if not exists receives on blocks (link) where subtype = 'receive';
  create table if not exists accounts (
    account text primary key, head text not null, open_block text not null, representative text not null,
    balance text not null, modified_at integer not null, block_count integer not null, epoch integer not null,
    confirmed_height integer not null, confirmed_frontier text not null
  ) strict, without rowid;
  create index if not exists unconfirmed on accounts (account) where confirmed_height < block_count;
  create index if not exists delegators on accounts (representative, account);
  create table if not exists receivable (
    account text not null, hash text not null, source text not null, amount text not null, epoch integer not null,
    primary key (account, hash)
  ) strict, without rowid;
  create table if not exists weights (
    position integer primary key, representative text not null unique, weight text not null
  ) strict;
  create table if not exists touched (account text primary key) strict, without rowid;
  create table if not exists totals (
    id integer primary key check (id = 1), blocks integer not null, cemented integer not null, accounts integer not null
  ) strict;
  insert or ignore into totals values (1, 0, 0, 0);
  pragma user_version = 1;
`

/**
 * The write-ahead log of a ledger file. SQLite writes commits to it without waiting for the disk (`synchronous =
 * normal`). We sync it from another thread, once for all commits before. While the ledger is open, the log remains the
 * same file.
 */
export class WriteAheadLog {
  readonly #descriptor: number | undefined

  /** Call it after the first write to the ledger, which creates the log. */
  constructor(ledgerFile: string) {
    // Windows syncs only files that were opened for writing.
    this.#descriptor = ledgerFile === ':memory:' ? undefined : openSync(`${ledgerFile}-wal`, 'r+')
  }

  /** Resolves when everything now in the log is on the disk; undefined for a ledger in memory. */
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

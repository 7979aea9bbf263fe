import type { PublicKey } from '../../kernel/nano/address.ts'
import { ZERO_HASH } from '../../kernel/nano/block.ts'
import { type Statements, toAccountRecord, toContents, toReceivable, toStoredBlock } from '../rows.ts'
import type { LedgerStore } from '../store.ts'
import type { KeptAccount, KeptBlock, Origin } from './node-reader.ts'

/**
 * The answers of the forked node, unchanged. Copies of what is needed are in the ledger's own tables. Reverting or
 * resetting the ledger drops the copies, and they are made again without asking the node.
 */
const SCHEMA = `
  create table if not exists fork_origin (id integer primary key check (id = 1), origin text not null) strict;
  create table if not exists fork_blocks (
    position integer primary key, hash text not null unique, account text not null, contents text not null,
    link text, balance text not null, amount text not null, subtype text, height integer not null,
    epoch integer not null, timestamp integer not null, successor text not null
  ) strict;
  create table if not exists fork_accounts (
    account text primary key, head text, open_block text, representative text, balance text, modified_at integer,
    block_count integer, epoch integer, confirmed_height integer, confirmed_frontier text
  ) strict, without rowid;
  create table if not exists fork_receivable (
    account text not null, hash text not null, source text not null, amount text not null, epoch integer not null,
    primary key (account, hash)
  ) strict, without rowid;
`

export class KeptTables {
  readonly #store: LedgerStore
  readonly #statements: Statements

  constructor(store: LedgerStore) {
    this.#store = store
    this.#statements = store.statements
    store.exec(SCHEMA)
  }

  findOrigin(): Origin | undefined {
    const row = this.#statements.get('select origin from fork_origin')
    // Safe because `putOrigin` wrote it.
    return row && (JSON.parse(row.origin as string) as Origin)
  }

  putOrigin(origin: Origin): void {
    this.#statements.run('insert or replace into fork_origin values (1, ?)', JSON.stringify(origin))
  }

  hasAccount(account: PublicKey): boolean {
    return this.#statements.get('select 1 from fork_accounts where account = ?', account) !== undefined
  }

  hasBlock(hash: string): boolean {
    return this.#statements.get('select 1 from fork_blocks where hash = ?', hash) !== undefined
  }

  /** Whether the account was copied to the ledger's own tables. */
  isTouched(account: PublicKey): boolean {
    return this.#statements.get('select 1 from touched where account = ?', account) !== undefined
  }

  putBlock(block: KeptBlock): void {
    const { hash, account, balance, amount, subtype, height, epoch, timestamp, successor } = block
    this.#statements.run(
      'insert or ignore into fork_blocks values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      hash,
      account,
      toContents(block.block),
      block.block.type === 'state' ? block.block.link : null,
      balance.toString(),
      amount.toString(),
      subtype ?? null,
      height,
      epoch,
      timestamp,
      successor,
    )
  }

  putAccount(account: PublicKey, { record, receivable, blocks }: KeptAccount): void {
    for (const block of blocks) this.putBlock(block)
    if (!record) this.#statements.run('insert or ignore into fork_accounts (account) values (?)', account)
    else {
      this.#statements.run(
        'insert or ignore into fork_accounts values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        account,
        record.head,
        record.openBlock,
        record.representative,
        record.balance.toString(),
        record.modifiedAt,
        record.blockCount,
        record.epoch,
        record.confirmedHeight,
        record.confirmedFrontier,
      )
      // The block may have been kept earlier, without these facts.
      const { epoch, successor } = blocks[0]!
      this.#statements.run(
        'update fork_blocks set epoch = ?, successor = ? where hash = ?',
        epoch,
        successor,
        record.head,
      )
    }
    for (const { hash, source, amount, epoch } of receivable) {
      this.#statements.run(
        'insert or ignore into fork_receivable values (?, ?, ?, ?, ?)',
        account,
        hash,
        source,
        amount.toString(),
        epoch,
      )
    }
  }

  /** Copies an account into the ledger, with its head and its receivable sends. */
  instateAccount(account: PublicKey): void {
    if (this.isTouched(account)) return
    this.#statements.run('insert into touched values (?)', account)
    const row = this.#statements.get('select * from fork_accounts where account = ?', account)!
    if (row.head !== null) {
      const record = toAccountRecord(row)
      this.instateBlock(record.head)
      // The block may have been copied before, when it was not known to be the head.
      this.#statements.run(
        'update blocks set epoch = ?, successor = ? where hash = ?',
        record.epoch,
        ZERO_HASH,
        record.head,
      )
      this.#store.insertAccount(record)
      this.#store.addWeight(record.representative, record.balance)
    }
    for (const row of this.#statements.all('select * from fork_receivable where account = ?', account)) {
      const open = toReceivable(row)
      this.instateBlock(open.hash)
      this.#store.putReceivable(open)
    }
  }

  instateBlock(hash: string): void {
    const row = this.#statements.get('select * from fork_blocks where hash = ?', hash)
    if (row) this.#store.adoptBlock(toStoredBlock(row))
  }
}

import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Raw } from '../kernel/money.ts'
import type { PublicKey } from '../kernel/nano/address.ts'
import type { Block } from '../kernel/nano/block.ts'
import type { Epoch } from '../kernel/nano/network.ts'

export type Subtype = 'send' | 'receive' | 'change' | 'epoch'

/** A block on the ledger with what the ledger knows about it. */
export interface StoredBlock {
  hash: string
  block: Block
  account: PublicKey
  balance: Raw
  /** Absolute change of the balance. */
  amount: Raw
  /** The genesis block is an old kind of block and has none. */
  subtype: Subtype | undefined
  height: number
  epoch: Epoch
  /** Unix seconds. */
  timestamp: number
  successor: string
  /** Order of arrival. */
  position: number
}

export interface AccountRecord {
  account: PublicKey
  head: string
  openBlock: string
  representative: PublicKey
  balance: Raw
  modifiedAt: number
  blockCount: number
  epoch: Epoch
  confirmedHeight: number
  confirmedFrontier: string
}

export interface Receivable {
  account: PublicKey
  hash: string
  source: PublicKey
  amount: Raw
  epoch: Epoch
}

interface Totals {
  blocks: number
  cemented: number
  accounts: number
}

const SCHEMA = `
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
  create table if not exists totals (
    id integer primary key check (id = 1), blocks integer not null, cemented integer not null, accounts integer not null
  ) strict;
  insert or ignore into totals values (1, 0, 0, 0);
  pragma user_version = 1;
`

type Row = Record<string, string | number | bigint | null | Uint8Array>

/**
 * The ledger's tables in one SQLite file. Calls are synchronous, so that a block is validated and applied without
 * anything in between; `inTransaction` makes everything inside durable at once.
 */
export class LedgerStore {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(file: string) {
    this.#db = new DatabaseSync(file)
    // Acknowledged blocks must survive a power cut, so every commit is synced.
    this.#db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 5000')
    const version = (this.#db.prepare('pragma user_version').get() as { user_version: number }).user_version
    if (version > 1) throw new Error(`The ledger file ${file} was written by a newer nano-gateway.`)
    this.#db.exec(SCHEMA)
  }

  close(): void {
    this.#db.close()
  }

  inTransaction<T>(run: () => T): T {
    this.#db.exec('begin immediate')
    try {
      const result = run()
      this.#db.exec('commit')
      return result
    } catch (error) {
      this.#db.exec('rollback')
      throw error
    }
  }

  findBlock(hash: string): StoredBlock | undefined {
    const row = this.#get('select * from blocks where hash = ?', hash)
    return row && toStoredBlock(row)
  }

  hasBlock(hash: string): boolean {
    return this.#get('select 1 from blocks where hash = ?', hash) !== undefined
  }

  /** The block that received a send, found by the send's hash. */
  findReceive(sendHash: string): StoredBlock | undefined {
    const row = this.#get(`select * from blocks where link = ? and subtype = 'receive'`, sendHash)
    return row && toStoredBlock(row)
  }

  insertBlock(stored: Omit<StoredBlock, 'position' | 'successor'>, previous: string, zero: string): void {
    this.#run(
      'insert into blocks values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      stored.hash,
      stored.account,
      JSON.stringify(stored.block, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
      stored.block.type === 'state' ? stored.block.link : null,
      stored.balance.toString(),
      stored.amount.toString(),
      stored.subtype ?? null,
      stored.height,
      stored.epoch,
      stored.timestamp,
      zero,
    )
    this.#run('update blocks set successor = ? where hash = ?', stored.hash, previous)
    this.#run('update totals set blocks = blocks + 1')
  }

  deleteBlock(hash: string, previous: string, zero: string): void {
    this.#run('delete from blocks where hash = ?', hash)
    this.#run('update blocks set successor = ? where hash = ?', zero, previous)
    this.#run('update totals set blocks = blocks - 1')
  }

  /** As if every block had arrived at this moment. */
  stampAll(timestamp: number): void {
    this.#run('update blocks set timestamp = ?', timestamp)
    this.#run('update accounts set modified_at = ?', timestamp)
  }

  findAccount(account: PublicKey): AccountRecord | undefined {
    const row = this.#get('select * from accounts where account = ?', account)
    return row && toAccountRecord(row)
  }

  putAccount(record: AccountRecord): void {
    const known = this.#get('select 1 from accounts where account = ?', record.account) !== undefined
    if (!known) this.#run('update totals set accounts = accounts + 1')
    this.#run(
      'insert or replace into accounts values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      record.account,
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
  }

  deleteAccount(account: PublicKey): void {
    this.#run('delete from accounts where account = ?', account)
    this.#run('update totals set accounts = accounts - 1')
  }

  markConfirmed(account: PublicKey, height: number, frontier: string, blocks: number): void {
    this.#run(
      'update accounts set confirmed_height = ?, confirmed_frontier = ? where account = ?',
      height,
      frontier,
      account,
    )
    this.#run('update totals set cemented = cemented + ?', blocks)
  }

  /** Accounts from `start` on, in the order of their keys. */
  *accountsFrom(start: PublicKey): Generator<AccountRecord> {
    for (const row of this.#iterate('select * from accounts where account >= ? order by account', start)) {
      yield toAccountRecord(row)
    }
  }

  *delegatorsOf(representative: PublicKey, after: PublicKey): Generator<AccountRecord> {
    const query = 'select * from accounts where representative = ? and account > ? order by account'
    for (const row of this.#iterate(query, representative, after)) yield toAccountRecord(row)
  }

  countDelegators(representative: PublicKey): number {
    return Number(this.#get('select count(*) as n from accounts where representative = ?', representative)!.n)
  }

  /** Heads of accounts that hold at least one unconfirmed block. */
  listUnconfirmedAccounts(): AccountRecord[] {
    return this.#all('select * from accounts where confirmed_height < block_count').map(toAccountRecord)
  }

  *receivableOf(account: PublicKey): Generator<Receivable> {
    for (const row of this.#iterate('select * from receivable where account = ? order by hash', account)) {
      yield toReceivable(row)
    }
  }

  findReceivable(account: PublicKey, hash: string): Receivable | undefined {
    const row = this.#get('select * from receivable where account = ? and hash = ?', account, hash)
    return row && toReceivable(row)
  }

  hasReceivable(account: PublicKey): boolean {
    return this.#get('select 1 from receivable where account = ? limit 1', account) !== undefined
  }

  putReceivable({ account, hash, source, amount, epoch }: Receivable): void {
    this.#run('insert into receivable values (?, ?, ?, ?, ?)', account, hash, source, amount.toString(), epoch)
  }

  deleteReceivable(account: PublicKey, hash: string): void {
    this.#run('delete from receivable where account = ? and hash = ?', account, hash)
  }

  weightOf(representative: PublicKey): bigint {
    const row = this.#get('select weight from weights where representative = ?', representative)
    return row ? BigInt(row.weight as string) : 0n
  }

  /** A representative without weight is forgotten, as in the node. */
  addWeight(representative: PublicKey, change: bigint): void {
    if (change === 0n) return
    const weight = this.weightOf(representative) + change
    if (weight < 0n) throw new Error('A representative cannot lose weight it never had')
    if (weight === 0n) this.#run('delete from weights where representative = ?', representative)
    else {
      this.#run(
        'insert into weights values (null, ?, ?) on conflict (representative) do update set weight = excluded.weight',
        representative,
        weight.toString(),
      )
    }
  }

  /** Newest representative first. */
  listWeights(): { representative: PublicKey; weight: bigint }[] {
    return this.#all('select representative, weight from weights order by position desc').map((row) => ({
      representative: row.representative as string,
      weight: BigInt(row.weight as string),
    }))
  }

  totals(): Totals {
    const row = this.#get('select blocks, cemented, accounts from totals')!
    return { blocks: Number(row.blocks), cemented: Number(row.cemented), accounts: Number(row.accounts) }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = this.#db.prepare(sql)))
    return statement
  }

  #get(sql: string, ...values: (string | number)[]): Row | undefined {
    return this.#prepare(sql).get(...values)
  }

  #all(sql: string, ...values: (string | number)[]): Row[] {
    return this.#prepare(sql).all(...values)
  }

  /** A cached statement cannot serve two walks at once, so each walk prepares its own. */
  *#iterate(sql: string, ...values: (string | number)[]): Generator<Row> {
    for (const row of this.#db.prepare(sql).iterate(...values)) yield row
  }

  #run(sql: string, ...values: (string | number | null)[]): void {
    this.#prepare(sql).run(...values)
  }
}

/** Safe because `insertBlock` wrote the contents from a whole block, amounts as text. */
function toBlock(contents: string): Block {
  const block = JSON.parse(contents) as Record<string, unknown>
  if (typeof block.balance === 'string') block.balance = BigInt(block.balance)
  return block as unknown as Block
}

function toStoredBlock(row: Row): StoredBlock {
  return {
    hash: row.hash as string,
    block: toBlock(row.contents as string),
    account: row.account as string,
    balance: BigInt(row.balance as string) as Raw,
    amount: BigInt(row.amount as string) as Raw,
    subtype: (row.subtype ?? undefined) as Subtype | undefined,
    height: Number(row.height),
    epoch: Number(row.epoch) as Epoch,
    timestamp: Number(row.timestamp),
    successor: row.successor as string,
    position: Number(row.position),
  }
}

function toAccountRecord(row: Row): AccountRecord {
  return {
    account: row.account as string,
    head: row.head as string,
    openBlock: row.open_block as string,
    representative: row.representative as string,
    balance: BigInt(row.balance as string) as Raw,
    modifiedAt: Number(row.modified_at),
    blockCount: Number(row.block_count),
    epoch: Number(row.epoch) as Epoch,
    confirmedHeight: Number(row.confirmed_height),
    confirmedFrontier: row.confirmed_frontier as string,
  }
}

function toReceivable(row: Row): Receivable {
  return {
    account: row.account as string,
    hash: row.hash as string,
    source: row.source as string,
    amount: BigInt(row.amount as string) as Raw,
    epoch: Number(row.epoch) as Epoch,
  }
}

import { DatabaseSync } from 'node:sqlite'
import type { PublicKey } from '../kernel/nano/address.ts'
import { AccountRows } from './account-rows.ts'
import { Counts, type Totals } from './counts.ts'
import type { AccountRecord, Receivable, StoredBlock, WaitingSend } from './records.ts'
import { SCHEMA, WriteAheadLog } from './schema.ts'
import { Statements, toAccountRecord, toContents, toReceivable, toStoredBlock } from './rows.ts'
import { UndoLog } from './undo-log.ts'

/** The forked network, for data that is not in this file: throws if it was not read yet. */
interface Beyond {
  account(account: PublicKey): void
  block(hash: string): void
}

/**
 * The ledger's tables in one SQLite file. Calls are synchronous, so no other code runs between validating and applying
 * a block. `inTransaction` keeps all changes or none; `sync` resolves when they are on the disk.
 */
export class LedgerStore {
  readonly undo: UndoLog
  beyond: Beyond | undefined
  readonly #db: DatabaseSync
  readonly #log: WriteAheadLog
  readonly statements: Statements
  readonly #accounts: AccountRows
  readonly #counts: Counts

  constructor(file: string) {
    this.#db = new DatabaseSync(file)
    // An acknowledged block must survive a power cut. SQLite syncs what keeps the file intact, `sync` does the rest. A
    // page written again before the next checkpoint costs one write, so the log may grow to 16 MB; after a crash it is
    // read in a few milliseconds.
    this.#db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000')
    this.#db.exec('pragma wal_autocheckpoint = 4000')
    const version = (this.#db.prepare('pragma user_version').get() as { user_version: number }).user_version
    if (version > 1) throw new Error(`The ledger file ${file} was written by a newer nano-gateway.`)
    this.#db.exec(SCHEMA)
    this.#log = new WriteAheadLog(file)
    this.statements = new Statements(this.#db)
    this.#accounts = new AccountRows(this.statements)
    this.#counts = new Counts(this.statements)
    this.undo = new UndoLog(this.#db)
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  /** Runs a read in this file only. */
  here<T>(look: () => T): T {
    const { beyond } = this
    this.beyond = undefined
    try {
      return look()
    } finally {
      this.beyond = beyond
    }
  }

  close(): void {
    this.#log.close()
    this.#db.close()
  }

  /** Resolves when every transaction so far is on the disk; undefined for a ledger in memory. */
  sync(): Promise<void> | undefined {
    return this.#log.sync()
  }

  inTransaction<T>(run: () => T): T {
    this.#run('begin immediate')
    this.#accounts.begin()
    this.#counts.begin()
    try {
      const result = run()
      this.#accounts.flush()
      this.#counts.flush()
      this.#run('commit')
      return result
    } catch (error) {
      this.#db.exec('rollback')
      throw error
    } finally {
      this.#accounts.end()
      this.#counts.end()
    }
  }

  findBlock(hash: string): StoredBlock | undefined {
    const row = this.#get('select * from blocks where hash = ?', hash)
    if (!row) this.beyond?.block(hash)
    return row && toStoredBlock(row)
  }

  hasBlock(hash: string): boolean {
    const found = this.#get('select 1 from blocks where hash = ?', hash) !== undefined
    if (!found) this.beyond?.block(hash)
    return found
  }

  /** The place of a block; much cheaper than reading the whole block. */
  placeOf(hash: string): Pick<StoredBlock, 'account' | 'height' | 'position'> | undefined {
    const row = this.#get('select account, height, position from blocks where hash = ?', hash)
    return row && { account: row.account as string, height: Number(row.height), position: Number(row.position) }
  }

  /** The block that received a send, found by the send's hash. */
  findReceive(sendHash: string): StoredBlock | undefined {
    const row = this.#get(`select * from blocks where link = ? and subtype = 'receive'`, sendHash)
    return row && toStoredBlock(row)
  }

  insertBlock(block: Omit<StoredBlock, 'position' | 'successor'>, previous: string, zero: string): StoredBlock {
    const { lastInsertRowid } = this.statements
      .prepare('insert into blocks values (null, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(
        block.hash,
        block.account,
        toContents(block.block),
        block.block.type === 'state' ? block.block.link : null,
        block.balance.toString(),
        block.amount.toString(),
        block.subtype ?? null,
        block.height,
        block.epoch,
        block.timestamp,
        zero,
      )
    if (previous !== zero) this.#run('update blocks set successor = ? where hash = ?', block.hash, previous)
    this.#counts.count({ blocks: 1 })
    return { ...block, successor: zero, position: Number(lastInsertRowid) }
  }

  /** Copies a block of a forked network. It precedes all our own blocks, and its dependencies are not checked. */
  adoptBlock({
    hash,
    account,
    block,
    balance,
    amount,
    subtype,
    height,
    epoch,
    timestamp,
    successor,
  }: StoredBlock): void {
    if (this.#get('select 1 from blocks where hash = ?', hash)) return
    const first = Number(this.#get('select min(position) as first from blocks')!.first)
    this.#run(
      'insert into blocks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      Math.min(first, 0) - 1,
      hash,
      account,
      toContents(block),
      block.type === 'state' ? block.link : null,
      balance.toString(),
      amount.toString(),
      subtype ?? null,
      height,
      epoch,
      timestamp,
      successor,
    )
    this.#counts.count({ blocks: 1, cemented: 1 })
  }

  deleteBlock(hash: string, previous: string, zero: string): void {
    this.#run('delete from blocks where hash = ?', hash)
    this.#run('update blocks set successor = ? where hash = ?', zero, previous)
    this.#counts.count({ blocks: -1 })
  }

  /** Newest first. */
  blocksBefore(position: number, count: number): StoredBlock[] {
    const query = 'select * from blocks where position < ? order by position desc limit ?'
    return this.statements.all(query, position, count).map(toStoredBlock)
  }

  /** The first hash that begins with these digits. */
  firstHashWith(digits: string): string | undefined {
    // `G` sorts after the last hexadecimal digit.
    const row = this.#get('select hash from blocks where hash >= ? and hash < ? order by hash', digits, `${digits}G`)
    return row?.hash as string | undefined
  }

  /** Every block in the order of arrival, except those copied from a forked network. */
  *allBlocks(): Generator<StoredBlock> {
    for (const row of this.statements.iterate('select * from blocks where position > 0 order by position'))
      yield toStoredBlock(row)
  }

  /** Deletes everything, the genesis too. */
  clear(): void {
    this.#accounts.forget()
    for (const table of ['blocks', 'accounts', 'receivable', 'weights', 'touched']) this.#run(`delete from ${table}`)
    this.#run('update totals set blocks = 0, cemented = 0, accounts = 0')
  }

  /** Sets the time of arrival of every block. */
  stampAll(timestamp: number): void {
    this.#accounts.flush()
    this.#accounts.forget()
    this.#run('update blocks set timestamp = ?', timestamp)
    this.#run('update accounts set modified_at = ?', timestamp)
  }

  findAccount(account: PublicKey): AccountRecord | undefined {
    const record = this.#accounts.find(account)
    if (!record) this.beyond?.account(account)
    return record
  }

  insertAccount(record: AccountRecord): void {
    this.#accounts.insert(record)
    this.#counts.count({ accounts: 1 })
  }

  /** Sets another head for an account. Its open block and confirmed height stay. */
  moveAccount(record: Omit<AccountRecord, 'openBlock' | 'confirmedHeight' | 'confirmedFrontier'>): void {
    const { account, head, representative, balance, modifiedAt, blockCount, epoch } = record
    this.#accounts.update(account, { head, representative, balance, modifiedAt, blockCount, epoch })
  }

  deleteAccount(account: PublicKey): void {
    this.#accounts.delete(account)
    this.#counts.count({ accounts: -1 })
  }

  markConfirmed(account: PublicKey, height: number, frontier: string, blocks: number): void {
    this.#accounts.update(account, { confirmedHeight: height, confirmedFrontier: frontier })
    this.#counts.count({ cemented: blocks })
  }

  confirmedHeightOf(account: PublicKey): number {
    return this.#accounts.find(account)?.confirmedHeight ?? 0
  }

  /** Accounts from `start` on, in the order of their keys. */
  *accountsFrom(start: PublicKey): Generator<AccountRecord> {
    this.#accounts.flush()
    for (const row of this.statements.iterate('select * from accounts where account >= ? order by account', start)) {
      yield toAccountRecord(row)
    }
  }

  *delegatorsOf(representative: PublicKey, after: PublicKey): Generator<AccountRecord> {
    this.#accounts.flush()
    const query = 'select * from accounts where representative = ? and account > ? order by account'
    for (const row of this.statements.iterate(query, representative, after)) yield toAccountRecord(row)
  }

  countDelegators(representative: PublicKey): number {
    this.#accounts.flush()
    return Number(this.#get('select count(*) as n from accounts where representative = ?', representative)!.n)
  }

  /** Heads of accounts that hold at least one unconfirmed block. */
  listUnconfirmedAccounts(): AccountRecord[] {
    this.#accounts.flush()
    return this.statements.all('select * from accounts where confirmed_height < block_count').map(toAccountRecord)
  }

  /**
   * Receivable sends with their places, in one query, because a shop may have thousands of them and each checkout reads
   * them.
   */
  *receivableOf(account: PublicKey): Generator<WaitingSend> {
    this.beyond?.account(account)
    const query = `select receivable.*, height, position from receivable join blocks using (hash)
      where receivable.account = ? order by hash`
    for (const row of this.statements.iterate(query, account)) {
      yield { ...toReceivable(row), height: Number(row.height), position: Number(row.position) }
    }
  }

  findReceivable(account: PublicKey, hash: string): Receivable | undefined {
    this.beyond?.account(account)
    const row = this.#get('select * from receivable where account = ? and hash = ?', account, hash)
    return row && toReceivable(row)
  }

  hasReceivable(account: PublicKey): boolean {
    this.beyond?.account(account)
    return this.#get('select 1 from receivable where account = ? limit 1', account) !== undefined
  }

  putReceivable({ account, hash, source, amount, epoch }: Receivable): void {
    this.#run('insert into receivable values (?, ?, ?, ?, ?)', account, hash, source, amount.toString(), epoch)
  }

  deleteReceivable(account: PublicKey, hash: string): void {
    this.#run('delete from receivable where account = ? and hash = ?', account, hash)
  }

  weightOf(representative: PublicKey): bigint {
    return this.#counts.weightOf(representative)
  }

  addWeight(representative: PublicKey, change: bigint): void {
    this.#counts.addWeight(representative, change)
  }

  /** Newest representative first. */
  listWeights(): { representative: PublicKey; weight: bigint }[] {
    return this.#counts.listWeights()
  }

  totals(): Totals {
    return this.#counts.totals()
  }

  #get = (sql: string, ...values: (string | number)[]) => this.statements.get(sql, ...values)
  #run = (sql: string, ...values: (string | number | null)[]) => this.statements.run(sql, ...values)
}

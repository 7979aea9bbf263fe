import { DatabaseSync } from 'node:sqlite'
import type { PublicKey } from '../kernel/nano/address.ts'
import { AccountRows } from './account-rows.ts'
import type { AccountRecord, Receivable, StoredBlock } from './records.ts'
import { SCHEMA } from './schema.ts'
import { toAccountRecord, toContents, toReceivable, toStoredBlock } from './rows.ts'
import { Statements } from './statements.ts'
import { UndoLog } from './undo-log.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

interface Totals {
  blocks: number
  cemented: number
  accounts: number
}

interface Weight {
  weight: bigint
  isWritten: boolean
}

/**
 * The ledger's tables in one SQLite file. Calls are synchronous, so that a block is validated and applied without anything in
 * between; `inTransaction` keeps everything inside or nothing, and `sync` tells when what was kept is on the disk.
 */
export class LedgerStore {
  readonly undo: UndoLog
  readonly #db: DatabaseSync
  readonly #log: WriteAheadLog
  readonly #statements: Statements
  readonly #accounts: AccountRows
  /** What a transaction has counted: every block changes it, and it is written once, before the commit. */
  #counted: { totals: Totals; weights: Map<PublicKey, Weight> } | undefined

  constructor(file: string) {
    this.#db = new DatabaseSync(file)
    // Answered blocks must survive a power cut: SQLite syncs what it needs to stay whole, `sync` the rest. Pages written again
    // before the log is taken over cost one write, so it may grow to 16 MB; after a crash it is read in a few milliseconds.
    this.#db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000')
    this.#db.exec('pragma wal_autocheckpoint = 4000')
    const version = (this.#db.prepare('pragma user_version').get() as { user_version: number }).user_version
    if (version > 1) throw new Error(`The ledger file ${file} was written by a newer nano-gateway.`)
    this.#db.exec(SCHEMA)
    this.#log = new WriteAheadLog(file)
    this.#statements = new Statements(this.#db)
    this.#accounts = new AccountRows(this.#statements)
    this.undo = new UndoLog(this.#db)
  }

  close(): void {
    this.#log.close()
    this.#db.close()
  }

  /** When every transaction so far is on the disk; undefined for a ledger that has none. */
  sync(): Promise<void> | undefined {
    return this.#log.sync()
  }

  inTransaction<T>(run: () => T): T {
    this.#run('begin immediate')
    this.#accounts.begin()
    this.#counted = { totals: { blocks: 0, cemented: 0, accounts: 0 }, weights: new Map() }
    try {
      const result = run()
      this.#accounts.flush()
      this.#writeCounted(this.#counted)
      this.#run('commit')
      return result
    } catch (error) {
      this.#db.exec('rollback')
      throw error
    } finally {
      this.#accounts.end()
      this.#counted = undefined
    }
  }

  findBlock(hash: string): StoredBlock | undefined {
    const row = this.#get('select * from blocks where hash = ?', hash)
    return row && toStoredBlock(row)
  }

  hasBlock(hash: string): boolean {
    return this.#get('select 1 from blocks where hash = ?', hash) !== undefined
  }

  /** Where a block stands: much less than the whole of it. */
  placeOf(hash: string): { account: PublicKey; height: number } | undefined {
    const row = this.#get('select account, height from blocks where hash = ?', hash)
    return row && { account: row.account as string, height: Number(row.height) }
  }

  /** The block that received a send, found by the send's hash. */
  findReceive(sendHash: string): StoredBlock | undefined {
    const row = this.#get(`select * from blocks where link = ? and subtype = 'receive'`, sendHash)
    return row && toStoredBlock(row)
  }

  insertBlock(block: Omit<StoredBlock, 'position' | 'successor'>, previous: string, zero: string): StoredBlock {
    const { lastInsertRowid } = this.#statements
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
    this.#count({ blocks: 1 })
    return { ...block, successor: zero, position: Number(lastInsertRowid) }
  }

  deleteBlock(hash: string, previous: string, zero: string): void {
    this.#run('delete from blocks where hash = ?', hash)
    this.#run('update blocks set successor = ? where hash = ?', zero, previous)
    this.#count({ blocks: -1 })
  }

  /** Newest first. */
  blocksBefore(position: number, count: number): StoredBlock[] {
    const query = 'select * from blocks where position < ? order by position desc limit ?'
    return this.#statements.all(query, position, count).map(toStoredBlock)
  }

  /** The first hash that begins with these digits. */
  firstHashWith(digits: string): string | undefined {
    // No digit comes after F, and G does.
    const row = this.#get('select hash from blocks where hash >= ? and hash < ? order by hash', digits, `${digits}G`)
    return row?.hash as string | undefined
  }

  /** Every block in the order of its arrival. */
  *allBlocks(): Generator<StoredBlock> {
    for (const row of this.#statements.iterate('select * from blocks order by position')) yield toStoredBlock(row)
  }

  /** Forgets everything, the genesis too. */
  clear(): void {
    this.#accounts.forget()
    for (const table of ['blocks', 'accounts', 'receivable', 'weights']) this.#run(`delete from ${table}`)
    this.#run('update totals set blocks = 0, cemented = 0, accounts = 0')
  }

  /** As if every block had arrived at this moment. */
  stampAll(timestamp: number): void {
    this.#accounts.flush()
    this.#accounts.forget()
    this.#run('update blocks set timestamp = ?', timestamp)
    this.#run('update accounts set modified_at = ?', timestamp)
  }

  findAccount(account: PublicKey): AccountRecord | undefined {
    return this.#accounts.find(account)
  }

  insertAccount(record: AccountRecord): void {
    this.#accounts.insert(record)
    this.#count({ accounts: 1 })
  }

  /** Moves an account to another head. How it was opened, and what is confirmed of it, stays. */
  moveAccount(record: Omit<AccountRecord, 'openBlock' | 'confirmedHeight' | 'confirmedFrontier'>): void {
    const { account, head, representative, balance, modifiedAt, blockCount, epoch } = record
    this.#accounts.update(account, { head, representative, balance, modifiedAt, blockCount, epoch })
  }

  deleteAccount(account: PublicKey): void {
    this.#accounts.delete(account)
    this.#count({ accounts: -1 })
  }

  markConfirmed(account: PublicKey, height: number, frontier: string, blocks: number): void {
    this.#accounts.update(account, { confirmedHeight: height, confirmedFrontier: frontier })
    this.#count({ cemented: blocks })
  }

  confirmedHeightOf(account: PublicKey): number {
    return this.#accounts.find(account)?.confirmedHeight ?? 0
  }

  /** Accounts from `start` on, in the order of their keys. */
  *accountsFrom(start: PublicKey): Generator<AccountRecord> {
    this.#accounts.flush()
    for (const row of this.#statements.iterate('select * from accounts where account >= ? order by account', start)) {
      yield toAccountRecord(row)
    }
  }

  *delegatorsOf(representative: PublicKey, after: PublicKey): Generator<AccountRecord> {
    this.#accounts.flush()
    const query = 'select * from accounts where representative = ? and account > ? order by account'
    for (const row of this.#statements.iterate(query, representative, after)) yield toAccountRecord(row)
  }

  countDelegators(representative: PublicKey): number {
    this.#accounts.flush()
    return Number(this.#get('select count(*) as n from accounts where representative = ?', representative)!.n)
  }

  /** Heads of accounts that hold at least one unconfirmed block. */
  listUnconfirmedAccounts(): AccountRecord[] {
    this.#accounts.flush()
    return this.#statements.all('select * from accounts where confirmed_height < block_count').map(toAccountRecord)
  }

  *receivableOf(account: PublicKey): Generator<Receivable> {
    for (const row of this.#statements.iterate('select * from receivable where account = ? order by hash', account)) {
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
    const known = this.#counted?.weights.get(representative)
    if (known) return known.weight
    const row = this.#get('select weight from weights where representative = ?', representative)
    const weight = row ? BigInt(row.weight as string) : 0n
    this.#counted?.weights.set(representative, { weight, isWritten: true })
    return weight
  }

  /** A representative without weight is forgotten, as in the node. */
  addWeight(representative: PublicKey, change: bigint): void {
    if (change === 0n) return
    const weight = this.weightOf(representative) + change
    if (weight < 0n) throw new Error('A representative cannot lose weight it never had')
    if (weight === 0n) this.#run('delete from weights where representative = ?', representative)
    else if (!this.#counted) this.#writeWeight(representative, weight)
    this.#counted?.weights.set(representative, { weight, isWritten: weight === 0n })
  }

  /** Newest representative first. */
  listWeights(): { representative: PublicKey; weight: bigint }[] {
    return this.#statements.all('select representative, weight from weights order by position desc').map((row) => ({
      representative: row.representative as string,
      weight: BigInt(row.weight as string),
    }))
  }

  totals(): Totals {
    const row = this.#get('select blocks, cemented, accounts from totals')!
    const counted = this.#counted?.totals ?? { blocks: 0, cemented: 0, accounts: 0 }
    return {
      blocks: Number(row.blocks) + counted.blocks,
      cemented: Number(row.cemented) + counted.cemented,
      accounts: Number(row.accounts) + counted.accounts,
    }
  }

  #count({ blocks = 0, cemented = 0, accounts = 0 }: Partial<Totals>): void {
    const totals = this.#counted?.totals
    if (!totals) return this.#writeTotals({ blocks, cemented, accounts })
    totals.blocks += blocks
    totals.cemented += cemented
    totals.accounts += accounts
  }

  #writeCounted({ totals, weights }: { totals: Totals; weights: Map<PublicKey, Weight> }): void {
    if (totals.blocks !== 0 || totals.cemented !== 0 || totals.accounts !== 0) this.#writeTotals(totals)
    for (const [representative, { weight, isWritten }] of weights) {
      if (!isWritten) this.#writeWeight(representative, weight)
    }
  }

  #writeTotals({ blocks, cemented, accounts }: Totals): void {
    const add = 'update totals set blocks = blocks + ?, cemented = cemented + ?, accounts = accounts + ?'
    this.#run(add, blocks, cemented, accounts)
  }

  #writeWeight(representative: PublicKey, weight: bigint): void {
    this.#run(
      'insert into weights values (null, ?, ?) on conflict (representative) do update set weight = excluded.weight',
      representative,
      weight.toString(),
    )
  }

  #get = (sql: string, ...values: (string | number)[]) => this.#statements.get(sql, ...values)
  #run = (sql: string, ...values: (string | number | null)[]) => this.#statements.run(sql, ...values)
}

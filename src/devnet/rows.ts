import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Raw } from '../kernel/money.ts'
import type { Block } from '../kernel/nano/block.ts'
import type { Epoch } from '../kernel/nano/network.ts'
import type { AccountRecord, Receivable, StoredBlock, Subtype } from './records.ts'

export type Row = Record<string, string | number | bigint | null | Uint8Array>

/** The stored form of a block; amounts are text. */
export function toContents(block: Block): string {
  return JSON.stringify('balance' in block ? { ...block, balance: block.balance.toString() } : block)
}

/** The cast is safe because `toContents` wrote it from a whole block. */
function toBlock(contents: string): Block {
  const block = JSON.parse(contents) as Record<string, unknown>
  if (typeof block.balance === 'string') block.balance = BigInt(block.balance)
  return block as unknown as Block
}

export function toStoredBlock(row: Row): StoredBlock {
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

export function toAccountRecord(row: Row): AccountRecord {
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

export function toReceivable(row: Row): Receivable {
  return {
    account: row.account as string,
    hash: row.hash as string,
    source: row.source as string,
    amount: BigInt(row.amount as string) as Raw,
    epoch: Number(row.epoch) as Epoch,
  }
}

type Value = string | number | null

/** Statements of one connection, prepared once. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()
  /** Statements for iterations that are not in use. */
  readonly #idle = new Map<string, StatementSync>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql)
    if (!statement) this.#prepared.set(sql, (statement = this.#db.prepare(sql)))
    return statement
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.prepare(sql).get(...values)
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.prepare(sql).all(...values)
  }

  /** Each iteration gets a statement of its own: one statement cannot serve two iterations at once. */
  *iterate(sql: string, ...values: Value[]): Generator<Row> {
    const statement = this.#idle.get(sql) ?? this.#db.prepare(sql)
    this.#idle.delete(sql)
    try {
      for (const row of statement.iterate(...values)) yield row
    } finally {
      this.#idle.set(sql, statement)
    }
  }

  run(sql: string, ...values: Value[]): void {
    this.prepare(sql).run(...values)
  }
}

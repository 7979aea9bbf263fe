import type { PublicKey } from '../kernel/nano/address.ts'
import type { AccountRecord } from './records.ts'
import { type Statements, toAccountRecord } from './rows.ts'

interface Held {
  /** The stored row; undefined for an account that has none yet. */
  written: AccountRecord | undefined
  record: AccountRecord
}

/**
 * The accounts of a ledger. A block changes its account, and its confirmation changes it again, often in the same
 * transaction. Changes are therefore kept in memory and written once: before the commit, or before a query that does
 * not look accounts up by key.
 */
export class AccountRows {
  readonly #statements: Statements
  #held: Map<PublicKey, Held> | undefined

  constructor(statements: Statements) {
    this.#statements = statements
  }

  begin(): void {
    this.#held = new Map()
  }

  /** Call it after the transaction, whether it was committed or rolled back. */
  end(): void {
    this.#held = undefined
  }

  find(account: PublicKey): AccountRecord | undefined {
    const held = this.#held?.get(account)
    if (held) return held.record
    const row = this.#statements.get('select * from accounts where account = ?', account)
    if (!row) return undefined
    const record = toAccountRecord(row)
    this.#held?.set(account, { written: record, record })
    return record
  }

  insert(record: AccountRecord): void {
    if (this.#held) this.#held.set(record.account, { written: undefined, record })
    else this.#write(undefined, record)
  }

  update(account: PublicKey, change: Partial<AccountRecord>): void {
    const record = { ...this.find(account)!, ...change }
    const held = this.#held?.get(account)
    if (held) held.record = record
    else this.#write(record, record)
  }

  delete(account: PublicKey): void {
    this.#held?.delete(account)
    this.#statements.run('delete from accounts where account = ?', account)
  }

  /** Writes the changes kept in memory. */
  flush(): void {
    for (const held of this.#held?.values() ?? []) {
      if (held.written === held.record) continue
      this.#write(held.written, held.record)
      held.written = held.record
    }
  }

  /** Drops the changes kept in memory, because the table was changed directly. */
  forget(): void {
    this.#held?.clear()
  }

  #write(written: AccountRecord | undefined, record: AccountRecord): void {
    const { account, head, representative, balance, modifiedAt, blockCount, epoch } = record
    const { confirmedHeight, confirmedFrontier } = record
    if (!written) {
      this.#statements.run(
        'insert into accounts values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        account,
        head,
        record.openBlock,
        representative,
        balance.toString(),
        modifiedAt,
        blockCount,
        epoch,
        confirmedHeight,
        confirmedFrontier,
      )
      return
    }
    this.#statements.run(
      `update accounts set head = ?, balance = ?, modified_at = ?, block_count = ?, epoch = ?, confirmed_height = ?,
       confirmed_frontier = ? where account = ?`,
      head,
      balance.toString(),
      modifiedAt,
      blockCount,
      epoch,
      confirmedHeight,
      confirmedFrontier,
      account,
    )
    // Updated by a separate statement only when it changes, because the column is indexed.
    if (written.representative !== representative || written === record) {
      this.#statements.run('update accounts set representative = ? where account = ?', representative, account)
    }
  }
}

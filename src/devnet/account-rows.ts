import type { PublicKey } from '../kernel/nano/address.ts'
import type { AccountRecord } from './records.ts'
import { type Statements, toAccountRecord } from './rows.ts'

interface Held {
  /** The row of the table; undefined for an account that has none yet. */
  written: AccountRecord | undefined
  record: AccountRecord
}

/**
 * The accounts of a ledger. A block changes its account, and so does its confirmation, often within one transaction: changes are held
 * back there and written once, before the table is read other than by account, and before the commit.
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

  /** Runs after the transaction, whether it was committed or not. */
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

  /** Writes what is held back. */
  flush(): void {
    for (const held of this.#held?.values() ?? []) {
      if (held.written === held.record) continue
      this.#write(held.written, held.record)
      held.written = held.record
    }
  }

  /** The table was changed directly, so nothing held back is valid any more. */
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
    // A statement of its own, because the representative is indexed and seldom changes.
    if (written.representative !== representative || written === record) {
      this.#statements.run('update accounts set representative = ? where account = ?', representative, account)
    }
  }
}

import type { PublicKey } from '../kernel/nano/address.ts'
import type { Statements } from './rows.ts'

export interface Totals {
  blocks: number
  cemented: number
  accounts: number
}

interface Weight {
  weight: bigint
  isWritten: boolean
}

/**
 * Totals of the ledger and the weight of each representative. Every block changes them, so a transaction writes them
 * once, before the commit.
 */
export class Counts {
  readonly #statements: Statements
  #counted: { totals: Totals; weights: Map<PublicKey, Weight> } | undefined

  constructor(statements: Statements) {
    this.#statements = statements
  }

  begin(): void {
    this.#counted = { totals: { blocks: 0, cemented: 0, accounts: 0 }, weights: new Map() }
  }

  flush(): void {
    if (!this.#counted) return
    const { totals, weights } = this.#counted
    if (totals.blocks !== 0 || totals.cemented !== 0 || totals.accounts !== 0) this.#writeTotals(totals)
    for (const [representative, { weight, isWritten }] of weights) {
      if (!isWritten) this.#writeWeight(representative, weight)
    }
  }

  /** Call it after the transaction, whether it was committed or rolled back. */
  end(): void {
    this.#counted = undefined
  }

  weightOf(representative: PublicKey): bigint {
    const known = this.#counted?.weights.get(representative)
    if (known) return known.weight
    const row = this.#statements.get('select weight from weights where representative = ?', representative)
    const weight = row ? BigInt(row.weight as string) : 0n
    this.#counted?.weights.set(representative, { weight, isWritten: true })
    return weight
  }

  /** Like the node, forgets a representative whose weight becomes zero. */
  addWeight(representative: PublicKey, change: bigint): void {
    if (change === 0n) return
    const weight = this.weightOf(representative) + change
    if (weight < 0n) throw new Error('A representative cannot lose weight it never had')
    if (weight === 0n) this.#statements.run('delete from weights where representative = ?', representative)
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
    const row = this.#statements.get('select blocks, cemented, accounts from totals')!
    const counted = this.#counted?.totals ?? { blocks: 0, cemented: 0, accounts: 0 }
    return {
      blocks: Number(row.blocks) + counted.blocks,
      cemented: Number(row.cemented) + counted.cemented,
      accounts: Number(row.accounts) + counted.accounts,
    }
  }

  count({ blocks = 0, cemented = 0, accounts = 0 }: Partial<Totals>): void {
    const totals = this.#counted?.totals
    if (!totals) return this.#writeTotals({ blocks, cemented, accounts })
    totals.blocks += blocks
    totals.cemented += cemented
    totals.accounts += accounts
  }

  #writeTotals({ blocks, cemented, accounts }: Totals): void {
    const add = 'update totals set blocks = blocks + ?, cemented = cemented + ?, accounts = accounts + ?'
    this.#statements.run(add, blocks, cemented, accounts)
  }

  #writeWeight(representative: PublicKey, weight: bigint): void {
    this.#statements.run(
      'insert into weights values (null, ?, ?) on conflict (representative) do update set weight = excluded.weight',
      representative,
      weight.toString(),
    )
  }
}

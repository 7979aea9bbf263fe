import { formatNano } from '../kernel/money.ts'
import type { StateBlock } from '../kernel/nano/block.ts'
import { withJson } from './amounts.ts'
import { GatewayError } from './gateway-error.ts'

/** One payment of a budget. */
export interface Paid {
  /** The URL of a request, or `send`. */
  readonly what: string
  /** The seller's description. */
  readonly description: string | undefined
  readonly to: string
  /** In raw. */
  readonly amount: bigint
  /** Hash of the block. */
  readonly hash: string
  /** A pending payment counts as spent, a refused one does not. */
  readonly state: 'pending' | 'settled' | 'refused'
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface Entry extends Paid {
  state: Paid['state']
  block: StateBlock
}

export interface BudgetOptions {
  /** The largest single payment, in raw; by default the whole budget. */
  perPayment?: bigint | undefined
}

/** What a program may spend, and what it has spent. Several wallets and gateways may share one. */
export class Budget {
  readonly limit: bigint
  readonly perPayment: bigint
  readonly #entries: Entry[] = []

  constructor(limit: bigint, { perPayment = limit }: BudgetOptions = {}) {
    if (typeof limit !== 'bigint' || limit < 0n) throw new TypeError('A budget is a bigint of raw.')
    this.limit = limit
    this.perPayment = perPayment
  }

  get paid(): readonly Paid[] {
    return this.#entries.map(({ what, description, to, amount, hash, state, at }) =>
      withJson({ what, description, to, amount, hash, state, at }),
    )
  }

  /** In raw; pending payments are subtracted. */
  get left(): bigint {
    return this.#leftWith()
  }

  /** Throws if the budget does not allow this amount. `previous` is the block before the payment's block. */
  require(amount: bigint, previous: string): void {
    if (amount <= this.perPayment && this.#leftWith({ amount, previous }) >= 0n) return
    const most = amount > this.perPayment ? this.perPayment : this.left
    const message = `This costs ${formatNano(amount)} nano, and ${formatNano(most)} may be spent.`
    throw new GatewayError(message, { code: 'budget_exceeded', needed: amount, available: most })
  }

  /** Counts a payment. Call it before its block is sent anywhere. */
  enter(entry: Omit<Entry, 'state' | 'at'>): Entry {
    this.require(entry.amount, entry.block.previous)
    const entered: Entry = { ...entry, state: 'pending', at: Date.now() }
    this.#entries.push(entered)
    return entered
  }

  /**
   * The ledger takes only one of several blocks with the same `previous`, so only the most expensive of them counts.
   */
  #leftWith(next?: { amount: bigint; previous: string }): bigint {
    const costs = new Map<string, bigint>()
    const counted = this.#entries.filter(({ state }) => state !== 'refused')
    const all = counted.map(({ amount, block }) => ({ amount, previous: block.previous }))
    for (const { amount, previous } of next ? [...all, next] : all) {
      const known = costs.get(previous) ?? 0n
      costs.set(previous, amount > known ? amount : known)
    }
    return [...costs.values()].reduce((left, cost) => left - cost, this.limit)
  }

  /** Payments of an account whose outcome is unknown. */
  pendingOf(account: string): Entry[] {
    return this.#entries.filter(({ state, block }) => state === 'pending' && block.account === account)
  }
}

export const toBudget = (given: Budget | bigint | undefined): Budget | undefined =>
  typeof given === 'bigint' ? new Budget(given) : given

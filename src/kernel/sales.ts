import type { StoreCtx } from './in-tx.ts'
import type { LeasePeriod } from './lease-period.ts'
import type { Raw } from './money.ts'
import type { JsonObject } from './shape.ts'
import type { Db } from './db.ts'

/** How long a name may be leased for how much. */
export interface NamePlan {
  title: string
  period: LeasePeriod
  price: Raw
}

export interface CreditPlan {
  credits: number
  price: Raw
}

/** What the service sells on its own account, from configuration. */
interface SalesRules {
  namePlans: readonly NamePlan[]
  nameUpdatePrice: Raw
  creditPlans: readonly CreditPlan[]
  /** Offers that one caller may ask for in a day; 0 means no limit. */
  offersPerDayMax: number
}

/** A confirmed send of exactly an amount that one of the service's own checkouts has asked for. */
export interface ServicePayment {
  checkoutId: string
  /** Which plan the amount belongs to. */
  plan: number | null
  blockHash: string
  payer: string
  amountRaw: Raw
  /** When it was first known, here or to the node. */
  at: number
}

/** How an order stands. */
export interface OrderStanding {
  outcome: 'waiting' | 'unauthorized' | 'applied' | 'refunded' | 'held'
  /** For whoever knows its checkout. */
  shown: JsonObject
  /** The block that it was given for, or that waits. */
  block?: { hash: string; account: string; amountRaw: Raw }
  /** Why nothing was given, and what goes back: the hash is known once it is signed, the address once somebody said it. */
  refund?: { error: string; hash: string | null; address: string | null; amountRaw: Raw }
}

/** What the service sells on its own account: checkouts call it, because they stand below whatever is sold. */
export interface Sales {
  rules: SalesRules
  /** Where it is paid. */
  treasuryAddress(): Promise<string>
  /**
   * Gives what was paid for, or the money back, inside the transaction that records the payment: both happen or neither
   * does. Writes to the store alone. What it answers is called once the transaction is committed.
   */
  settle(tx: StoreCtx, payment: ServicePayment): Promise<() => void>
  /** The same for an order that was paid and waited for somebody's word, in the transaction that writes the word down. */
  resume(tx: StoreCtx, checkoutId: string): Promise<() => void>
  /** What became of an order, for whoever knows its checkout. */
  describe(db: Db, checkoutId: string): Promise<OrderStanding | undefined>
}

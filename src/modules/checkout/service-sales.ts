import type { Db } from '../../kernel/db.ts'
import type { StoreEngine } from '../../kernel/dialect.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Raw } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'

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
  /** For a caller that knows its checkout. */
  shown: JsonObject
  /** The block that it was given for, or that waits. */
  block?: { hash: string; account: string; amountRaw: Raw }
  /** Why nothing was given, and what goes back: the hash is known once it is signed, the address once its payer said it. */
  refund?: { error: string; hash: string | null; address: string | null; amountRaw: Raw }
}

/** A room that sells what the service offers on its own account. Checkouts call it, because they stand below whatever is sold. */
export interface ServiceSales {
  /**
   * Gives what was paid for, or the money back, inside the transaction that records the payment: both happen or neither
   * does. Writes to the store alone. What it answers is called once the transaction is committed.
   */
  settle(tx: StoreCtx, payment: ServicePayment): Promise<() => void>
  /** What became of an order, for a caller that knows its checkout. */
  describe(db: Db, checkoutId: string): Promise<OrderStanding | undefined>
  /** What went back of orders, or waits to, of the payments that completed their checkouts. */
  sumReturned(db: Db, engine: StoreEngine): Promise<{ count: number; raw: bigint }>
  /** Forgets what checkouts would have sold that are deleted in this transaction, and were never paid. */
  forget(db: Db, checkoutIds: readonly string[]): Promise<void>
}

import type { Db } from '../../kernel/db.ts'
import type { StoreEngine } from '../../kernel/dialect.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Raw } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'

/** A confirmed send of exactly an amount that one of the service's own checkouts asks for. */
export interface ServicePayment {
  checkoutId: string
  /** The plan to which the amount belongs. */
  plan: number | null
  blockHash: string
  payer: string
  amountRaw: Raw
  /** When the send was first known, to us or to the node. */
  at: number
}

/** The state of an order. */
export interface OrderStanding {
  outcome: 'waiting' | 'unauthorized' | 'applied' | 'refunded' | 'held'
  /** The part for callers that know its checkout. */
  shown: JsonObject
  /** The block for which it was delivered, or that waits for approval. */
  block?: { hash: string; account: string; amountRaw: Raw }
  /** Why nothing was delivered, and the refund: its hash is known once signed, its address once the payer has named one. */
  refund?: { error: string; hash: string | null; address: string | null; amountRaw: Raw }
}

/** The module that sells what the service itself offers. Checkouts call it through this port, because every selling module depends on checkouts. */
export interface ServiceSales {
  /**
   * Delivers what was paid for, or refunds it, inside the transaction that records the payment: both happen or neither. May only write to
   * the store. The function it returns is called once the transaction is committed.
   */
  settle(tx: StoreCtx, payment: ServicePayment): Promise<() => void>
  /** The state of an order, for callers that know its checkout. */
  describe(db: Db, checkoutId: string): Promise<OrderStanding | undefined>
  /** The sum of orders that were refunded or will be, among the payments that completed their checkouts. */
  sumReturned(db: Db, engine: StoreEngine): Promise<{ count: number; raw: bigint }>
  /** Deletes what was to be sold by unpaid checkouts that this transaction deletes. */
  forget(db: Db, checkoutIds: readonly string[]): Promise<void>
}

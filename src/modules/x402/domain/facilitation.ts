import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Prices } from '../../../kernel/ports.ts'
import type { Facilitator, OwnFacilitator } from '../../../kernel/x402/facilitator.ts'
import type { Price } from '../../../kernel/x402/price.ts'

/** Where payments are taken in. */
export interface Facilitation {
  store: StoreCtx
  own: OwnFacilitator
  /** Settles in place of our own node, which still has the last word. */
  remote: Facilitator | undefined
  network: string
  /** The smallest work of a send. */
  threshold: bigint
  timeoutSeconds: number
}

/** Settles payments, and sells actions by request for them. */
export interface Seller extends Facilitation {
  payTo: string
  /** By the name of the action. */
  prices: ReadonlyMap<string, Price>
  rates: Prices | undefined
  /** The address that requests are sent to. */
  resourceUrl(): string
}

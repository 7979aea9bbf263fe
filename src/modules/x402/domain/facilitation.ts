import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Prices } from '../../../kernel/ports.ts'
import type { Facilitator, OwnFacilitator } from '../../../kernel/x402/facilitator.ts'
import type { Goods } from './goods.ts'

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
  goods: Goods
  rates: Prices | undefined
  /** The address of an action: each is a resource of its own. */
  resourceUrl(action: string): string
}

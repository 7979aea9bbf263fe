import type { Action } from '../../../kernel/action.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Prices } from '../../../kernel/ports.ts'
import type { Facilitator, OwnFacilitator } from '../../../kernel/x402/wire.ts'
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
  goods: Goods
  rates: Prices | undefined
  /** The address of an action: each is a resource of its own. */
  resourceUrl(action: string): string
}

/** An action that is sold by request. */
export interface Good {
  action: Pick<Action, 'name' | 'summary' | 'input' | 'output' | 'example'>
  price: Price
}

/** What is for sale, by the name of the action. */
export type Goods = ReadonlyMap<string, Good>

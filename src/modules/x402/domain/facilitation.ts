import type { Action } from '../../../kernel/action.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Prices } from '../../../kernel/ports.ts'
import type { Facilitator, OwnFacilitator } from '../../../kernel/x402/wire.ts'
import type { Price } from '../../../kernel/x402/price.ts'

/** The context in which payments are settled. */
export interface Facilitation {
  store: StoreCtx
  own: OwnFacilitator
  /** Sends payments instead of our own node; our node still decides whether one is settled. */
  remote: Facilitator | undefined
  network: string
  /** The work threshold of sends. */
  threshold: bigint
  timeoutSeconds: number
}

/** The context in which actions are sold. */
export interface Seller extends Facilitation {
  payTo: string
  goods: Goods
  rates: Prices | undefined
  /** The URL of an action: each action is a resource of its own. */
  resourceUrl(action: string): string
}

/** An action for sale. */
export interface Good {
  action: Pick<Action, 'name' | 'summary' | 'input' | 'output' | 'example'>
  price: Price
}

/** The actions for sale by name. */
export type Goods = ReadonlyMap<string, Good>

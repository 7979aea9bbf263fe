import type { Action } from '../../../kernel/action.ts'
import type { Price } from '../../../kernel/x402/price.ts'

/** An action that is sold by request. */
export interface Good {
  action: Pick<Action, 'name' | 'summary' | 'input' | 'output' | 'example'>
  price: Price
}

/** What is for sale, by the name of the action. */
export type Goods = ReadonlyMap<string, Good>

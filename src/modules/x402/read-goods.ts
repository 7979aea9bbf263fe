import type { Action } from '../../kernel/action.ts'
import type { Prices } from '../../kernel/ports.ts'
import type { Goods } from './domain/goods.ts'
import type { X402Settings } from './settings.ts'

/** Each action that has a price. A price that cannot be asked for is refused. */
export function readGoods(
  { x402Actions, x402Price }: Pick<X402Settings, 'x402Actions' | 'x402Price'>,
  actions: readonly Action[],
  rates: Prices | undefined,
): Goods {
  return new Map(
    x402Actions.map(({ name, price = x402Price }) => {
      const action = actions.find((one) => one.name === name || one.synonyms?.includes(name))
      if (!action) throw new Error(`X402_ACTIONS names ${name}, which is no action.`)
      // Who pays by request has no key to show.
      if (action.auth !== 'none') throw new Error(`X402_ACTIONS names ${name}, which needs an API key.`)
      if ('currency' in price && !rates?.currencies.includes(price.currency)) {
        throw new Error(`The price of ${name} is in ${price.currency}, and there is no source of prices for that.`)
      }
      // Paid for once, it could happen twice when we die in between.
      if (action.once || action.onceWhen) throw new Error(`X402_ACTIONS names ${name}, which makes or moves something.`)
      return [action.name, { action, price }]
    }),
  )
}

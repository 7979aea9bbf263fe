import type { Action } from '../../kernel/action.ts'
import type { Prices } from '../../kernel/ports.ts'
import {
  BadSetting,
  type ValuesOf,
  ledgerAddress,
  list,
  secretSetting,
  setting,
  webAddress,
  whole,
} from '../../kernel/setting.ts'
import { type Price, parsePrice } from '../../kernel/x402/price.ts'
import type { Goods } from './domain/facilitation.ts'

const price = (value: string): Price => {
  const found = parsePrice(value)
  if (!found) throw new BadSetting('must be an amount with its unit, as `0.001 nano` or `0.01 USD`')
  return found
}

/** Names of actions, each with `=` and its own price where it has one. */
const pricedActions = (value: string) =>
  list(value).map((entry) => {
    const [name = '', own] = entry.split('=')
    return { name: name.trim(), price: own === undefined ? undefined : price(own) }
  })

const networkId = (value: string) => {
  if (!/^[a-z0-9-]{3,8}:[A-Za-z0-9_-]{1,32}$/.test(value)) throw new BadSetting('must look like nano:mainnet')
  return value
}

export const X402_SETTINGS = {
  x402PayTo: setting(
    'X402_PAY_TO',
    '',
    ledgerAddress,
    'Address that receives pay-per-request payments, and nothing else; without one nothing is sold by request, except on the development ledger, where the treasury is paid.',
  ),
  x402Actions: setting(
    'X402_ACTIONS',
    'work_generate',
    pricedActions,
    'Actions sold by request, separated by commas; `name=0.01 nano` gives one its own price.',
  ),
  x402Price: setting(
    'X402_PRICE',
    '0.001 nano',
    price,
    'Price of one request: an amount in `nano`, `raw` or a currency such as `USD`.',
  ),
  x402Network: setting('X402_NETWORK', 'nano:mainnet', networkId, 'Name of the ledger in pay-per-request payments.'),
  x402TimeoutSeconds: setting(
    'X402_TIMEOUT_SECONDS',
    '60',
    whole(1, 600),
    'Longest wait for the confirmation of a pay-per-request payment, in seconds.',
  ),
  x402FacilitatorUrl: secretSetting(
    'X402_FACILITATOR_URL',
    '',
    webAddress,
    'Facilitator that settles pay-per-request payments; without one the gateway settles them with its nodes.',
  ),
} as const

export type X402Settings = ValuesOf<typeof X402_SETTINGS>

/** The actions with prices. Throws for a price that cannot be charged. */
export function readGoods(
  { x402Actions, x402Price }: Pick<X402Settings, 'x402Actions' | 'x402Price'>,
  actions: readonly Action[],
  rates: Prices | undefined,
): Goods {
  return new Map(
    x402Actions.map(({ name, price = x402Price }) => {
      const action = actions.find((one) => one.name === name || one.synonyms?.includes(name))
      if (!action) throw new Error(`X402_ACTIONS names ${name}, which is not an action.`)
      // A caller who pays by request has no key.
      if (action.auth !== 'none') throw new Error(`X402_ACTIONS names ${name}, which needs an API key.`)
      if ('currency' in price && !rates?.currencies.includes(price.currency)) {
        throw new Error(`The price of ${name} is in ${price.currency}, and there is no source of prices for that.`)
      }
      // Paid once, it could happen twice after a crash.
      if (action.once || action.onceWhen) throw new Error(`X402_ACTIONS names ${name}, which makes or moves something.`)
      return [action.name, { action, price }]
    }),
  )
}

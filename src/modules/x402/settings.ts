import {
  type ValuesOf,
  BadSetting,
  ledgerAddress,
  list,
  secretSetting,
  setting,
  webAddress,
  whole,
} from '../../kernel/setting.ts'
import { type Price, parsePrice } from '../../kernel/x402/price.ts'

const price = (value: string): Price => {
  const found = parsePrice(value)
  if (!found) throw new BadSetting('must be an amount with its unit, as `0.001 nano` or `0.01 USD`')
  return found
}

/** Names of actions, each with its own price behind a `=` where it has one. */
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
    'Facilitator that settles pay-per-request payments; without one the nodes do.',
  ),
} as const

export type X402Settings = ValuesOf<typeof X402_SETTINGS>

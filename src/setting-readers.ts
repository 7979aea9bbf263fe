import { parsePeriod } from './kernel/lease-period.ts'
import { parseNano } from './kernel/money.ts'
import { fromAddress, toAddress } from './kernel/nano/address.ts'
import type { CreditPlan, NamePlan } from './kernel/sales.ts'
import { type Price, parsePrice } from './kernel/x402/price.ts'

/** One setting: where it comes from, what it means, and how its text is read. */
export interface Setting<T> {
  env: string
  fallback: string
  doc: string
  read(text: string): T
}

/** The text of a setting cannot be meant; the message says what it must be, and never repeats it. */
export class BadSetting extends Error {}

export const text = (value: string) => value
export const whole =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (value: string) => {
    const number = Number(value)
    if (!/^[0-9]+$/.test(value) || number < minimum || number > maximum) {
      throw new BadSetting(`must be a whole number from ${minimum} to ${maximum}`)
    }
    return number
  }
/** A number, or the least and the most of it: `50-300`. */
export const span =
  (maximum: number) =>
  (value: string): readonly [number, number] => {
    const [least = '', most = least, ...more] = value.split('-')
    const read = whole(0, maximum)
    if (more.length > 0 || Number(most) < Number(least)) throw new BadSetting('must be a number, or two as in 50-300')
    return [read(least), read(most)]
  }
export const positive = (value: string) => {
  if (!/^[0-9]{1,12}(\.[0-9]{1,12})?$/.test(value) || Number(value) === 0)
    throw new BadSetting('must be a number above 0')
  return Number(value)
}
export const flag = (value: string) => {
  if (['true', '1', 'on', 'yes'].includes(value)) return true
  if (['false', '0', 'off', 'no', ''].includes(value)) return false
  throw new BadSetting('must be true or false')
}
export const oneOf =
  <T extends string>(...values: T[]) =>
  (value: string) => {
    const found = values.find((known) => known === value)
    if (found === undefined) throw new BadSetting(`must be one of ${values.join(', ')}`)
    return found
  }
export const list = (value: string) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
export const nodes = (value: string) => {
  const named = list(value)
  if (named.length === 0) throw new BadSetting('must name a node, or be `devnet:` for the embedded ledger')
  return named
}
/** Like a list, but an empty place keeps its neighbours where they are. */
export const slots = (value: string) =>
  value.split(',').map((entry) => (entry.trim() === '' ? undefined : entry.trim()))
export const database = (value: string) => {
  if (value !== '' && !/^(sqlite:.|postgres(ql)?:\/\/.)/.test(value)) {
    throw new BadSetting('must begin with sqlite: or postgres://')
  }
  return value
}
export const webAddress = (value: string) => {
  if (value === '') return undefined
  if (!URL.canParse(value) || !/^https?:/.test(value)) throw new BadSetting('must be an http or https address')
  return value.replace(/\/+$/, '')
}
export const webAddresses = (value: string) =>
  list(value).map((entry) => {
    if (!URL.canParse(entry) || !/^https?:/.test(entry)) throw new BadSetting('must be http or https addresses')
    return entry
  })
export const record = (value: string): Record<string, string> => {
  try {
    const parsed: unknown = JSON.parse(value)
    if (typeof parsed === 'object' && parsed !== null && Object.values(parsed).every((v) => typeof v === 'string')) {
      return parsed as Record<string, string>
    }
  } catch {
    // Falls through to the one message.
  }
  throw new BadSetting('must be a JSON object of texts')
}
export const records = (value: string): Record<string, Record<string, string>> => {
  try {
    const parsed: unknown = JSON.parse(value)
    if (typeof parsed === 'object' && parsed !== null) {
      return Object.fromEntries(Object.entries(parsed).map(([name, own]) => [name, record(JSON.stringify(own))]))
    }
  } catch {
    // Falls through to the one message.
  }
  throw new BadSetting('must be a JSON object of JSON objects of texts')
}

const REP_FACTS = ['alias', 'website', 'location', 'donation_address'] as const
export const knownReps = (value: string) => {
  const entries = Object.entries(records(value)).map(([address, facts]) => {
    const known = REP_FACTS.filter((name) => facts[name] !== undefined).map((name) => [name, facts[name]])
    return [address, Object.fromEntries(known) as Partial<Record<(typeof REP_FACTS)[number], string>>]
  })
  return Object.fromEntries(entries) as Record<string, Partial<Record<(typeof REP_FACTS)[number], string>>>
}

const PRICE_PROVIDERS = ['auto', 'sandbox', 'coingecko', 'kraken'] as const
export const priceProviders = (value: string) => {
  const names = list(value).map(oneOf(...PRICE_PROVIDERS))
  const isAlone = names.length === 1
  if (names.length === 0 || (!isAlone && (names.includes('sandbox') || names.includes('auto')))) {
    throw new BadSetting('must be auto, sandbox, or coingecko and kraken')
  }
  return names
}

export const setting = <T>(env: string, fallback: string, read: (text: string) => T, doc: string): Setting<T> => ({
  env,
  fallback,
  doc,
  read,
})

export const secretKey = (value: string) => {
  if (value === '') return undefined
  const key = Buffer.from(value, 'base64')
  if (key.length !== 32) throw new BadSetting('must be 32 bytes in base64')
  return key
}
export const bearerToken = (value: string) => {
  if (value === '') return undefined
  if (!/^[\w.~+/=-]{16,}$/.test(value)) throw new BadSetting('must be 16 or more letters, digits or any of -._~+/=')
  return value
}
export const automatic = (value: string) => (value === 'auto' ? ('auto' as const) : flag(value))
export const price = (value: string): Price => {
  const found = parsePrice(value)
  if (!found) throw new BadSetting('must be an amount with its unit, as `0.001 nano` or `0.01 USD`')
  return found
}
/** Names of actions, each with its own price behind a `=` where it has one. */
export const pricedActions = (value: string) =>
  list(value).map((entry) => {
    const [name = '', own] = entry.split('=')
    return { name: name.trim(), price: own === undefined ? undefined : price(own) }
  })
export const networkId = (value: string) => {
  if (!/^[a-z0-9-]{3,8}:[A-Za-z0-9_-]{1,32}$/.test(value)) throw new BadSetting('must look like nano:mainnet')
  return value
}

export const redis = (value: string) => {
  if (value !== '' && !/^rediss?:\/\/./.test(value)) throw new BadSetting('must begin with redis:// or rediss://')
  return value
}

export const nano = (value: string) => {
  const raw = parseNano(value)
  if (raw === undefined) throw new BadSetting('must be an amount of nano')
  return raw
}
export const ledgerAddress = (value: string) => {
  if (value === '') return undefined
  const key = fromAddress(value)
  if (key === undefined) throw new BadSetting('must be a Nano address')
  return toAddress(key)
}
/** The smallest price that a unique amount can be made of. */
const PRICE_MIN = 10n ** 24n
/** What is sold, each with its price in nano behind a `=`. */
const priced = (value: string) =>
  list(value).map((entry) => {
    const [name = '', text = ''] = entry.split('=').map((part) => part.trim())
    const price = parseNano(text)
    if (price === undefined || price < PRICE_MIN) throw new BadSetting('needs prices of 0.000001 nano or more')
    return { name, price }
  })
const PLANS_MAX = 20
export const namePlans = (value: string): NamePlan[] => {
  const plans = priced(value).map(({ name: title, price }) => {
    const period = parsePeriod(title)
    if (!period) throw new BadSetting('must look like `1 Month=0.05, 1 Year=0.3`')
    return { title, period, price }
  })
  if (plans.length === 0 || plans.length > PLANS_MAX) throw new BadSetting(`must have 1 to ${PLANS_MAX} plans`)
  return plans
}
export const creditPlans = (value: string): CreditPlan[] => {
  const plans = priced(value).map(({ name, price }) => ({ credits: whole(1, 1_000_000_000)(name), price }))
  if (plans.length === 0 || plans.length > PLANS_MAX) throw new BadSetting(`must have 1 to ${PLANS_MAX} plans`)
  return plans
}
export const priceInNano = (value: string) => {
  const price = nano(value)
  if (price < PRICE_MIN) throw new BadSetting('must be 0.000001 nano or more')
  return price
}
const MASTER_KEY_BYTES = 32
export const masterKeys = (value: string) => {
  // One on each line, as in the file that a gateway makes by itself.
  const keys = list(value.replaceAll('\n', ',')).map((entry) => {
    const [id = '', base64 = '', ...more] = entry.split(':')
    const key = Buffer.from(base64, 'base64')
    const isWhole = /^[\w-]{1,64}$/.test(id) && more.length === 0 && key.length === MASTER_KEY_BYTES
    if (!isWhole) throw new BadSetting('must be a list of id:base64, each of 32 bytes')
    if (key.every((byte) => byte === key[0])) throw new BadSetting('has a key that anybody could guess')
    return { id, key: new Uint8Array(key) }
  })
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new BadSetting('names a key twice')
  return keys
}

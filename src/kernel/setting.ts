import { parseNano } from './money.ts'
import { fromAddress, toAddress } from './nano/address.ts'

/** One setting: its name, its meaning, and how its text is read. */
export interface Setting<T> {
  env: string
  fallback: string
  doc: string
  read(text: string): T
  /** Whether its value is a credential: it is then never shown, and may be read from a file. */
  secret: boolean
}

/** The values of a group of settings. */
export type ValuesOf<G> = { readonly [K in keyof G]: G[K] extends Setting<infer T> ? T : never }

export const setting = <T>(env: string, fallback: string, read: (text: string) => T, doc: string): Setting<T> => ({
  env,
  fallback,
  doc,
  read,
  secret: false,
})

export const secretSetting: typeof setting = (...of) => ({ ...setting(...of), secret: true })

/** The text of a setting is invalid. The message says what is allowed, and never repeats the text. */
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
    // Continues with the general message below.
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
    // Continues with the general message below.
  }
  throw new BadSetting('must be a JSON object of JSON objects of texts')
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

/** The lowest price for which there are enough unique amounts. */
export const PRICE_MIN = 10n ** 24n

/** Things for sale, each followed by `=` and its price in nano. */
export const priced = (value: string) =>
  list(value).map((entry) => {
    const [name = '', text = ''] = entry.split('=').map((part) => part.trim())
    const price = parseNano(text)
    if (price === undefined || price < PRICE_MIN) throw new BadSetting('needs prices of 0.000001 nano or more')
    return { name, price }
  })

export const PLANS_MAX = 20

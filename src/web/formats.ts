import { formatNano } from '../kernel/money.ts'

const DECIMALS_MAX = 30
/** The region decides first, because a language may be spoken in countries with another currency. */
const CURRENCY_OF_REGION: Record<string, string> = {
  US: 'USD',
  GB: 'GBP',
  CA: 'CAD',
  AU: 'AUD',
  CH: 'CHF',
  BR: 'BRL',
  MX: 'MXN',
  JP: 'JPY',
  CN: 'CNY',
  ES: 'EUR',
  FR: 'EUR',
  DE: 'EUR',
  AT: 'EUR',
  PT: 'EUR',
  IE: 'EUR',
  BE: 'EUR',
  SA: 'SAR',
  AE: 'AED',
  EG: 'EGP',
}

/** The currency that a payer most likely uses, of those that have a price. */
export function currencyOf(locale: string, known: readonly string[]): string | undefined {
  const { region } = new Intl.Locale(locale).maximize()
  return [CURRENCY_OF_REGION[region ?? ''], 'USD'].find((code) => code !== undefined && known.includes(code))
}

export const showNano = (locale: string, raw: bigint) => `${showDigits(locale, raw)} nano`

/** An amount of nano with all of its decimals, in the reader's digits. */
export function showDigits(locale: string, raw: bigint): string {
  // The formatter accepts exact decimal texts; its type only allows texts that look like numbers.
  const exact = formatNano(raw) as `${number}`
  return new Intl.NumberFormat(locale, { maximumFractionDigits: DECIMALS_MAX }).format(exact)
}

/** A price in a national currency, not rounded; `price` is plain decimal text. */
export function showMoney(locale: string, price: string, currency: string): string {
  const decimals = price.split('.')[1]?.length ?? 0
  try {
    const style = { style: 'currency', currency } as const
    const { minimumFractionDigits = 2 } = new Intl.NumberFormat(locale, style).resolvedOptions()
    const maximumFractionDigits = Math.max(minimumFractionDigits, decimals)
    return new Intl.NumberFormat(locale, { ...style, maximumFractionDigits }).format(price as `${number}`)
  } catch {
    return `${price} ${currency}`
  }
}

/** An approximate value, with as many decimals as its currency has. */
export function showWorth(locale: string, worth: string, currency: string): string {
  try {
    const small = Number(worth) < 0.01 && Number(worth) > 0
    return new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      ...(small && { minimumSignificantDigits: 1, maximumSignificantDigits: 2 }),
    }).format(worth as `${number}`)
  } catch {
    return `${worth} ${currency}`
  }
}

/** A time in the zone of the shop, with the zone's name; without one in UTC, which scripts convert to the reader's own zone. */
export function showTime(locale: string, milliseconds: number, timeZone: string | null = null): string {
  const style = { dateStyle: 'long', timeStyle: 'long', timeZone: timeZone ?? 'UTC' } as const
  const shown = new Intl.DateTimeFormat(locale, style).format(milliseconds)
  return timeZone === null ? shown : `${shown} (${timeZone})`
}

/** The remaining time: in hours, in minutes, or in seconds near the end, as scripts show it too. */
export function showLeft(locale: string, milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000))
  const [value, unit] =
    seconds >= 172_800
      ? ([Math.round(seconds / 86_400), 'day'] as const)
      : seconds >= 7_200
        ? ([Math.round(seconds / 3_600), 'hour'] as const)
        : ([Math.ceil(seconds / 60), 'minute'] as const)
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

export function showPercent(locale: string, percent: number): string {
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(percent / 100)
}

import type { Tariff } from '../../guard/charge.ts'
import { formatNano } from '../../kernel/money.ts'
import type { Price } from '../../kernel/x402/price.ts'
import type { Allowance } from '../../modules/accounts/index.ts'

/** What a call costs, in sentences for people. */
export function describeCost(tariff: Tariff | undefined, price: Price | undefined, counted: string): string[] {
  if (!tariff && !price) return ['It costs nothing.']
  return [
    ...(price ? [`Without a key a call costs ${describePrice(price)}, paid with the request.`] : []),
    ...(tariff ? [describeTariff(tariff, counted, price !== undefined)] : []),
  ]
}

function describePrice(price: Price): string {
  return 'raw' in price ? `${formatNano(price.raw)} nano` : `${price.value} ${price.currency}`
}

function describeTariff({ credits, free, freeFirst }: Tariff, counted: string, isSold: boolean): string {
  const amount = `${credits} ${credits === 1 ? 'credit' : 'credits'}`
  const share = free.account && describeAllowance(free.account, counted)
  const withKey = freeFirst
    ? share === undefined
      ? 'With a key it is free.'
      : `With a key ${share} are free; after that each costs ${amount}.`
    : `With a key each costs ${amount}; for an account without credits, ${share ?? 'all'} are free.`
  // If calls are sold by request, callers without a key get none for free.
  if (isSold || !free.anonymous) return withKey
  return `${withKey} Without a key, ${describeAllowance(free.anonymous, counted)} are free.`
}

const SPANS: [string, number][] = [
  ['30 days', 30 * 24 * 3_600_000],
  ['an hour', 3_600_000],
  ['half an hour', 1_800_000],
  ['a minute', 60_000],
]

function describeAllowance({ max, windowMilliseconds }: Allowance, counted: string): string {
  const span = SPANS.find(([, length]) => length === windowMilliseconds)?.[0] ?? `${windowMilliseconds / 1000} seconds`
  return `${max} ${counted} in ${span}`
}

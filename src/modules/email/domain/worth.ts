import type { Clock, Prices, Rate } from '../../../kernel/ports.ts'
import { formatFiat, worthAt } from '../../../kernel/rates.ts'
import { currencyOf, showWorth } from '../../../web/formats.ts'

/** A page is not kept waiting for a price that it only mentions, and mentions no old one. */
const WAIT = 500
const RATE_AGE_MAX = 15 * 60_000

/** About what an amount is worth to the reader; undefined while no source of prices answers. */
export async function aboutWorth(
  { prices, clock }: { prices: Prices; clock: Clock },
  amount: bigint,
  locale: string,
): Promise<string | undefined> {
  const currency = currencyOf(locale, prices.currencies)
  if (currency === undefined) return undefined
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(WAIT, () => resolve(undefined))
  const rate = await Promise.race([rateOf(prices, currency), late])
  cancel()
  if (rate === undefined || clock.now() - rate.at > RATE_AGE_MAX) return undefined
  const worth = worthAt(amount, rate.rate)
  return worth === undefined ? undefined : showWorth(locale, formatFiat(worth), currency)
}

async function rateOf(prices: Prices, currency: string): Promise<Rate | undefined> {
  try {
    return await prices.rate(currency)
  } catch {
    // It is said beside the amount, and no more than that; who asks for rates tells why there is none.
    return undefined
  }
}

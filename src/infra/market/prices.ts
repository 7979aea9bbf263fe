import { AppError } from '../../kernel/errors.ts'
import type { Clock, MarketData, Prices, Rate } from '../../kernel/ports.ts'
import { LastGood } from './last-good.ts'
import type { MarketProvider, PriceProvider } from './provider.ts'

const FRESH = 30_000
const STALE = 10 * 60_000
/** If two sources differ by more than this, neither is accepted. */
const DISAGREEMENT_PERCENT = 5
/** A price that differs by more than this factor from one accepted within a day needs a second source. */
const JUMP_FACTOR = 2
const BELIEVED = 24 * 3_600_000

interface ProvidedPricesOptions {
  clock: Clock
  /** The first one takes precedence. */
  providers: readonly PriceProvider[]
  currencies: readonly string[]
  /** Plausible prices of one nano. A price outside of the band is refused, whatever its source. */
  band(currency: string): { least: number; most: number }
  onFailure?(event: { provider: string; reason: string }): void
  onSuccess?(event: { provider: string }): void
}

interface Source {
  name: string
  rates: LastGood<ReadonlyMap<string, string>>
}

/**
 * Prices from real markets. The first source that knows a currency is used. If a second source knows it, too, the two
 * must agree; if none does, a jump is refused, because at a wrong price goods would be sold for nothing. Prices outside
 * of the band are never accepted, which also checks the first price after a start.
 */
export function providedPrices({
  clock,
  providers,
  currencies,
  band,
  onFailure,
  onSuccess,
}: ProvidedPricesOptions): Prices {
  const sources: Source[] = providers.map((provider) => ({
    name: provider.name,
    rates: new LastGood({
      clock,
      fetch: async (signal) => believable(await provider.fetchRates(currencies, signal), band),
      freshMilliseconds: FRESH,
      staleMilliseconds: STALE,
      onFailure: (reason) => onFailure?.({ provider: provider.name, reason }),
      onSuccess: () => onSuccess?.({ provider: provider.name }),
    }),
  }))
  const believed = new Map<string, Rate>()

  return {
    currencies,
    async rate(currency) {
      if (!currencies.includes(currency)) throw new AppError('invalid_currency', 'Unknown currency.')
      const found = (await Promise.all(sources.map((source) => readFrom(source, currency)))).filter((rate) => !!rate)
      const [first, second] = found
      const before = believed.get(currency)
      const age = before ? clock.now() - before.at : Infinity
      const isAbsurd = !second && before !== undefined && age < BELIEVED && first !== undefined && jumps(first, before)
      if (!first || isAbsurd || (second && differ(first.rate, second.rate))) {
        if (before && age < STALE) return before
        throw new AppError('no_price', 'No price is available. Try again in a minute.', { retryAfterSeconds: 60 })
      }
      believed.set(currency, first)
      return first
    },
  }
}

function believable(rates: ReadonlyMap<string, string>, band: ProvidedPricesOptions['band']) {
  const kept = new Map(
    [...rates].filter(([currency, rate]) => {
      const { least, most } = band(currency)
      return Number(rate) >= least && Number(rate) <= most
    }),
  )
  if (kept.size === 0) throw new Error('no price is believable')
  return kept
}

async function readFrom({ name, rates }: Source, currency: string): Promise<Rate | undefined> {
  const known = await rates.read()
  const rate = known?.value.get(currency)
  return known && rate !== undefined ? { rate, source: name, at: known.at } : undefined
}

function differ(a: string, b: string): boolean {
  const [low, high] = [Number(a), Number(b)].sort((x, y) => x - y) as [number, number]
  return (high - low) * 100 > low * DISAGREEMENT_PERCENT
}

function jumps({ rate }: Rate, before: Rate): boolean {
  const factor = Number(rate) / Number(before.rate)
  return factor > JUMP_FACTOR || factor < 1 / JUMP_FACTOR
}

interface MarketDataOptions {
  clock: Clock
  provider: MarketProvider
  onFailure?(event: { provider: string; reason: string }): void
  onSuccess?(event: { provider: string }): void
}

/** Market data of a provider, unless it is too old. */
export function providedMarketData({ clock, provider, onFailure, onSuccess }: MarketDataOptions): MarketData {
  const market = new LastGood({
    clock,
    fetch: (signal) => provider.fetchMarket(signal),
    freshMilliseconds: 60_000,
    staleMilliseconds: 10 * 60_000,
    onFailure: (reason) => onFailure?.({ provider: provider.name, reason }),
    onSuccess: () => onSuccess?.({ provider: provider.name }),
  })
  return {
    async read() {
      const known = await market.read()
      if (known) return known.value
      throw new AppError('no_price', 'No market data is available. Try again in a minute.', { retryAfterSeconds: 60 })
    },
  }
}

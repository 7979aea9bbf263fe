import type { Config } from '../../config/config.ts'
import { coinGecko } from './coingecko.ts'
import { kraken } from './kraken.ts'
import { providedMarketData, providedPrices } from './prices.ts'
import type { PriceProvider } from './provider.ts'
import { perDollar, sandboxMarketData, sandboxPrices } from './sandbox.ts'
import type { Clock, MarketData, Prices } from '../../kernel/ports.ts'
import { isEmbedded } from '../node/upstreams.ts'

type PriceSource = Config['priceProviders'][number]

interface MarketOptions {
  clock: Clock
  onFailure(event: { provider: string; reason: string }): void
  onSuccess?(event: { provider: string }): void
}

/** Opens the configured sources of prices. */
export function openMarketSources(
  config: Config,
  { clock, onFailure, onSuccess }: MarketOptions,
): { prices: Prices; market: MarketData } {
  const sandbox = sandboxPrices(clock)
  // Never invented prices with a real network: a merchant would sell for real money at these prices.
  const automatic: readonly PriceSource[] = isEmbedded(config) ? ['sandbox'] : ['coingecko', 'kraken']
  const names = config.priceProviders.includes('auto') ? automatic : config.priceProviders
  if (names.includes('sandbox')) return { prices: sandbox, market: sandboxMarketData(clock) }
  const sources = {
    coingecko: coinGecko({ url: config.coinGeckoUrl, key: config.coinGeckoKey }),
    kraken: kraken({ url: config.krakenUrl }),
    // Does not compile if a source from the settings is missing here.
  } satisfies Record<Exclude<PriceSource, 'auto' | 'sandbox'>, PriceProvider>
  const isSource = (name: PriceSource): name is keyof typeof sources => Object.hasOwn(sources, name)
  const providers = names.filter(isSource).map((name) => sources[name])
  const knowsAll = names.includes('coingecko')
  return {
    prices: providedPrices({
      clock,
      providers,
      // Kraken trades nano in these two currencies only.
      currencies: knowsAll ? sandbox.currencies : ['USD', 'EUR'],
      band: (currency) => ({
        least: config.priceUsdMin * perDollar(currency),
        most: config.priceUsdMax * perDollar(currency),
      }),
      onFailure,
      ...(onSuccess && { onSuccess }),
    }),
    market: providedMarketData({ clock, provider: sources.coingecko, onFailure, ...(onSuccess && { onSuccess }) }),
  }
}

import { AppError } from '../../kernel/errors.ts'
import type { Clock, MarketData } from '../../kernel/ports.ts'
import { LastGood } from './last-good.ts'
import type { MarketProvider } from './provider.ts'

interface MarketDataOptions {
  clock: Clock
  provider: MarketProvider
  onFailure?(event: { provider: string; reason: string }): void
  onSuccess?(event: { provider: string }): void
}

/** Market data from a provider, as long as it is not too old. */
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

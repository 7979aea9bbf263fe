import type { Failures } from '../../kernel/failures.ts'
import type { Route } from '../../kernel/route.ts'
import type { SwapProvider } from '../../kernel/swap.ts'
import { answer } from '../../kernel/answers.ts'
import type { Described } from '../../kernel/described.ts'

interface CurrencyPorts {
  /** Currencies that have a rate. */
  fiat: readonly string[]
  swaps: Pick<SwapProvider, 'currencies'> | undefined
  failures: Failures
}

export function swapRoutes({ fiat, swaps, failures }: CurrencyPorts): readonly Route[] {
  const failed = failures.failed('swap.provider')
  return [
    {
      method: 'GET',
      path: '/currencies.json',
      access: 'open',
      cacheable: true,
      // When the provider is unreachable, only its currencies are missing.
      run: async () => ({ json: { fiat, swap: (await swaps?.currencies().catch(failed)) ?? [] } }),
    },
  ]
}

const { text, list, record } = answer

export const describedSwapRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/currencies.json',
    id: 'listCurrencies',
    tag: 'market',
    summary: 'Codes of currencies for prices and swaps.',
    who: 'anybody',
    answer: record({ fiat: list(text), swap: list(text) }),
  },
]

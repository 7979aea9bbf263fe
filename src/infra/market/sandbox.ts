import { AppError } from '../../kernel/errors.ts'
import type { Clock, Prices } from '../../kernel/ports.ts'

/** Plausible and fixed, so that shops can be built and tested without a price provider. */
const RATES: Readonly<Record<string, string>> = {
  AUD: '1.52',
  BRL: '5.35',
  CAD: '1.40',
  CHF: '0.80',
  CNY: '7.12',
  CZK: '20.9',
  DKK: '6.42',
  EUR: '0.86',
  GBP: '0.76',
  HKD: '7.78',
  HUF: '331',
  IDR: '16650',
  ILS: '3.24',
  INR: '88.6',
  JPY: '154.2',
  KRW: '1456',
  MXN: '18.3',
  NOK: '10.1',
  NZD: '1.76',
  PLN: '3.64',
  SEK: '9.43',
  SGD: '1.30',
  THB: '32.4',
  TRY: '42.3',
  UAH: '42.0',
  USD: '1.00',
  ZAR: '17.1',
}

/** A market in which a nano costs a dollar for ever. Its source says that it is none. */
export function sandboxPrices(clock: Clock): Prices {
  return {
    currencies: Object.keys(RATES),
    rate: (currency) => {
      const rate = RATES[currency]
      if (rate === undefined) return Promise.reject(new AppError('invalid_currency', 'Unknown currency.'))
      return Promise.resolve({ rate, source: 'sandbox', at: clock.now() })
    },
  }
}

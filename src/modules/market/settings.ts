import { BadSetting, list, oneOf, secretSetting, setting, text } from '../../kernel/setting.ts'

const positive = (value: string) => {
  if (!/^[0-9]{1,12}(\.[0-9]{1,12})?$/.test(value) || Number(value) === 0)
    throw new BadSetting('must be a number above 0')
  return Number(value)
}

/** Sources of real prices, the most trusted first. */
const SOURCES = ['coingecko', 'kraken'] as const
// Joined by hand, because loading V8's list format takes longer than reading all other settings.
const inWords = (names: readonly string[]) =>
  names.length < 3 ? names.join(' and ') : `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`

const priceProviders = (value: string) => {
  const names = list(value).map(oneOf('auto', 'sandbox', ...SOURCES))
  const isAlone = names.length === 1
  if (names.length === 0 || (!isAlone && (names.includes('sandbox') || names.includes('auto')))) {
    throw new BadSetting(`must be auto, sandbox, or ${inWords(SOURCES)}`)
  }
  return names
}

export const MARKET_SETTINGS = {
  priceProviders: setting(
    'PRICE_PROVIDERS',
    'auto',
    priceProviders,
    `Where prices of nano come from: \`sandbox\` (invented), or ${inWords(SOURCES.map((name) => `\`${name}\``))} in order of trust, separated by commas; \`auto\` is \`sandbox\` with the development ledger and \`coingecko, kraken\` otherwise.`,
  ),
  priceUsdMin: setting(
    'PRICE_USD_MIN',
    '0.01',
    positive,
    'Lower prices are rejected; in US dollars, or the equivalent in another currency.',
  ),
  priceUsdMax: setting('PRICE_USD_MAX', '10000', positive, 'Higher prices are rejected.'),
  coinGeckoUrl: setting('COINGECKO_URL', 'https://api.coingecko.com/api/v3', text, 'Address of CoinGecko.'),
  coinGeckoKey: secretSetting('COINGECKO_KEY', '', text, 'Key for CoinGecko; without one, its public service is used.'),
  krakenUrl: setting('KRAKEN_URL', 'https://api.kraken.com', text, 'Address of Kraken.'),
} as const

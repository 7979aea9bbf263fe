import { resolve } from 'node:path'
import { parsePeriod } from './kernel/lease-period.ts'
import { parseNano } from './kernel/money.ts'
import { fromAddress, toAddress } from './kernel/nano/address.ts'
import type { CreditPlan, NamePlan } from './kernel/sales.ts'
import { type Price, parsePrice } from './kernel/x402/price.ts'

/** One setting: where it comes from, what it means, and how its text is read. */
interface Setting<T> {
  env: string
  fallback: string
  doc: string
  read(text: string): T
}

class BadSetting extends Error {}

const text = (value: string) => value
const whole =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (value: string) => {
    const number = Number(value)
    if (!/^[0-9]+$/.test(value) || number < minimum || number > maximum) {
      throw new BadSetting(`must be a whole number from ${minimum} to ${maximum}`)
    }
    return number
  }
const positive = (value: string) => {
  if (!/^[0-9]{1,12}(\.[0-9]{1,12})?$/.test(value) || Number(value) === 0)
    throw new BadSetting('must be a number above 0')
  return Number(value)
}
const flag = (value: string) => {
  if (['true', '1', 'on', 'yes'].includes(value)) return true
  if (['false', '0', 'off', 'no', ''].includes(value)) return false
  throw new BadSetting('must be true or false')
}
const oneOf =
  <T extends string>(...values: T[]) =>
  (value: string) => {
    const found = values.find((known) => known === value)
    if (found === undefined) throw new BadSetting(`must be one of ${values.join(', ')}`)
    return found
  }
const list = (value: string) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
/** Like a list, but an empty place keeps its neighbours where they are. */
const slots = (value: string) => value.split(',').map((entry) => (entry.trim() === '' ? undefined : entry.trim()))
const database = (value: string) => {
  if (value !== '' && !/^(sqlite:.|postgres(ql)?:\/\/.)/.test(value)) {
    throw new BadSetting('must begin with sqlite: or postgres://')
  }
  return value
}
const webAddress = (value: string) => {
  if (value === '') return undefined
  if (!URL.canParse(value) || !/^https?:/.test(value)) throw new BadSetting('must be an http or https address')
  return value.replace(/\/+$/, '')
}
const webAddresses = (value: string) =>
  list(value).map((entry) => {
    if (!URL.canParse(entry) || !/^https?:/.test(entry)) throw new BadSetting('must be http or https addresses')
    return entry
  })
const record = (value: string): Record<string, string> => {
  try {
    const parsed: unknown = JSON.parse(value)
    if (typeof parsed === 'object' && parsed !== null && Object.values(parsed).every((v) => typeof v === 'string')) {
      return parsed as Record<string, string>
    }
  } catch {
    // Falls through to the one message.
  }
  throw new BadSetting('must be a JSON object of texts')
}
const records = (value: string): Record<string, Record<string, string>> => {
  try {
    const parsed: unknown = JSON.parse(value)
    if (typeof parsed === 'object' && parsed !== null) {
      return Object.fromEntries(Object.entries(parsed).map(([name, own]) => [name, record(JSON.stringify(own))]))
    }
  } catch {
    // Falls through to the one message.
  }
  throw new BadSetting('must be a JSON object of JSON objects of texts')
}

const REP_FACTS = ['alias', 'website', 'location', 'donation_address'] as const
const knownReps = (value: string) => {
  const entries = Object.entries(records(value)).map(([address, facts]) => {
    const known = REP_FACTS.filter((name) => facts[name] !== undefined).map((name) => [name, facts[name]])
    return [address, Object.fromEntries(known) as Partial<Record<(typeof REP_FACTS)[number], string>>]
  })
  return Object.fromEntries(entries) as Record<string, Partial<Record<(typeof REP_FACTS)[number], string>>>
}

const PRICE_PROVIDERS = ['auto', 'sandbox', 'coingecko', 'kraken'] as const
const priceProviders = (value: string) => {
  const names = list(value).map(oneOf(...PRICE_PROVIDERS))
  const isAlone = names.length === 1
  if (names.length === 0 || (!isAlone && (names.includes('sandbox') || names.includes('auto')))) {
    throw new BadSetting('must be auto, sandbox, or coingecko and kraken')
  }
  return names
}

const setting = <T>(env: string, fallback: string, read: (text: string) => T, doc: string): Setting<T> => ({
  env,
  fallback,
  doc,
  read,
})

const secretKey = (value: string) => {
  if (value === '') return undefined
  const key = Buffer.from(value, 'base64')
  if (key.length !== 32) throw new BadSetting('must be 32 bytes in base64')
  return key
}
const automatic = (value: string) => (value === 'auto' ? ('auto' as const) : flag(value))
const price = (value: string): Price => {
  const found = parsePrice(value)
  if (!found) throw new BadSetting('must be an amount with its unit, as `0.001 nano` or `0.01 USD`')
  return found
}
/** Names of actions, each with its own price behind a `=` where it has one. */
const pricedActions = (value: string) =>
  list(value).map((entry) => {
    const [name = '', own] = entry.split('=')
    return { name: name.trim(), price: own === undefined ? undefined : price(own) }
  })
const networkId = (value: string) => {
  if (!/^[a-z0-9-]{3,8}:[A-Za-z0-9_-]{1,32}$/.test(value)) throw new BadSetting('must look like nano:mainnet')
  return value
}

const redis = (value: string) => {
  if (value !== '' && !/^rediss?:\/\/./.test(value)) throw new BadSetting('must begin with redis:// or rediss://')
  return value
}

const nano = (value: string) => {
  const raw = parseNano(value)
  if (raw === undefined) throw new BadSetting('must be an amount of nano')
  return raw
}
const ledgerAddress = (value: string) => {
  if (value === '') return undefined
  const key = fromAddress(value)
  if (key === undefined) throw new BadSetting('must be a Nano address')
  return toAddress(key)
}
/** The smallest price that a unique amount can be made of. */
const PRICE_MIN = 10n ** 24n
/** What is sold, each with its price in nano behind a `=`. */
const priced = (value: string) =>
  list(value).map((entry) => {
    const [name = '', text = ''] = entry.split('=').map((part) => part.trim())
    const price = parseNano(text)
    if (price === undefined || price < PRICE_MIN) throw new BadSetting('needs prices of 0.000001 nano or more')
    return { name, price }
  })
const PLANS_MAX = 20
const namePlans = (value: string): NamePlan[] => {
  const plans = priced(value).map(({ name: title, price }) => {
    const period = parsePeriod(title)
    if (!period) throw new BadSetting('must look like `1 Month=0.05, 1 Year=0.3`')
    return { title, period, price }
  })
  if (plans.length === 0 || plans.length > PLANS_MAX) throw new BadSetting(`must have 1 to ${PLANS_MAX} plans`)
  return plans
}
const creditPlans = (value: string): CreditPlan[] => {
  const plans = priced(value).map(({ name, price }) => ({ credits: whole(1, 1_000_000_000)(name), price }))
  if (plans.length === 0 || plans.length > PLANS_MAX) throw new BadSetting(`must have 1 to ${PLANS_MAX} plans`)
  return plans
}
const priceInNano = (value: string) => {
  const price = nano(value)
  if (price < PRICE_MIN) throw new BadSetting('must be 0.000001 nano or more')
  return price
}
const MASTER_KEY_BYTES = 32
const masterKeys = (value: string) => {
  const keys = list(value).map((entry) => {
    const [id = '', base64 = '', ...more] = entry.split(':')
    const key = Buffer.from(base64, 'base64')
    const isWhole = /^[\w-]{1,64}$/.test(id) && more.length === 0 && key.length === MASTER_KEY_BYTES
    if (!isWhole) throw new BadSetting('must be a list of id:base64, each of 32 bytes')
    if (key.every((byte) => byte === key[0])) throw new BadSetting('has a key that anybody could guess')
    return { id, key: new Uint8Array(key) }
  })
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new BadSetting('names a key twice')
  return keys
}

/** Every setting of the service. Each default works on a laptop; the printed table and the documents come from here. */
const SETTINGS = {
  port: setting('PORT', '8080', whole(0, 65_535), 'Port of the gateway.'),
  host: setting('HOST', '127.0.0.1', text, 'Address the gateway listens on.'),
  dataDir: setting('DATA_DIR', './data', (value) => resolve(value), 'Folder of everything the gateway keeps.'),
  baseUrl: setting('BASE_URL', '', webAddress, 'Public address of the gateway; unset, its own.'),
  checkoutUrl: setting('CHECKOUT_URL', '', webAddress, 'Public address of payment pages; unset, BASE_URL.'),
  apiUrl: setting('API_URL', '', webAddress, 'Public address of check and record links; unset, BASE_URL.'),
  explorerUrl: setting(
    'EXPLORER_URL',
    'https://nanolooker.com/block/',
    text,
    'Where people look at a block: its hash is put behind this.',
  ),
  checkoutLifetimeHours: setting('CHECKOUT_LIFETIME_HOURS', '24', whole(1, 8_760), 'How long a checkout can be paid.'),
  checkoutGeneratedWallets: setting(
    'CHECKOUT_GENERATED_WALLETS',
    '',
    list,
    'Accounts whose checkouts may have wallets of their own, separated by commas; `all` is every account.',
  ),
  checkoutOpenMax: setting(
    'CHECKOUT_OPEN_MAX',
    '1000',
    whole(0),
    'Open checkouts of an account on one address; 0 is no limit.',
  ),
  checkoutOpenAnonymousMax: setting(
    'CHECKOUT_OPEN_ANONYMOUS_MAX',
    '20',
    whole(0),
    'The same for all callers without a key together.',
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    '',
    database,
    'The store: `sqlite:<file>` or `postgres://…`; unset, a file in DATA_DIR.',
  ),
  smtpUrl: setting('SMTP_URL', '', text, 'Mail server; unset, mail is kept in the store and shown by `mail list`.'),
  mailFrom: setting('MAIL_FROM', 'nano-gateway <noreply@localhost>', text, 'Sender of mail.'),
  secretKey: setting(
    'SECRET_KEY',
    '',
    secretKey,
    'Seals the secrets in the store: 32 bytes in base64, the same for all instances; unset, a file in DATA_DIR.',
  ),
  webhookAllowPrivate: setting(
    'WEBHOOK_ALLOW_PRIVATE',
    'auto',
    automatic,
    'Whether webhooks may go to private networks and plain http; auto: only when the embedded ledger is the only node.',
  ),
  nodeUrls: setting(
    'NODE_URLS',
    'devnet:',
    list,
    'Nodes, separated by commas; `devnet:` is the embedded ledger. Options follow a `#`: name, role (primary or fallback), weight.',
  ),
  nodeWsUrls: setting('NODE_WS_URLS', '', slots, 'Websockets of the same nodes, in the same order.'),
  nodeHeaders: setting('NODE_HEADERS', '{}', records, 'Headers for nodes by name, as JSON; credentials belong here.'),
  nodeConnectionsMax: setting('NODE_CONNECTIONS_MAX', '64', whole(1, 10_000), 'Connections to each node.'),
  nodeNetwork: setting(
    'NODE_NETWORK',
    'live',
    oneOf('live', 'beta', 'dev'),
    'Network of the nodes, for work thresholds; the embedded ledger is always dev.',
  ),
  devnetPort: setting('DEVNET_PORT', '0', whole(0, 65_535), 'RPC port of the embedded ledger; 0 takes any free one.'),
  devnetWsPort: setting('DEVNET_WS_PORT', '0', whole(0, 65_535), 'Websocket port of the embedded ledger; 0 as above.'),
  devnetConfirmMilliseconds: setting(
    'DEVNET_CONFIRM_MS',
    '0',
    whole(0, 3_600_000),
    'Time until the embedded ledger confirms a block.',
  ),
  knownFile: setting(
    'KNOWN_FILE',
    '',
    text,
    'File of built-in usernames, aliases and reserved words, as JSON; unset, the one that comes with the gateway.',
  ),
  knownNames: setting('KNOWN_NAMES', '{}', record, 'Further built-in usernames, as JSON: name → address.'),
  namePlans: setting(
    'NAME_PLANS',
    '2 Days=0.01, 1 Month=0.05, 1 Year=0.3, 2 Years=0.5, 5 Years=3, 10 Years=10',
    namePlans,
    'For how much usernames are leased, in nano.',
  ),
  nameUpdatePrice: setting('NAME_UPDATE_PRICE', '0.001', priceInNano, 'What a change of a username costs, in nano.'),
  creditPlans: setting(
    'CREDIT_PLANS',
    '1000=0.2, 10000=2, 20000=4',
    creditPlans,
    'For how much credits are sold: their number and the price in nano.',
  ),
  offersPerDayMax: setting(
    'OFFERS_PER_DAY_MAX',
    '1000',
    whole(0),
    'Offers of names, changes and credits that one caller may ask for in a day; 0 is no limit.',
  ),
  knownReps: setting(
    'KNOWN_REPS',
    '{}',
    knownReps,
    'Known representatives, as JSON: address → { alias, website, location, donation_address }.',
  ),
  priceProviders: setting(
    'PRICE_PROVIDERS',
    'auto',
    priceProviders,
    'Who says what nano costs: `sandbox` (invented), or `coingecko` and `kraken` in the order of trust, separated by commas; auto is `sandbox` with the embedded ledger and both others without.',
  ),
  priceUsdMin: setting(
    'PRICE_USD_MIN',
    '0.01',
    positive,
    'A price below, in dollars or its like in other money, is not believed.',
  ),
  priceUsdMax: setting('PRICE_USD_MAX', '10000', positive, 'A price above is not believed.'),
  coinGeckoUrl: setting('COINGECKO_URL', 'https://api.coingecko.com/api/v3', text, 'Address of CoinGecko.'),
  coinGeckoKey: setting('COINGECKO_KEY', '', text, 'Key for CoinGecko; unset, the public service.'),
  krakenUrl: setting('KRAKEN_URL', 'https://api.kraken.com', text, 'Address of Kraken.'),
  swapProvider: setting(
    'SWAP_PROVIDER',
    'sandbox',
    oneOf('sandbox', 'nanswap', 'none'),
    'Who exchanges currencies: `sandbox` (only with the embedded ledger), `nanswap`, or `none`.',
  ),
  swapUrl: setting('SWAP_URL', 'https://api.nanswap.com/v1', text, 'Address of the swap service.'),
  swapKey: setting('SWAP_KEY', '', text, 'Key for the swap service.'),
  cacheBytesMax: setting('CACHE_BYTES_MAX', '67108864', whole(0), 'Memory for remembered answers; 0 switches it off.'),
  bodyBytesMax: setting('BODY_BYTES_MAX', '1048576', whole(1_024), 'Largest request body.'),
  countMax: setting('COUNT_MAX', '1000', whole(1, 100_000), 'Most entries one answer lists.'),
  findDepthMax: setting('FIND_DEPTH_MAX', '1000', whole(1, 100_000), 'How deep find_block looks.'),
  concurrencyMax: setting('CONCURRENCY_MAX', '2000', whole(1), 'Requests worked on at once; more are answered 503.'),
  requestTimeoutMilliseconds: setting(
    'REQUEST_TIMEOUT_MS',
    '30000',
    whole(1_000),
    'Longest time a client may take to send its request.',
  ),
  drainNoticeMilliseconds: setting(
    'DRAIN_NOTICE_MS',
    '0',
    whole(0, 600_000),
    'How long a gateway that stops still takes requests while `/health/ready` says 503; longer than a balancer takes to notice.',
  ),
  drainMilliseconds: setting('DRAIN_MS', '10000', whole(0), 'Time running requests get when the gateway stops.'),
  websocketClientsMax: setting('WS_CLIENTS_MAX', '10000', whole(0), 'Websocket clients at once.'),
  redisUrl: setting('REDIS_URL', '', redis, 'Shares limits between instances; unset, each has its own.'),
  instances: setting('INSTANCES', '2', whole(1), 'Instances that share limits, for the time Redis is away.'),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '',
    list,
    'Addresses or networks whose X-Forwarded-For is believed; `loopback` is this machine.',
  ),
  limitAnonymousPerMinute: setting(
    'LIMIT_ANONYMOUS_PER_MINUTE',
    '60',
    whole(0),
    'Requests a minute from one address without a key; 0 is no limit, here and below.',
  ),
  limitAnonymousConcurrency: setting(
    'LIMIT_ANONYMOUS_CONCURRENCY',
    '10',
    whole(0),
    'Requests at once from one address without a key.',
  ),
  limitFreePerMinute: setting('LIMIT_FREE_PER_MINUTE', '600', whole(0), 'Requests a minute of an account.'),
  limitFreeConcurrency: setting('LIMIT_FREE_CONCURRENCY', '50', whole(0), 'Requests at once of an account.'),
  limitPrepaidPerMinute: setting('LIMIT_PREPAID_PER_MINUTE', '3000', whole(0), 'The same for an account with credits.'),
  limitPrepaidConcurrency: setting(
    'LIMIT_PREPAID_CONCURRENCY',
    '200',
    whole(0),
    'The same for an account with credits.',
  ),
  freeWorkAnonymousPerHour: setting(
    'FREE_WORK_ANONYMOUS_PER_HOUR',
    '5',
    whole(0),
    'Work for one address without a key.',
  ),
  freeWorkPerHalfHour: setting('FREE_WORK_PER_HALF_HOUR', '30', whole(0), 'Work for an account without credits.'),
  freeSendsPerMonth: setting('FREE_SENDS_PER_MONTH', '1000', whole(0), 'Sends from cloud wallets that cost nothing.'),
  workThreads: setting(
    'WORK_THREADS',
    'auto',
    (value) => (value === 'auto' ? undefined : whole(0, 1_024)(value)),
    'Threads that look for work; auto leaves one processor free, 0 is none.',
  ),
  workUrls: setting(
    'WORK_URLS',
    '',
    webAddresses,
    'Servers that speak work_generate and work_cancel, separated by commas.',
  ),
  workNodes: setting('WORK_NODES', 'false', flag, 'Whether the nodes are asked for work too; they must allow it.'),
  workQueueSecondsMax: setting(
    'WORK_QUEUE_SECONDS_MAX',
    '60',
    whole(1, 3_600),
    'Longest queue for work that is joined; beyond it the answer is 503.',
  ),
  workWaitSecondsMax: setting('WORK_WAIT_SECONDS_MAX', '300', whole(1, 540), 'Longest wait for work altogether.'),
  workPrecompute: setting(
    'WORK_PRECOMPUTE',
    'true',
    flag,
    'Whether work for the next block of an account is made in idle time.',
  ),
  walletKeys: setting(
    'WALLET_KEYS',
    '',
    masterKeys,
    'Master keys of wallets, as `id:base64` with 32 bytes each; unset, the file `wallet-keys` in DATA_DIR.',
  ),
  walletKeyActive: setting('WALLET_KEY_ACTIVE', '', text, 'Which of WALLET_KEYS seals; unset, the last.'),
  walletSends: setting('WALLET_SENDS', 'true', flag, 'Whether wallets send; off, nothing new is signed.'),
  walletsPerAccountMax: setting('WALLETS_PER_ACCOUNT_MAX', '1000', whole(0, 10_000), 'Wallets of an account.'),
  walletSendMax: setting('WALLET_SEND_MAX_NANO', '0', nano, 'Largest send of a cloud wallet; 0 is no limit.'),
  walletDailyMax: setting(
    'WALLET_DAILY_MAX_NANO',
    '0',
    nano,
    'What an account sends in 24 hours at most; 0 is no limit.',
  ),
  walletReceiveMin: setting(
    'WALLET_RECEIVE_MIN_NANO',
    '0.000001',
    nano,
    'Smallest deposit that is received without being asked for.',
  ),
  walletReceiveAutomatic: setting(
    'WALLET_RECEIVE_AUTOMATIC',
    'false',
    flag,
    'Whether cloud wallets receive by themselves; those of the service always do.',
  ),
  walletWaitMilliseconds: setting(
    'WALLET_WAIT_MS',
    '25000',
    whole(0, 600_000),
    'How long a send may wait for its turn before it is refused.',
  ),
  walletRepresentative: setting(
    'WALLET_REPRESENTATIVE',
    '',
    ledgerAddress,
    'Representative of new wallets; unset, each is its own.',
  ),
  devnetTreasuryNano: setting(
    'DEVNET_TREASURY_NANO',
    '1000000',
    whole(0, 100_000_000),
    'What the treasury gets from the embedded ledger at its first start.',
  ),
  emailFee: setting('EMAIL_FEE_NANO', '0.1', nano, 'What each recipient of an e-mail payment after the first costs.'),
  emailRecipientsPerDayMax: setting(
    'EMAIL_RECIPIENTS_PER_DAY_MAX',
    '200',
    whole(0),
    'Recipients of e-mail payments that an account names in 24 hours; 0 is no limit.',
  ),
  emailMailsPerAddressMax: setting(
    'EMAIL_MAILS_PER_ADDRESS_MAX',
    '5',
    whole(0),
    'Mails with e-mail payments to one address in 24 hours, whoever pays; 0 is no limit.',
  ),
  faucetAmount: setting('FAUCET_NANO', '0.001', nano, 'What the faucet gives for a claim; 0 closes it.'),
  faucetDailyBudget: setting('FAUCET_DAILY_NANO', '1', nano, 'What the faucet gives away in 24 hours at most.'),
  faucetPerNetworkMax: setting(
    'FAUCET_PER_NETWORK_MAX',
    '3',
    whole(0),
    'Claims from one network (/24 or /48) in 24 hours; 0 is no limit.',
  ),
  x402PayTo: setting(
    'X402_PAY_TO',
    '',
    ledgerAddress,
    'Address that payments by request go to, and nothing else; unset, nothing is sold by request.',
  ),
  x402Actions: setting(
    'X402_ACTIONS',
    'work_generate',
    pricedActions,
    'Actions sold by request, separated by commas; `name=0.01 nano` has a price of its own.',
  ),
  x402Price: setting(
    'X402_PRICE',
    '0.001 nano',
    price,
    'Price of one request: an amount in `nano`, `raw` or a currency such as `USD`.',
  ),
  x402Network: setting('X402_NETWORK', 'nano:mainnet', networkId, 'Name of the ledger in payments by request.'),
  x402TimeoutSeconds: setting(
    'X402_TIMEOUT_SECONDS',
    '60',
    whole(1, 600),
    'Longest wait for the confirmation of a payment by request.',
  ),
  x402FacilitatorUrl: setting(
    'X402_FACILITATOR_URL',
    '',
    webAddress,
    'Facilitator that settles payments by request; unset, the nodes do.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug'),
    'How much is logged.',
  ),
  metrics: setting('METRICS', 'true', flag, 'Whether /metrics is served.'),
} as const

type Settings = typeof SETTINGS
export type Config = { readonly [K in keyof Settings]: ReturnType<Settings[K]['read']> }

export interface SettingRow {
  name: string
  value: string
  default: string
  meaning: string
}

/** Settings whose values carry credentials. */
const SECRET = new Set([
  'NODE_HEADERS',
  'WORK_URLS',
  'DATABASE_URL',
  'SMTP_URL',
  'REDIS_URL',
  'COINGECKO_KEY',
  'SWAP_KEY',
  'WALLET_KEYS',
  'SECRET_KEY',
  'X402_FACILITATOR_URL',
])

/** Reads the environment once. A wrong value is told by its name, never by its content. */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const entries = Object.entries(SETTINGS).map(([key, { env: name, fallback, read }]) => {
    try {
      return [key, read(env[name] ?? fallback)]
    } catch (error) {
      if (error instanceof BadSetting) throw new Error(`${name} ${error.message}.`, { cause: error })
      throw error
    }
  })
  return Object.freeze(Object.fromEntries(entries)) as Config
}

/** Every setting with its current value, default and meaning; secrets are not shown. */
export function describeConfig(env: Readonly<Record<string, string | undefined>> = process.env): SettingRow[] {
  return Object.values(SETTINGS).map(({ env: name, fallback, doc }) => ({
    name,
    value: SECRET.has(name) && env[name] !== undefined ? '(set)' : (env[name] ?? fallback),
    default: fallback,
    meaning: doc,
  }))
}

import { RETENTION_SETTINGS } from '../kernel/retention.ts'
import { INFRA_SETTINGS } from '../infra/settings.ts'
import { TRACE_SETTINGS } from '../infra/traces/settings.ts'
import { DEVNET_SETTINGS } from '../devnet/settings.ts'
import { LIMIT_SETTINGS } from '../guard/settings.ts'
import { NAME_SETTINGS } from '../modules/names/settings.ts'
import { ACCOUNT_SETTINGS } from '../modules/accounts/settings.ts'
import { LEDGER_SETTINGS } from '../modules/ledger/settings.ts'
import { MARKET_SETTINGS } from '../modules/market/settings.ts'
import { REPRESENTATIVE_SETTINGS } from '../modules/reps/settings.ts'
import { WEBHOOK_SETTINGS } from '../modules/webhooks/settings.ts'
import { WORK_SETTINGS } from '../modules/work/settings.ts'
import { X402_SETTINGS } from '../modules/x402/settings.ts'
import { WALLET_SETTINGS } from '../modules/wallets/settings.ts'
import { CHECKOUT_SETTINGS } from '../modules/checkout/settings.ts'
import { BILLING_SETTINGS } from '../modules/billing/settings.ts'
import { USERNAME_SETTINGS } from '../modules/usernames/settings.ts'
import { EMAIL_SETTINGS } from '../modules/email/settings.ts'
import { FAUCET_SETTINGS } from '../modules/faucet/settings.ts'
import { SWAP_SETTINGS } from '../modules/swap/settings.ts'
import { resolve } from 'node:path'
import { BadSetting, flag, list, oneOf, secretSetting, setting, text, webAddress, whole } from '../kernel/setting.ts'

const bearerToken = (value: string) => {
  if (value === '') return undefined
  if (!/^[\w.~+/=-]{16,}$/.test(value)) throw new BadSetting('must be 16 or more letters, digits or any of -._~+/=')
  return value
}

const SERVER_SETTINGS = {
  nodeEnv: setting('NODE_ENV', '', text, '`production`: the gateway counts as public, whatever address it listens on.'),
  port: setting('PORT', '8080', whole(0, 65_535), 'Port the gateway listens on.'),
  host: setting('HOST', '127.0.0.1', text, 'Address the gateway listens on.'),
  dataDir: setting('DATA_DIR', './data', (value) => resolve(value), 'Folder for everything the gateway stores.'),
  baseUrl: setting('BASE_URL', '', webAddress, 'Public URL of the gateway; defaults to the address it listens on.'),
  checkoutUrl: setting('CHECKOUT_URL', '', webAddress, 'Public URL of payment pages; defaults to BASE_URL.'),
  apiUrl: setting('API_URL', '', webAddress, 'Public URL of check and record links; defaults to BASE_URL.'),
  explorerUrl: setting(
    'EXPLORER_URL',
    '',
    text,
    'Block explorer: the hash of the block is appended to this URL; defaults to nanolooker.com, or to the gateway’s own page for the development ledger.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '',
    list,
    'Addresses or networks whose X-Forwarded-For is trusted; `loopback` is this machine.',
  ),
  bodyBytesMax: setting('BODY_BYTES_MAX', '1048576', whole(1_024), 'Largest request body, in bytes.'),
  concurrencyMax: setting(
    'CONCURRENCY_MAX',
    '2000',
    whole(1),
    'Requests processed at once; further ones are answered 503.',
  ),
  requestTimeoutMilliseconds: setting(
    'REQUEST_TIMEOUT_MS',
    '30000',
    whole(1_000),
    'Longest time a client may take to send its request.',
  ),
  httpFast: setting(
    'HTTP_FAST',
    'on',
    (value) => oneOf('on', 'off')(value) === 'on',
    'Whether the gateway parses common requests itself, which costs a third less than the HTTP parser of Node.js; `off` uses that for all.',
  ),
  drainNoticeMilliseconds: setting(
    'DRAIN_NOTICE_MS',
    '0',
    whole(0, 600_000),
    'How long a stopping gateway still takes requests while `/health/ready` says 503; set it longer than a load balancer takes to notice.',
  ),
  drainMilliseconds: setting(
    'DRAIN_MS',
    '10000',
    whole(0),
    'How long running requests may take to finish when the gateway stops.',
  ),
  websocketClientsMax: setting('WS_CLIENTS_MAX', '10000', whole(0), 'Most websocket clients at once.'),
  websocketClientsPerAddressMax: setting(
    'WS_CLIENTS_PER_ADDRESS_MAX',
    '100',
    whole(0),
    'Most websocket clients at once from one address; 0 means no limit.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    'info',
    oneOf('silent', 'fatal', 'error', 'warn', 'info', 'debug'),
    'How much is logged.',
  ),
  logFormat: setting(
    'LOG_FORMAT',
    'auto',
    oneOf('auto', 'json', 'pretty'),
    'Format of the log: `json`, `pretty` for people, or `auto`: pretty at a terminal and JSON elsewhere.',
  ),
  namesOfOthers: setting(
    'NAMES_OF_OTHERS',
    '',
    list,
    'Environment variables of other software whose names resemble our settings, separated by commas.',
  ),
  metrics: setting('METRICS', 'true', flag, 'Whether to serve metrics, at `/metrics` on a port of their own.'),
  metricsHost: setting(
    'METRICS_HOST',
    '127.0.0.1',
    text,
    'Address the metrics listen on; anything but loopback needs a token.',
  ),
  metricsPort: setting(
    'METRICS_PORT',
    'auto',
    (value) => (value === 'auto' ? value : whole(0, 65_535)(value)),
    'Port of the metrics; `auto` is 9464 (on a local gateway any free port if that is taken), 0 takes any free port.',
  ),
  metricsToken: secretSetting(
    'METRICS_TOKEN',
    '',
    bearerToken,
    'Token that readers of the metrics must send, as `Authorization: Bearer …`; at least 16 characters.',
  ),
} as const

/**
 * All settings. Each is declared by the module that uses it, with a default that works on a laptop. The printed table
 * and the documents are generated from this list.
 */
export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...INFRA_SETTINGS,
  ...TRACE_SETTINGS,
  ...DEVNET_SETTINGS,
  ...LIMIT_SETTINGS,
  ...NAME_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...LEDGER_SETTINGS,
  ...MARKET_SETTINGS,
  ...REPRESENTATIVE_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...WORK_SETTINGS,
  ...X402_SETTINGS,
  ...WALLET_SETTINGS,
  ...CHECKOUT_SETTINGS,
  ...BILLING_SETTINGS,
  ...USERNAME_SETTINGS,
  ...EMAIL_SETTINGS,
  ...FAUCET_SETTINGS,
  ...SWAP_SETTINGS,
  ...RETENTION_SETTINGS,
} as const

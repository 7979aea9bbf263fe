import { resolve } from 'node:path'
import { BadSetting, flag, list, oneOf, secretSetting, setting, text, webAddress, whole } from '../kernel/setting.ts'

const bearerToken = (value: string) => {
  if (value === '') return undefined
  if (!/^[\w.~+/=-]{16,}$/.test(value)) throw new BadSetting('must be 16 or more letters, digits or any of -._~+/=')
  return value
}

/** The door: where it listens, what it is called, how much it takes at once. */
export const SERVER_SETTINGS = {
  nodeEnv: setting('NODE_ENV', '', text, '`production`: this is no desk, however it is reached.'),
  port: setting('PORT', '8080', whole(0, 65_535), 'Port of the gateway.'),
  host: setting('HOST', '127.0.0.1', text, 'Address the gateway listens on.'),
  dataDir: setting('DATA_DIR', './data', (value) => resolve(value), 'Folder of everything the gateway keeps.'),
  baseUrl: setting('BASE_URL', '', webAddress, 'Public address of the gateway; unset, its own.'),
  checkoutUrl: setting('CHECKOUT_URL', '', webAddress, 'Public address of payment pages; unset, BASE_URL.'),
  apiUrl: setting('API_URL', '', webAddress, 'Public address of check and record links; unset, BASE_URL.'),
  explorerUrl: setting(
    'EXPLORER_URL',
    '',
    text,
    'Where people look at a block: its hash is put behind this; unset, nanolooker.com, or our own page for the development ledger.',
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    '',
    list,
    'Addresses or networks whose X-Forwarded-For is believed; `loopback` is this machine.',
  ),
  processes: setting(
    'PROCESSES',
    '1',
    (value) => (value === 'auto' ? value : whole(1, 256)(value)),
    'Processes that answer requests; `auto` is one for each processor. More than one needs Linux, and has one more beside them that keeps the store.',
  ),
  bodyBytesMax: setting('BODY_BYTES_MAX', '1048576', whole(1_024), 'Largest request body.'),
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
  websocketClientsPerAddressMax: setting(
    'WS_CLIENTS_PER_ADDRESS_MAX',
    '100',
    whole(0),
    'Websocket clients at once from one address; 0 is no limit.',
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
    'How the log is written: `json`, `pretty` for people, `auto` pretty at a terminal and JSON elsewhere.',
  ),
  namesOfOthers: setting(
    'NAMES_OF_OTHERS',
    '',
    list,
    'Names in the environment that are close to ours and belong to other software, separated by commas.',
  ),
  metrics: setting('METRICS', 'true', flag, 'Whether metrics are served, at `/metrics` on a port of their own.'),
  metricsHost: setting(
    'METRICS_HOST',
    '127.0.0.1',
    text,
    'Address of the metrics; another than loopback needs a token.',
  ),
  metricsPort: setting(
    'METRICS_PORT',
    'auto',
    (value) => (value === 'auto' ? value : whole(0, 65_535)(value)),
    'Port of the metrics; auto is 9464 (at the desk any free one where that is taken), 0 takes any free one.',
  ),
  metricsToken: secretSetting(
    'METRICS_TOKEN',
    '',
    bearerToken,
    'What whoever reads the metrics must show, as `Authorization: Bearer …`; 16 characters or more.',
  ),
} as const

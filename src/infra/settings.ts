import {
  BadSetting,
  flag,
  list,
  oneOf,
  records,
  secretSetting,
  setting,
  text,
  webAddresses,
  whole,
} from '../kernel/setting.ts'

const nodes = (value: string) => {
  const named = list(value)
  if (named.length === 0) throw new BadSetting('must name a node, or be `devnet:` for the development ledger')
  return named
}

/** Like a list, but an empty place keeps its neighbours where they are. */
const slots = (value: string) => value.split(',').map((entry) => (entry.trim() === '' ? undefined : entry.trim()))

const database = (value: string) => {
  if (value !== '' && !/^(sqlite:.|postgres(ql)?:\/\/.)/.test(value)) {
    throw new BadSetting('must begin with sqlite: or postgres://')
  }
  return value
}

const secretKey = (value: string) => {
  if (value === '') return undefined
  const key = Buffer.from(value, 'base64')
  if (key.length !== 32) throw new BadSetting('must be 32 bytes in base64')
  return key
}

/** Undefined is every card, none an empty list. */
const cardNumbers = (value: string): readonly number[] | undefined => {
  if (value === 'auto') return undefined
  if (value === 'none') return []
  const numbers = list(value)
  if (numbers.length === 0 || numbers.some((number) => !/^[0-9]{1,3}$/.test(number))) {
    throw new BadSetting('must be auto, none, or numbers of cards separated by commas')
  }
  return numbers.map(Number)
}

const redis = (value: string) => {
  if (value !== '' && !/^rediss?:\/\/./.test(value)) throw new BadSetting('must begin with redis:// or rediss://')
  return value
}

/** What it stands on: store, mail, nodes, memory, sources of work. */
export const INFRA_SETTINGS = {
  databaseUrl: secretSetting(
    'DATABASE_URL',
    '',
    database,
    'The store: `sqlite:<file>` or `postgres://…`; unset, a file in DATA_DIR.',
  ),
  smtpUrl: secretSetting(
    'SMTP_URL',
    '',
    text,
    'Mail server; unset, mail is kept in the store and shown by `mail list`.',
  ),
  mailFrom: setting('MAIL_FROM', 'nano-gateway <noreply@localhost>', text, 'Sender of mail.'),
  secretKey: secretSetting(
    'SECRET_KEY',
    '',
    secretKey,
    'Seals the secrets in the store: 32 bytes in base64, the same for all instances; unset, a file in DATA_DIR.',
  ),
  nodeUrls: setting(
    'NODE_URLS',
    'devnet:',
    nodes,
    'Nodes, separated by commas; `devnet:` is the development ledger. Options follow a `#`: name, role (primary or fallback), weight.',
  ),
  nodeWsUrls: setting('NODE_WS_URLS', '', slots, 'Websockets of the same nodes, in the same order.'),
  nodeHeaders: secretSetting(
    'NODE_HEADERS',
    '{}',
    records,
    'Headers for nodes by name, as JSON; credentials belong here.',
  ),
  nodeConnectionsMax: setting('NODE_CONNECTIONS_MAX', '64', whole(1, 10_000), 'Connections to each node.'),
  nodeNetwork: setting(
    'NODE_NETWORK',
    'live',
    oneOf('live', 'beta', 'dev'),
    'Network of the nodes, which decides on their first block and on work; the development ledger is always dev.',
  ),
  cacheBytesMax: setting('CACHE_BYTES_MAX', '67108864', whole(0), 'Memory for remembered answers; 0 switches it off.'),
  redisUrl: secretSetting('REDIS_URL', '', redis, 'Shares limits between instances; unset, each has its own.'),
  instances: setting('INSTANCES', '2', whole(1), 'Instances that share limits, for the time Redis is away.'),
  workThreads: setting(
    'WORK_THREADS',
    'auto',
    (value) => (value === 'auto' ? undefined : whole(0, 1_024)(value)),
    'Threads that look for work; auto leaves one processor free, 0 is none.',
  ),
  workCards: setting(
    'WORK_CARDS',
    'auto',
    cardNumbers,
    'Graphics cards that look for work: auto is all, 0,1 are the first two, none loads no driver at all.',
  ),
  workUrls: secretSetting(
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
} as const

import {
  BadSetting,
  flag,
  list,
  nano,
  oneOf,
  records,
  secretSetting,
  setting,
  text,
  webAddresses,
  whole,
} from '../kernel/setting.ts'
import { faultInPostgresUrl } from './db/postgres-hosts.ts'

const nodes = (value: string) => {
  const named = list(value)
  if (named.length === 0) throw new BadSetting('must name a node, or be `devnet:` for the development ledger')
  return named
}

/** Like a list, but an empty entry keeps its place. */
const slots = (value: string) => value.split(',').map((entry) => (entry.trim() === '' ? undefined : entry.trim()))

/** Amounts in nano, each with the number of nodes that must confirm payments of that size. */
const agreements = (value: string) =>
  list(value).map((entry) => {
    const [amount = '', nodes = '', ...rest] = entry.split(':')
    if (rest.length > 0) throw new BadSetting('must be like 100:3,5000:4')
    return { amountRaw: nano(amount), nodes: whole(1, 100)(nodes) }
  })

const database = (value: string) => {
  if (value !== '' && !/^(sqlite:.|postgres(ql)?:\/\/.)/.test(value)) {
    throw new BadSetting('must begin with sqlite: or postgres://')
  }
  const fault = value.startsWith('postgres') ? faultInPostgresUrl(value) : undefined
  if (fault !== undefined) throw new BadSetting(fault)
  return value
}

const secretKeys = (value: string): readonly Uint8Array[] => {
  const entries = value.split(/[\s,]+/).filter((entry) => entry !== '')
  entries.forEach((entry, at) => {
    if (!/^[A-Za-z0-9+/]{43}=$/.test(entry))
      throw new BadSetting(`must be 32 bytes in base64 each; key ${at + 1} is not`)
    if (entries.indexOf(entry) !== at) throw new BadSetting(`must be different keys; key ${at + 1} is there twice`)
  })
  return entries.map((entry) => Buffer.from(entry, 'base64'))
}

const secretKey = (value: string) => {
  if (value === '') return undefined
  const key = Buffer.from(value, 'base64')
  if (key.length !== 32) throw new BadSetting('must be 32 bytes in base64')
  return key
}

/** Undefined for all cards, an empty list for none. */
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

/** Settings of store, mail, nodes, memory and sources of work. */
export const INFRA_SETTINGS = {
  databaseUrl: secretSetting(
    'DATABASE_URL',
    '',
    database,
    'The store: `sqlite:<file>` or `postgres://…`, with several servers, `target_session_attrs`, `sslmode` and `direct` where needed; defaults to a file in DATA_DIR.',
  ),
  smtpUrl: secretSetting(
    'SMTP_URL',
    '',
    text,
    'Mail server; without one, mail is kept in the store and shown by `mail list`.',
  ),
  mailFrom: setting('MAIL_FROM', 'nano-gateway <noreply@localhost>', text, 'Sender of mail.'),
  secretKey: secretSetting(
    'SECRET_KEY',
    '',
    secretKey,
    'Encrypts the secrets in the store: 32 bytes in base64, the same on all instances; defaults to a file in DATA_DIR.',
  ),
  secretKeys: secretSetting(
    'SECRET_KEYS',
    '',
    secretKeys,
    'Several keys in place of SECRET_KEY, separated by commas: the first encrypts, all decrypt.',
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
    'Headers for nodes, by node name, as JSON; put credentials here.',
  ),
  nodeConnectionsMax: setting('NODE_CONNECTIONS_MAX', '64', whole(1, 10_000), 'Most connections to each node.'),
  confirmNodes: setting(
    'CONFIRM_NODES',
    'auto',
    (value) => (value === 'auto' ? undefined : whole(1, 100)(value)),
    'How many nodes must report a block as confirmed before its payment counts; `auto` is 1 if one node is named and 2 if more are.',
  ),
  confirmNodesAbove: setting(
    'CONFIRM_NODES_ABOVE',
    '',
    agreements,
    'How many nodes must confirm larger amounts: `100:3,5000:4` means three from 100 nano on and four from 5000 on.',
  ),
  confirmWaitSeconds: setting(
    'CONFIRM_WAIT',
    '10',
    whole(1, 3_600),
    'Seconds until a disagreement of nodes about a confirmation is logged. The payment counts as soon as they agree.',
  ),
  confirmAlone: setting(
    'CONFIRM_ALONE',
    'wait',
    oneOf('wait', 'allow'),
    'While only one of several nodes is healthy: `wait` for the others before a payment counts, or `allow` that one to decide.',
  ),
  proof: setting(
    'PROOF',
    'off',
    oneOf('off', 'votes'),
    'Whether payments are proved: `votes` collects the votes of representatives from the websockets of the nodes.',
  ),
  nodeNetwork: setting(
    'NODE_NETWORK',
    'live',
    oneOf('live', 'beta', 'dev'),
    'Network of the nodes, which determines their first block and the work they require; the development ledger is always dev.',
  ),
  cacheBytesMax: setting(
    'CACHE_BYTES_MAX',
    '50331648',
    whole(0),
    'Memory for cached answers, in bytes; 0 turns the cache off.',
  ),
  redisUrl: secretSetting(
    'REDIS_URL',
    '',
    redis,
    'Redis through which instances share limits; without it each instance has its own.',
  ),
  instances: setting(
    'INSTANCES',
    '2',
    whole(1),
    'Number of instances that share limits, used while Redis is unavailable.',
  ),
  workThreads: setting(
    'WORK_THREADS',
    'auto',
    (value) => (value === 'auto' ? undefined : whole(0, 1_024)(value)),
    'Threads that compute work; `auto` leaves one processor free, 0 uses none.',
  ),
  workCards: setting(
    'WORK_CARDS',
    'auto',
    cardNumbers,
    'Graphics cards that compute work: `auto` uses all, `0,1` the first two, `none` loads no driver.',
  ),
  workUrls: secretSetting(
    'WORK_URLS',
    '',
    webAddresses,
    'Work servers (work_generate and work_cancel), separated by commas.',
  ),
  workNodes: setting('WORK_NODES', 'false', flag, 'Whether to ask the nodes for work too; they must allow it.'),
  workQueueSecondsMax: setting(
    'WORK_QUEUE_SECONDS_MAX',
    '60',
    whole(1, 3_600),
    'Longest wait in the work queue, in seconds; a request that would wait longer is answered 503.',
  ),
  workWaitSecondsMax: setting(
    'WORK_WAIT_SECONDS_MAX',
    '300',
    whole(1, 540),
    'Longest total wait for work, in seconds.',
  ),
} as const

import {
  type ValuesOf,
  BadSetting,
  flag,
  ledgerAddress,
  list,
  nano,
  secretSetting,
  setting,
  text,
  whole,
} from '../../kernel/setting.ts'

const MASTER_KEY_BYTES = 32

const masterKeys = (value: string) => {
  // Keys may be on separate lines, as in the file that a gateway generates.
  const keys = list(value.replaceAll('\n', ',')).map((entry) => {
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

export const WALLET_SETTINGS = {
  walletKeys: secretSetting(
    'WALLET_KEYS',
    '',
    masterKeys,
    'Master keys of wallets, as `id:base64` with 32 bytes each; defaults to the file `wallet-keys` in DATA_DIR.',
  ),
  walletKeyActive: setting('WALLET_KEY_ACTIVE', '', text, 'Which of WALLET_KEYS encrypts; defaults to the last.'),
  walletSends: setting('WALLET_SENDS', 'true', flag, 'Whether wallets may send; when off, nothing new is signed.'),
  walletsPerAccountMax: setting('WALLETS_PER_ACCOUNT_MAX', '1000', whole(0, 10_000), 'Most wallets of an account.'),
  walletSendMax: setting('WALLET_SEND_MAX_NANO', '0', nano, 'Largest send from a cloud wallet; 0 means no limit.'),
  walletDailyMax: setting(
    'WALLET_DAILY_MAX_NANO',
    '0',
    nano,
    'Most that an account may send in 24 hours; 0 means no limit.',
  ),
  walletReceiveMin: setting(
    'WALLET_RECEIVE_MIN_NANO',
    '0.000001',
    nano,
    'Smallest deposit that is received automatically.',
  ),
  walletReceiveAutomatic: setting(
    'WALLET_RECEIVE_AUTOMATIC',
    'false',
    flag,
    'Whether cloud wallets receive automatically; those of the service always do.',
  ),
  walletWaitMilliseconds: setting(
    'WALLET_WAIT_MS',
    '25000',
    whole(0, 600_000),
    'How long a send may wait for its turn before it is refused.',
  ),
  walletReleaseAfter: setting(
    'WALLET_RELEASE_AFTER',
    '900',
    whole(60, 604_800),
    'A signed block of a wallet is released when all nodes have denied, for this many seconds, a block that it builds on.',
  ),
  walletRepresentative: setting(
    'WALLET_REPRESENTATIVE',
    '',
    ledgerAddress,
    'Representative of new wallets; by default each wallet is its own.',
  ),
  freeSendsPerMonth: setting(
    'FREE_SENDS_PER_MONTH',
    '1000',
    whole(0),
    'Free sends from cloud wallets per account and month.',
  ),
} as const

export type WalletSettings = ValuesOf<typeof WALLET_SETTINGS>

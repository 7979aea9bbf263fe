import { join } from 'node:path'
import { type Config, storeUrl } from './config.ts'
import type { Devnet } from './devnet/index.ts'
import type { Log } from './infra/log.ts'
import type { Metrics } from './infra/metrics.ts'
import { qrPng } from './infra/qr.ts'
import { type MasterKeys, createKeyFile, readKeyFile, stampKeyFile, toMasterKeys } from './infra/secrets/master-keys.ts'
import { EnvelopeVault } from './infra/secrets/vault.ts'
import { findVanity } from './infra/vanity/find.ts'
import { VanityTurns } from './infra/vanity/turns.ts'
import type { Custody, WalletAlarm } from './kernel/custody.ts'
import { whenOver } from './kernel/when-over.ts'
import type { StoreCtx } from './kernel/in-tx.ts'
import type { Job } from './kernel/job.ts'
import { RAW_PER_NANO, formatNano, toRaw } from './kernel/money.ts'
import { fromAddress, toAddress } from './kernel/nano/address.ts'
import { ZERO_HASH } from './kernel/nano/block.ts'
import { DEV_NETWORK } from './kernel/nano/network.ts'
import type { Clock, ConfirmationBus, KeyVault, Notices, Random, Vanity } from './kernel/ports.ts'
import type { Db } from './kernel/db.ts'
import {
  Setbacks,
  type WalletCtx,
  WalletLine,
  WalletWatch,
  advanceWallet,
  countByMasterKey,
  countByStatus,
  countOpenBlocks,
  findServiceWallet,
  listWatched,
  lookAfterWallets,
  proveMasterKeys,
  settleWallets,
  treasury,
} from './modules/wallets/index.ts'

const DAY = 86_400_000
/** How long after its end a wallet's deposits are still heard of at once; later ones are found by looking. */
const WATCHED_AFTER_END = 30 * DAY

/** Where the master keys lie when no setting has them. */
export const keyFileOf = (config: Config) => join(config.dataDir, 'wallet-keys')

/** Several gateways may share the store, and would not open each other's wallets. */
export const keepsKeysBeside = (config: Config) =>
  config.walletKeys.length === 0 && !storeUrl(config).startsWith('sqlite:')

/** Reads the master keys; on a first start without any, makes one in the data folder. */
export async function openVault(config: Config, { db, random }: { db: Db; random: Random }): Promise<KeyVault> {
  const { walletKeys, walletKeyActive } = config
  if (walletKeys.length > 0) {
    return new EnvelopeVault({ load: () => toMasterKeys(walletKeys, walletKeyActive), random })
  }
  const file = keyFileOf(config)
  const [used] = await countByMasterKey(db)
  let depends = used && `wallets depend on the key ${used.id} in it`
  const load = (): MasterKeys => {
    const keys = readKeyFile(file)
    // A new key would open nothing and hide that the old one is gone.
    if (!keys && depends !== undefined) throw new Error(`${file} is missing, and ${depends}. Restore it.`)
    const found = keys ?? createKeyFile(file, random)
    depends ??= 'this gateway has sealed wallets with it'
    return found
  }
  return new EnvelopeVault({ load, stamp: () => stampKeyFile(file), random })
}

interface WalletsOptions extends Pick<WalletCtx, 'node' | 'work' | 'thresholds'> {
  store: StoreCtx
  notices: Notices
  bus: ConfirmationBus
  devnet: Devnet | undefined
  onAlarm: Custody['alarm']
  /** A node has refused a block of ours. */
  onRefusal: Custody['noteRefusal']
}

const ALARMS = ['frozen', 'key', 'refused', 'master_key'] as const satisfies WalletAlarm[]

/** What somebody has to look into at once, by log and metric. */
export function tellAlarm(log: Log, metrics: Metrics): Custody['alarm'] {
  // A series that begins with its first alarm would hide that one: rates are made of differences.
  for (const kind of ALARMS) metrics.walletAlarms.inc({ kind }, 0)
  return (kind, { walletId, reason }) => {
    metrics.walletAlarms.inc({ kind })
    log.error({ event: 'wallet_alarm', kind, walletId, reason })
  }
}

/** The wallets of this process, put together. */
export interface Wallets {
  custody: Custody
  /** What verbs work with when no request asks for them. */
  ctx: WalletCtx
  jobs: Job[]
  /** Begins to listen, and makes the treasury if there is none. */
  start(): Promise<void>
  close(): Promise<void>
}

export async function openWallets(config: Config, options: WalletsOptions): Promise<Wallets> {
  const { store, notices, bus, devnet } = options
  const { db, clock, random } = store
  const vault = await openVault(config, { db, random })
  await proveMasterKeys({ db, clock, vault })
  const setbacks = new Setbacks(store)
  const line = new WalletLine((walletId) => setbacks.during(walletId, advanceWallet(ctx, walletId)))
  const watch = new WalletWatch(bus, (walletId) => {
    // What fails here is taken up by the jobs.
    void whenOver(line.advance(walletId))
  })
  const custody: Custody = {
    vault,
    vanity: searchVanity(store),
    rules: toRules(config, devnet),
    qrPng,
    advance: (walletId) => line.advance(walletId),
    watchBlock: (blockId) => line.watchBlock(blockId),
    tellBlock: (blockId) => line.tellBlock(blockId),
    watchWallet: (walletId, address) => {
      watch.add(walletId, address)
      notices.publish('wallet', `${walletId} ${address}`)
    },
    noteRefusal: (refusal) => {
      line.noteRefusal(refusal)
      options.onRefusal(refusal)
    },
    refusalOf: (blockId) => line.refusalOf(blockId),
    forgetRefusal: (blockId) => line.forgetRefusal(blockId),
    alarm: rarely(options.onAlarm, clock),
  }
  const ctx: WalletCtx = { store, node: options.node, work: options.work, thresholds: options.thresholds, custody }
  notices.subscribe('wallet', (notice) => {
    const [walletId = '', address = ''] = notice.split(' ')
    watch.add(walletId, address)
  })
  return {
    custody,
    ctx,
    jobs: [settleWallets(ctx, setbacks), lookAfterWallets(ctx, setbacks)],
    start: async () => {
      for (const { id, address } of await listWatched(db, clock.now() - WATCHED_AFTER_END)) watch.add(id, address)
      const { id, address, frontier } = await treasury(ctx)
      if (!devnet || frontier !== ZERO_HASH) return
      await fundFromGenesis(devnet, address, config.devnetTreasuryNano)
      // The ledger may have told of it before we listened.
      void whenOver(line.advance(id))
    },
    close: async () => {
      watch.close()
      await line.close()
    },
  }
}

const ALARM_REPEATS_AFTER = 60_000
const ALARMS_REMEMBERED = 10_000

/** A wallet that waits is tried several times a second; the same alarm is raised once a minute. */
function rarely(alarm: Custody['alarm'], clock: Clock): Custody['alarm'] {
  const raised = new Map<string, number>()
  return (kind, detail) => {
    const name = `${kind} ${detail.walletId} ${detail.reason}`
    const now = clock.now()
    if (now < (raised.get(name) ?? 0) + ALARM_REPEATS_AFTER) return
    if (raised.size >= ALARMS_REMEMBERED) raised.clear()
    raised.set(name, now)
    alarm(kind, detail)
  }
}

/** Play money for the first start; a treasury that has, or once had, anything is left alone. */
async function fundFromGenesis({ node }: Devnet, address: string, nano: number): Promise<void> {
  const account = fromAddress(address)!
  const { store } = node.ledger
  if (nano === 0 || store.findAccount(account) || store.hasReceivable(account)) return
  await node.fund(account, toRaw(BigInt(nano) * RAW_PER_NANO))
}

function toRules(config: Config, devnet: Devnet | undefined): Custody['rules'] {
  const genesis = devnet && toAddress(DEV_NETWORK.genesisAccount)
  return {
    sendsAllowed: config.walletSends,
    walletsMax: config.walletsPerAccountMax,
    sendMax: config.walletSendMax,
    dailySendMax: config.walletDailyMax,
    receiveMin: config.walletReceiveMin,
    receivesItself: config.walletReceiveAutomatic,
    waitMilliseconds: config.walletWaitMilliseconds,
    representative: config.walletRepresentative ?? genesis,
  }
}

/** Vanity searches of this process, a few at a time and each account in its turn. */
function searchVanity({ random, clock }: Pick<StoreCtx, 'random' | 'clock'>): Vanity {
  const turns = new VanityTurns(clock)
  return {
    find: ({ payer, prefix, timeLimitMilliseconds, leaving }) =>
      turns.take({ payer, waitMilliseconds: timeLimitMilliseconds, leaving }, async () => {
        const abort = new AbortController()
        const stay = leaving.onLeave(() => abort.abort())
        try {
          return await findVanity({ prefix, timeLimitMilliseconds, random, clock, signal: abort.signal })
        } finally {
          stay()
        }
      }),
  }
}

/** What is looked up whenever somebody asks for metrics. */
export function exposeWallets(metrics: Metrics, db: Db): void {
  metrics.gauge('gateway_wallets', 'Wallets by status.', ['status', 'frozen'], async () =>
    (await countByStatus(db)).map(({ status, frozen, count }) => ({
      labels: { status, frozen: String(frozen) },
      value: count,
    })),
  )
  metrics.gauge('gateway_wallet_blocks', 'Blocks of wallets that are not confirmed yet.', ['status'], async () =>
    (await countOpenBlocks(db)).map(({ status, count }) => ({ labels: { status }, value: count })),
  )
  metrics.gauge('gateway_treasury_nano', 'Confirmed balance of the treasury.', [], async () => {
    const wallet = await findServiceWallet(db, 'treasury')
    return wallet ? [{ value: Number(formatNano(wallet.balance)) }] : []
  })
}

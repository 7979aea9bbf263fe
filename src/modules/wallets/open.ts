import type { StoreCtx } from '../../kernel/in-tx.ts'
import { type Gauge, type Module, offer } from '../../kernel/module.ts'
import { formatNano } from '../../kernel/money.ts'
import { ZERO_HASH } from '../../kernel/nano/block.ts'
import type { Clock, ConfirmationBus, Links, Names, Notices, Confirmation } from '../../kernel/ports.ts'
import type { BlockRefusal, ReportAlarm } from '../../kernel/wallet-alarm.ts'
import { whenOver } from '../../kernel/when-over.ts'
import type { Db } from '../../kernel/db.ts'
import { cloudWallet } from './actions/cloud-wallet.ts'
import { advanceWallet } from './domain/advance.ts'
import { type NewWallet, alongWallet } from './domain/wallets.ts'
import { sweepWallet } from './domain/end-wallet.ts'
import { proveMasterKeys } from './domain/master-keys.ts'
import { keepSeed } from './domain/seeds.ts'
import { type QueuedSend, bringForward, queueSend } from './domain/queue-send.ts'
import { treasury } from './domain/treasury.ts'
import { inspectWallets } from './jobs/inspect.ts'
import { settleWallets } from './jobs/settle.ts'
import { AdvanceQueue } from './advance-queue.ts'
import { countOpenBlocks } from './unsettled-store.ts'
import { type CloudWalletContext, type WalletContext, notifyWallet } from './context.ts'
import { walletPages } from './routes/dashboard.tsx'
import { payoutRoutes } from './routes/api.ts'
import { payoutPages } from './routes/payout.tsx'
import { Setbacks } from './setbacks.ts'
import type { WalletSettings } from './settings.ts'
import { countByStatus, findServiceWallet, findWallet, listWatched } from './store.ts'
import { announcedBlock } from '../../kernel/nano/announced-block.ts'

/** Maps addresses to our wallets, and wakes a wallet when the ledger confirms a block that concerns it. Jobs find what the stream misses. */
class WalletAddresses {
  readonly #bus: ConfirmationBus
  readonly #wake: (walletId: string) => void
  readonly #walletIds = new Map<string, string>()
  readonly #ends: (() => void)[] = []

  constructor(bus: ConfirmationBus, wake: (walletId: string) => void) {
    this.#bus = bus
    this.#wake = wake
    this.#ends.push(bus.listen((confirmation) => this.#receive(confirmation)))
  }

  add(walletId: string, address: string): void {
    if (this.#walletIds.has(address)) return
    this.#walletIds.set(address, walletId)
    this.#ends.push(this.#bus.watch(address))
  }

  close(): void {
    for (const end of this.#ends) end()
  }

  /** A block of our own, or a send to one of our wallets. Receiving the same message twice only causes a second look. */
  #receive({ account, block }: Confirmation): void {
    const own = this.#walletIds.get(account)
    if (own !== undefined) this.#wake(own)
    const paid = this.#walletIds.get(announcedBlock(block).to ?? '')
    if (paid !== undefined) this.#wake(paid)
  }
}

const DAY = 86_400_000
/** How long after a wallet's end events of its address stay subscribed; later deposits are found by jobs. */
const WATCHED_AFTER_END = 30 * DAY
const SOON = 200

export const WALLET_ACTIONS = [cloudWallet]

interface WalletPorts extends Pick<
  WalletContext,
  'node' | 'askAllNodes' | 'work' | 'thresholds' | 'vault' | 'vanity' | 'qrPng' | 'alarm'
> {
  store: StoreCtx
  notices: Notices
  confirmations: ConfirmationBus
  names: Names
  links: Links
  /** How many wallets a list has at most. */
  countMax: number
  /** Called when a node has refused a block of ours. */
  onRefusal(refusal: BlockRefusal): void
  /** Funds a treasury that never had anything, on the development ledger only. */
  fund: ((address: string) => Promise<void>) | undefined
  /** The representative of new wallets, where no setting names one. */
  representative: string | undefined
}

export interface WalletsModule extends Module {
  /** The context for functions that no request calls. */
  wallets: WalletContext
  /** The address at which the service is paid. */
  treasuryAddress(): Promise<string>
  /** Makes a wallet of the service that can pay out only to one address. */
  alongFor<T>(request: { destination: string; reference: string }, run: (wallet: NewWallet) => Promise<T>): Promise<T>
  /** Sends everything such a wallet holds, and whatever still arrives, to that address as soon as sends are allowed. Safe to repeat. */
  sweep(walletId: string): Promise<void>
  /** Queues a send in the caller's transaction and returns its id. */
  queueSend(tx: StoreCtx, send: QueuedSend): Promise<string>
  /** Tries to bring a queued send to the ledger while a client waits. */
  bringForward(send: { id: string; walletId: string }): Promise<void>
}

/** Opens the wallets module: wallets whose keys the gateway keeps. */
export async function openWallets(ports: WalletPorts, settings: WalletSettings): Promise<WalletsModule> {
  const { store, notices, confirmations, vault, fund } = ports
  const { db, clock } = store
  await proveMasterKeys({ db, clock, vault })
  await keepSeed({ ...store, vault })
  const setbacks = new Setbacks(store)
  const queue = new AdvanceQueue((walletId) => setbacks.during(walletId, advanceWallet(context, walletId)))
  const watch = new WalletAddresses(confirmations, (walletId) => {
    // The jobs repeat what fails here.
    void whenOver(queue.advance(walletId))
    // A deposit may only become receivable, which the owner's page shows too.
    void findWallet(db, walletId).then(
      (wallet) => wallet && notifyWallet(context, wallet),
      store.failures.lost('live.tell'),
    )
  })
  const soon = new Set<string>()
  const context: WalletContext = {
    store,
    node: ports.node,
    askAllNodes: ports.askAllNodes,
    work: ports.work,
    thresholds: ports.thresholds,
    vault,
    vanity: ports.vanity,
    rules: toRules(settings, ports.representative),
    qrPng: ports.qrPng,
    queue: {
      advance: (walletId) => queue.advance(walletId),
      lookSoon: (walletId) => {
        if (soon.has(walletId)) return
        soon.add(walletId)
        clock.after(SOON, () => {
          soon.delete(walletId)
          void whenOver(queue.advance(walletId))
        })
      },
      watchBlock: (blockId) => queue.watchBlock(blockId),
      reportBlock: (blockId, left) => queue.reportBlock(blockId, left),
      noteRefusal: (refusal) => {
        queue.noteRefusal(refusal)
        ports.onRefusal(refusal)
      },
      refusalOf: (blockId) => queue.refusalOf(blockId),
      forgetRefusal: (blockId) => queue.forgetRefusal(blockId),
    },
    watchAddress: (walletId, address) => {
      watch.add(walletId, address)
      notices.publish('wallet', `${walletId} ${address}`)
    },
    alarm: rarely(ports.alarm, clock),
  }
  notices.subscribe('wallet', (notice) => {
    const [walletId = '', address = ''] = notice.split(' ')
    watch.add(walletId, address)
  })
  return {
    ...offer<CloudWalletContext>(
      'wallets',
      { ...context, names: ports.names, countMax: ports.countMax },
      WALLET_ACTIONS,
    ),
    wallets: context,
    routes: payoutRoutes({ wallets: context, names: ports.names }),
    pages: [
      ...payoutPages({ wallets: context, names: ports.names }),
      ...walletPages({ wallets: context, names: ports.names, blockLink: (hash) => ports.links.block(hash) }),
    ],
    jobs: [settleWallets(context, setbacks), inspectWallets(context, setbacks)],
    gauges: gaugesOf(db),
    treasuryAddress: async () => (await treasury(context)).address,
    alongFor: ({ destination, reference }, run) => {
      const terms = { purpose: 'checkout', refundAddress: destination, metadata: { reference } }
      return alongWallet(context, { accountId: undefined, ...terms }, run)
    },
    sweep: (walletId) => sweepWallet(context, walletId),
    queueSend: (tx, send) => queueSend(context, tx, send),
    bringForward: (send) => bringForward(context, send),
    start: async () => {
      for (const { id, address } of await listWatched(db, clock.now() - WATCHED_AFTER_END)) watch.add(id, address)
      const { id, address, frontier } = await treasury(context)
      if (!fund || frontier !== ZERO_HASH) return
      await fund(address)
      // The ledger may have reported a deposit before we subscribed to the address.
      void whenOver(queue.advance(id))
    },
    close: async () => {
      watch.close()
      await queue.close()
    },
  }
}

const ALARM_REPEATS_AFTER = 60_000
const ALARMS_REMEMBERED = 10_000

/** Limits an alarm to once a minute, because a waiting wallet is tried several times a second. */
function rarely(alarm: ReportAlarm, clock: Clock): ReportAlarm {
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

function toRules(settings: WalletSettings, representative: string | undefined): WalletContext['rules'] {
  return {
    sendsAllowed: settings.walletSends,
    walletsMax: settings.walletsPerAccountMax,
    sendMax: settings.walletSendMax,
    dailySendMax: settings.walletDailyMax,
    receiveMin: settings.walletReceiveMin,
    receivesItself: settings.walletReceiveAutomatic,
    waitMilliseconds: settings.walletWaitMilliseconds,
    releaseAfterMilliseconds: settings.walletReleaseAfter * 1_000,
    representative: settings.walletRepresentative ?? representative,
  }
}

function gaugesOf(db: Db): Gauge[] {
  return [
    {
      name: 'gateway_wallets',
      help: 'Wallets by status.',
      labels: ['status', 'frozen'],
      read: async () =>
        (await countByStatus(db)).map(({ status, frozen, count }) => ({
          labels: { status, frozen: String(frozen) },
          value: count,
        })),
    },
    {
      name: 'gateway_wallet_blocks',
      help: 'Blocks of wallets that are not confirmed yet.',
      labels: ['status'],
      read: async () => (await countOpenBlocks(db)).map(({ status, count }) => ({ labels: { status }, value: count })),
    },
    {
      name: 'gateway_treasury_nano',
      help: 'Confirmed balance of the treasury.',
      labels: [],
      read: async () => {
        const wallet = await findServiceWallet(db, 'treasury')
        return wallet ? [{ value: Number(formatNano(wallet.balance)) }] : []
      },
    },
  ]
}

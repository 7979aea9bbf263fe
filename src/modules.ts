import { goodsOf } from './config/check-start.ts'
import { type Config, storeUrl } from './config/config.ts'
import { fundFromGenesis, toPlayNames, withPlayPayments } from './app/development-ledger.ts'
import { toLedgerView } from './devnet/view.ts'
import { WEBHOOK_SUBJECTS } from './http/openapi/webhooks.ts'
import { EmbeddedFacilitator } from './infra/facilitator/embedded.ts'
import { RemoteFacilitator } from './infra/facilitator/remote.ts'
import { openLogos, openPictures } from './infra/http/pictures.ts'
import { MemoryLimiter } from './infra/limits/gcra.ts'
import { qrOutline, qrPng } from './infra/qr/png.ts'
import { keyFileOf, openVault } from './infra/secrets/vault.ts'
import { nanswap } from './infra/swap/nanswap.ts'
import { openVanity } from './infra/vanity/find.ts'
import { reportAlarm, reportRefusal } from './infra/wallet-alarms.ts'
import { InstanceTurns } from './kernel/feed/instance-turns.ts'
import type { Module } from './kernel/module.ts'
import { toAddress } from './kernel/nano/address.ts'
import { DEV_NETWORK } from './kernel/nano/network.ts'
import type { KnownName } from './kernel/ports.ts'
import type { SwapProvider } from './kernel/swap.ts'
import { findUploadedPicture } from './modules/accounts/index.ts'
import { openAccounts } from './modules/accounts/open.ts'
import { openBilling } from './modules/billing/open.ts'
import { findUsualAddress } from './modules/checkout/index.ts'
import { openCheckouts } from './modules/checkout/open.ts'
import { openEmails } from './modules/email/open.ts'
import { openFaucet } from './modules/faucet/open.ts'
import { openLedger } from './modules/ledger/open.ts'
import { openLinks } from './modules/links/open.ts'
import { openMarket } from './modules/market/open.ts'
import { loadBuiltIn } from './modules/names/index.ts'
import { openNames } from './modules/names/open.ts'
import { openPos } from './modules/pos/open.ts'
import { openReps } from './modules/reps/open.ts'
import { sandboxSwap } from './modules/swap/index.ts'
import type { OwnView } from './modules/status/index.ts'
import { openStatusPage } from './modules/status/open.ts'
import { openSwap } from './modules/swap/open.ts'
import { openUsernames } from './modules/usernames/open.ts'
import { type WalletContext, countByMasterKey } from './modules/wallets/index.ts'
import { type WalletsModule, openWallets } from './modules/wallets/open.ts'
import type { AttemptEvent } from './modules/webhooks/index.ts'
import { openWebhooks } from './modules/webhooks/open.ts'
import { openWorkFor } from './modules/work/index.ts'
import { openWork } from './modules/work/open.ts'
import type { Goods } from './modules/x402/index.ts'
import { openX402 } from './modules/x402/open.ts'
import type { Ports } from './app/ports.ts'

export type Modules = Awaited<ReturnType<typeof openModules>>

/** Opens every module with what it needs of the ports and of earlier modules. They are closed in the opposite order. */
export async function openModules(config: Config, ports: Ports, stack: AsyncDisposableStack) {
  const { store, notices, node, thresholds, devnet, nodes, links, mailer, secrets, prices, outbound, metrics, log } =
    ports
  const { confirmations } = nodes
  // If the start fails, no timer is left behind.
  const turns = stack.adopt(openTurns(ports), ({ stop }) => stop())
  const baseUrl = () => links.base()
  const isPlay = devnet !== undefined
  const keep = <M extends Module>(module: M): M => stack.adopt(module, () => module.close?.())
  // Checked before any module is opened: after an invalid price half of the gateway would have to be closed again.
  const goods = goodsOf(config, prices)
  // Called when names are first read; the wallets are open by then, so the treasury is known.
  const play: (() => Promise<KnownName[]>) | undefined =
    devnet && (async () => toPlayNames(await wallets.treasuryAddress()))
  const names = keep(openNames({ store, notices, play }, loadBuiltIn(config)))
  const onHit = () => metrics.workHits.inc()
  const work = keep(openWork({ store, notices, confirmations, searches: ports.searches, thresholds, onHit }, config))
  const reads = {
    names: names.names,
    countMax: config.countMax,
    prepareWork: work.prepare,
    workFor: openWorkFor({ work: work.work, thresholds, isSold: goods.has('work_generate') }),
  }
  const ledger = keep(openLedger(reads, devnet && toLedgerView(devnet.node)))
  const keepsMail = config.smtpUrl === ''
  const findUploaded = (url: string) => findUploadedPicture(store.db, url)
  const logos = openLogos({ outbound, findUploaded })
  const usualAddress = (accountId: string) => findUsualAddress(store.db, accountId)
  const accounts = keep(
    openAccounts({ store, notices, mailer, secrets, logos, usualAddress, prices, baseUrl, keepsMail, isPlay }, config),
  )
  const market = keep(openMarket({ prices, market: ports.market }))
  const reps = keep(openReps({ store, node, names: names.names }, config))
  const onAttempt = ({ milliseconds: ms, ...attempt }: AttemptEvent) => {
    metrics.webhookAttempts.inc({ outcome: attempt.outcome })
    log.info({ event: 'webhook', ...attempt, ms })
  }
  const kinds = WEBHOOK_SUBJECTS.flatMap((subject) => Object.keys(subject.kinds))
  const { engine } = ports.opened
  const webhooks = keep(
    openWebhooks(
      { store, engine, notices, node, confirmations, turnOf: turns.of, secrets, outbound, kinds, onAttempt },
      config,
    ),
  )
  const wallets: WalletsModule = keep(await openOwnWallets(config, ports, { names, work }))
  const x402 = keep(await openPayments(config, ports, { goods, treasuryAddress: wallets.treasuryAddress }))
  const pictures = openPictures({ outbound, findUploaded, clock: store.clock })
  const context = wallets.wallets
  const limiter = new MemoryLimiter(store.clock)
  const emails = keep(
    openEmails({ wallets: context, names: names.names, mailer, secrets, links, limiter, prices, isPlay }, config),
  )
  const checkout = keep(
    openOwnCheckouts(config, ports, { names, webhooks, wallets, emails, pictures, turnOf: turns.of }),
  )
  const paymentLinks = keep(openLinks({ checkout, links, pictures, mailer, isPlay }, config))
  const pointsOfSale = keep(openPos({ checkout, links, isPlay }))
  const billing = keep(openBilling({ accounts, checkout, wallets: context, isExchange: names.isExchange }, config))
  const usernames = keep(openUsernames({ billing, names, mailer, baseUrl, isPlay }, config))
  const faucet = keep(openFaucet(context, config))
  const swap = keep(openSwap({ store, swaps: swapsOf(config, ports, context), fiat: prices.currencies }, config))
  // Stopped first, so that other instances leave no block to an instance that is stopping.
  stack.defer(turns.stop)
  const status = keep(openStatusPage({ store, view: () => viewOf(ports), isPlay, keepsMail }))
  return {
    names,
    ledger,
    accounts,
    market,
    reps,
    webhooks,
    work,
    x402,
    wallets,
    emails,
    checkout,
    paymentLinks,
    pointsOfSale,
    billing,
    usernames,
    faucet,
    swap,
    status,
  }
}

/** Distributes announced blocks among the instances on a store. */
function openTurns({ store: { clock, random }, notices, nodes: { confirmations } }: Ports) {
  const turns = new InstanceTurns({ notices, clock, random, isListening: () => confirmations.connected })
  return { of: (hash: string) => turns.turnOf(hash), stop: () => turns.stop() }
}

/** The state of nodes, prices and sources of work, as this process sees it. */
function viewOf({ nodes, searches, sources }: Pick<Ports, 'nodes' | 'searches' | 'sources'>): ReturnType<OwnView> {
  const { upstreams } = nodes.pool
  const healthy = upstreams.filter((upstream) => upstream.healthy)
  const whole = healthy.length === upstreams.length && nodes.confirmations.connected
  const prices = sources.list().filter(({ kind }) => kind === 'price')
  return {
    nodes: healthy.length === 0 ? 'down' : whole ? 'up' : 'degraded',
    work: searches.engines.some(({ usable }) => usable)
      ? searches.load.seconds > WORK_SLOW
        ? 'degraded'
        : 'up'
      : 'down',
    // One working source of prices is enough, and a source that was never asked does not count as failing.
    prices: prices.length > 0 && prices.every(({ failing }) => failing) ? 'down' : 'up',
  }
}

/** Work counts as slow if a new search would have to wait this many seconds. */
const WORK_SLOW = 60

interface BeforeWallets {
  names: ReturnType<typeof openNames>
  work: ReturnType<typeof openWork>
}

/** Wallets whose keys are kept here. On a new development ledger the treasury gets money. */
async function openOwnWallets(config: Config, ports: Ports, { names, work }: BeforeWallets) {
  const { store, node, notices, nodes, thresholds, links, devnet } = ports
  const { confirmations } = nodes
  const { countMax } = config
  return openWallets(
    {
      store,
      node,
      askAllNodes: (account, hashes) => nodes.survey(account, hashes),
      notices,
      confirmations,
      thresholds,
      qrPng,
      work: work.work,
      names: names.names,
      links,
      countMax,
      vault: await vaultOf(config, ports),
      vanity: openVanity(store),
      alarm: reportAlarm(ports),
      onRefusal: reportRefusal(ports),
      fund: devnet && ((address) => fundFromGenesis(devnet, address, config.devnetTreasuryNano)),
      representative: devnet && toAddress(DEV_NETWORK.genesisAccount),
    },
    config,
  )
}

interface BeforeCheckouts {
  names: ReturnType<typeof openNames>
  webhooks: ReturnType<typeof openWebhooks>
  wallets: WalletsModule
  emails: ReturnType<typeof openEmails>
  pictures: ReturnType<typeof openPictures>
  turnOf(hash: string): number | undefined
}

/** Checkouts, with what they need of earlier modules. */
function openOwnCheckouts(
  config: Config,
  ports: Ports,
  { names, webhooks, wallets, emails, pictures, turnOf }: BeforeCheckouts,
) {
  const { store, notices, node, nodes, mailer, links, prices, secrets, log } = ports
  const { confirmations, votes } = nodes
  return openCheckouts(
    {
      store,
      notices,
      node,
      confirmations,
      turnOf,
      votes,
      mailer,
      links,
      prices,
      secrets,
      qrPng,
      qrOutline,
      developmentLedger: ports.developmentLedger,
      pictures,
      perMinute: { address: config.limitCheckPerMinute, account: config.limitCheckAccountPerMinute },
      onBecame: ({ checkoutId, became }) => log.info({ event: became, checkoutId }),
      engine: ports.opened.engine,
      names: names.names,
      checkWebhookUrl: webhooks.checkUrl,
      wallets: {
        along: wallets.alongFor,
        sweep: wallets.sweep,
        queueSend: wallets.queueSend,
        bringForward: wallets.bringForward,
      },
      claims: emails.links,
      isExchange: names.isExchange,
      treasuryAddress: wallets.treasuryAddress,
    },
    config,
  )
}

/** The master keys of wallets. Warns the operator if the store is shared but the keys are not. */
async function vaultOf(config: Config, { store, log, random }: Ports) {
  if (config.walletKeys.length === 0 && !storeUrl(config).startsWith('sqlite:')) {
    const reason = `Wallets of a shared store are encrypted with ${keyFileOf(config)}, which only this machine has. Set WALLET_KEYS on every gateway, with the keys of this file.`
    log.warn({ event: 'wallet_keys_not_shared', reason })
  }
  const [used] = await countByMasterKey(store.db)
  return openVault(config, { used: used?.id, random })
}

/** Payments by request, which may be settled by a remote facilitator. */
async function openPayments(
  config: Config,
  { store, node, nodes, thresholds, prices, links, devnet }: Ports,
  { goods, treasuryAddress }: { goods: Goods; treasuryAddress(): Promise<string> },
) {
  const { clock, failures } = store
  const settings = devnet ? withPlayPayments(config, await treasuryAddress()) : config
  const { x402Network: network, x402TimeoutSeconds: timeoutSecondsMax, x402FacilitatorUrl: url } = settings
  const threshold = thresholds.send
  const { confirmations } = nodes
  const own = new EmbeddedFacilitator({
    node,
    askAllNodes: (account, hashes) => nodes.survey(account, hashes),
    confirmations,
    clock,
    failures,
    network,
    threshold,
    timeoutSecondsMax,
  })
  const remote = url === undefined ? undefined : new RemoteFacilitator({ url, clock })
  const baseUrl = () => links.base()
  const ports = { store, own, remote, threshold, goods, rates: prices, baseUrl, devnet: devnet !== undefined }
  const x402 = openX402(ports, settings)
  return { ...x402, close: () => remote?.close() }
}

/**
 * Services that swap currencies. The sandbox invents money, so it is only available on a local gateway with the
 * development ledger.
 */
function swapsOf(config: Config, { clock, devnet }: Ports, wallets: WalletContext): SwapProvider | undefined {
  if (config.swapProvider === 'nanswap') return nanswap({ url: config.swapUrl, key: config.swapKey, clock })
  return config.swapProvider === 'sandbox' && devnet && config.isLocal ? sandboxSwap(wallets) : undefined
}

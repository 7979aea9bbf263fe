import { type Config, storeUrl } from '../config/config.ts'
import type { Devnet } from '../devnet/index.ts'
import { createIsAmong } from '../http/client-ip.ts'
import { AccountNotices } from '../infra/account-notices.ts'
import type { Store } from '../infra/db/open.ts'
import { openFailures } from '../infra/failures.ts'
import { openWayOut } from '../infra/http/outbound.ts'
import { ServiceLinks } from '../infra/links.ts'
import { StoreMark } from '../infra/db/store-mark.ts'
import type { Log } from '../infra/log.ts'
import { capturedMailer } from '../infra/mail/captured.ts'
import { smtpMailer } from '../infra/mail/smtp.ts'
import { openMarketSources } from '../infra/market/open.ts'
import { Metrics } from '../infra/metrics.ts'
import type { Nodes } from '../infra/node/index.ts'
import { openNodes } from '../infra/node/open.ts'
import { openIds } from '../infra/random.ts'
import { Sources } from '../infra/sources.ts'
import { openTraces } from '../infra/traces/open.ts'
import { openScheduler } from '../infra/work/open.ts'
import type { TuningMemory } from '../infra/work/remembered-tuning.ts'
import type { Scheduler } from '../infra/work/scheduler.ts'
import type { Failures } from '../kernel/failures.ts'
import type { StoreCtx } from '../kernel/in-tx.ts'
import type { LedgerIdentity, NetworkName } from '../kernel/nano/network.ts'
import type { WorkThresholds } from '../kernel/nano/work.ts'
import {
  type Clock,
  type DevelopmentLedger,
  type Ids,
  type Mailer,
  type MarketData,
  type NodePort,
  type Notices,
  type Prices,
  type Random,
  type SecretBox,
} from '../kernel/ports.ts'
import { type Outbound } from '../kernel/outbound.ts'
import type { Traces } from '../kernel/traces.ts'
import { openDataFolder } from '../store/data-folder.ts'
import { claimLedger, ledgerLearned } from '../store/ledger.ts'
import { openStore } from '../store/schema.ts'
import { openSecrets } from '../store/secrets.ts'
import { SECRET_KEYS_NOTICE, type SecretKeys } from '../infra/secrets/secret-key.ts'
import { VERSION } from '../version.ts'
import { lendThreads, openDevelopmentLedger, thresholdsOf, toDevelopmentLedger } from './development-ledger.ts'

/** What a process gives the gateway: clock, randomness, environment. */
export interface Surroundings {
  clock: Clock
  /**
   * The development ledger's clock, if it differs from the gateway's: tests can set the clock of one without the other.
   */
  ledgerClock?: Clock
  random: Random
  log: Log
  /** Ends the process at once, because its memory no longer matches the store. */
  leave?: (reason: string) => void
  /** Remembers the fastest search for work on this machine. */
  tuning?: TuningMemory
}

/** What every process of a gateway needs. */
interface Ground {
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  failures: Failures
  opened: Store
  ids: Ids
  /** Undefined if the operator has switched traces off. */
  traces: Traces | undefined
}

/** Everything that modules may use, and what the composition root needs of it. */
export interface Ports extends Ground {
  /** Which outside services fail at the moment. */
  sources: Sources
  /** The store in the form that modules use. */
  store: StoreCtx
  notices: Notices
  secrets: SecretBox
  mark: StoreMark
  /** Which ledger the store and the nodes belong to. */
  ledger: LedgerIdentity
  network: NetworkName
  thresholds: WorkThresholds
  devnet: Devnet | undefined
  /** The controls of the development ledger. */
  developmentLedger: DevelopmentLedger | undefined
  nodes: Nodes
  /** The nodes, for callers that do not act for a request. */
  node: NodePort
  searches: Scheduler
  prices: Prices
  market: MarketData
  mailer: Mailer
  outbound: Outbound
  links: ServiceLinks
}

/** Opens everything that modules need. What was opened is added to `stack`, and closed in the opposite order. */
export async function openPorts(
  config: Config,
  surroundings: Surroundings,
  stack: AsyncDisposableStack,
): Promise<Ports> {
  const { clock, ledgerClock = clock, random, log, tuning } = surroundings
  openDataFolder(config, log)
  const ground = await openGround(config, surroundings, stack)
  const { metrics, failures, opened } = ground
  const { db, notices } = opened
  const sources = new Sources({ log, metrics })
  const { prices, market } = openMarketSources(config, {
    clock,
    onFailure: ({ provider, reason }) => {
      sources.failed('price', provider, reason)
      log.warn({ event: 'provider_failure', provider, reason })
    },
    onSuccess: ({ provider }) => sources.answered('price', provider),
  })
  // Refuses a store of another ledger before anything is changed in it.
  const ledger = await claimLedger(config, { db, clock })
  const secrets = await openSecrets(config, { db, clock, random }, async (ownKeys) => {
    opened.own.secretKeys = ownKeys
    return (await opened.listConfirming?.(OTHERS_MAX))?.confirmed ?? []
  })
  followKeys(secrets, opened)
  const mark = await StoreMark.open({ ...opened, clock, ids: ground.ids, failures, dataDir: config.dataDir })
  const devnet = await openDevelopmentLedger(config, { clock: ledgerClock, random, failures })
  stack.defer(() => devnet?.close())
  const { network } = ledger
  const thresholds = thresholdsOf(config, network)
  const onLearned = ledgerLearned(network, { db, clock, failures })
  const nodes = openNodes(config, {
    ...ground,
    notices,
    devnet,
    instance: ground.ids.next('ins'),
    ledger: { ...ledger, thresholds },
    onLearned,
  })
  stack.defer(() => nodes.close())
  const searches = await openScheduler(config, {
    clock,
    random,
    metrics,
    sources,
    tuning,
    nodes: nodes.pool.upstreams,
    onReady: ({ name, shape, rate }, isUsed) =>
      log.info({ event: 'work_source_ready', engine: name, shape, rate: Math.round(rate), used: isUsed }),
    onFailure: ({ engine, reason }) => log.warn({ event: 'work_failure', engine, reason }),
  })
  stack.defer(() => searches.close())
  if (devnet) lendThreads(devnet, searches)
  return {
    ...ground,
    sources,
    store: toStoreCtx(ground, notices, stack),
    notices,
    secrets,
    mark,
    ledger,
    network,
    thresholds,
    devnet,
    developmentLedger: devnet && toDevelopmentLedger(devnet, (address) => notices.deliver('written', `- ${address}`)),
    nodes,
    node: nodes.forRequest(),
    searches,
    prices,
    market,
    mailer: config.smtpUrl === '' ? capturedMailer(db, clock) : smtpMailer(config.smtpUrl, config.mailFrom),
    outbound: openWayOut(config, clock),
    links: new ServiceLinks(config, { isPlay: devnet !== undefined }),
  }
}

/**
 * How long to wait for other gateways to name their keys, if this one encrypts with another key than at its last start.
 */
const OTHERS_MAX = 2_000

/** Answers commands that ask which keys this gateway has, and takes over a new key that a command announces. */
function followKeys(secrets: SecretKeys, { notices, own }: Store): void {
  own.secretKeys = secrets.names
  notices.subscribe(SECRET_KEYS_NOTICE, () => {
    secrets.reload()
    own.secretKeys = secrets.names
  })
}

async function openGround(
  config: Config,
  { clock, random, log }: Surroundings,
  stack: AsyncDisposableStack,
): Promise<Ground> {
  const metrics = new Metrics({ counting: config.metrics })
  const failures = openFailures({ log, metrics, clock })
  const trusts = createIsAmong(config.tracesTrusted)
  const traces = await openTraces(config, { log, metrics, failures, version: VERSION, trusts })
  // Closed last, so that traces also show how a gateway ends.
  stack.defer(() => traces?.close())
  const opened = await openStore(storeUrl(config), clock, { failures, traces })
  stack.defer(() => opened.close())
  // All gateways on a store use the store's clock, so that they agree about leases and deadlines.
  const unfollow = opened.readTime && (await clock.follow?.(opened.readTime, failures.lost('clock.follow')))
  stack.defer(() => unfollow?.())
  return { clock, random, log, metrics, failures, opened, ids: openIds(random), traces }
}

function toStoreCtx(
  { opened: { db }, clock, ids, random, failures, traces }: Ground,
  notices: Notices,
  stack: AsyncDisposableStack,
): StoreCtx {
  const changes = new AccountNotices(notices)
  stack.defer(() => changes.close())
  const notifyAccount: StoreCtx['notifyAccount'] = (...what) => changes.notify(...what)
  return { db, clock, ids, random, wakeJobs: () => notices.publish('jobs', ''), notifyAccount, failures, traces }
}

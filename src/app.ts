import { listActions } from './actions.ts'
import { openCheckouts } from './checkout.ts'
import type { Config } from './config.ts'
import type { Devnet } from './devnet/index.ts'
import { openEmailPayments } from './email.ts'
import { lendThreads, thresholdsOf, toPlayLedger, withPlayNames, withPlayPayments } from './embedded.ts'
import { type Surroundings, openFoundation } from './foundation.ts'
import { exposeGauges } from './gauges.ts'
import type { Gateway } from './guard/dispatch.ts'
import { RememberedAnswers } from './guard/remembered.ts'
import { createThrottle } from './guard/throttle.ts'
import type { Store } from './infra/db/open.ts'
import { openIds } from './infra/ids.ts'
import { forgetDoneJobs } from './infra/jobs/forget-done.ts'
import { JobRunner } from './infra/jobs/runner.ts'
import { openFailures } from './infra/failures.ts'
import { MemoryBurst } from './infra/limits/gcra.ts'
import { capturedMailer } from './infra/mail/captured.ts'
import { smtpMailer } from './infra/mail/smtp.ts'
import { Metrics } from './infra/metrics.ts'
import type { Nodes } from './infra/node/index.ts'
import type { Scheduler } from './infra/work/scheduler.ts'
import type { Action } from './kernel/action.ts'
import type { Failures } from './kernel/failures.ts'
import type { StoreCtx } from './kernel/in-tx.ts'
import {
  StoredKeys,
  UsageMeter,
  createFirstAdministrator,
  forgetExpired,
  mailSignInLink,
  releaseReservations,
  sendMail,
} from './modules/accounts/index.ts'
import { RepList, lookAtReps } from './modules/reps/index.ts'
import { followSwaps } from './modules/swap/index.ts'
import { remindOfEnds } from './modules/usernames/index.ts'
import { WorkDesk, forgetWorks } from './modules/work/index.ts'
import { openMarket } from './market.ts'
import { openMetricsListener } from './metrics.ts'
import { forgetPaid } from './modules/x402/index.ts'
import { exchangesOf, loadBuiltIn, openNames } from './names.ts'
import { openNodes, tellRefusal } from './nodes.ts'
import { openSharedLimits, toFaucetRules, toPlans, toTariffs } from './plans.ts'
import { openSales } from './sales.ts'
import { type OpenServer, openServer } from './serve.ts'
import { Sources } from './sources.ts'
import { ledgerLearned } from './store-ledger.ts'
import { openSwaps } from './swap.ts'
import { exposeWallets, keepsKeysBeside, keyFileOf, openWallets, tellAlarm } from './wallets.ts'
import { openWebhooks } from './webhooks.ts'
import { openScheduler } from './work.ts'
import { openPayments, readPrices } from './x402.ts'

interface Infra extends Surroundings {
  /** Hears of the administrator key of a first start before it counts, so that it is not lost when the process is. */
  keepKey?: (key: string) => void
}

export interface App {
  /** Where the gateway answers, once it listens. */
  url: string
  /** Where its numbers are; undefined when they are switched off. */
  metricsUrl: string | undefined
  /** Shown once: the administrator key that this start made. */
  createdKey: string | undefined
  /** The file of the master keys of wallets, unless they come from a setting. */
  walletKeyFile: string | undefined
  devnet: Devnet | undefined
  /** Every action and every route that it answers. */
  doors: { actions: readonly Action[]; routes: OpenServer['routes'] }
  nodes: Nodes
  store: Store
  usage: UsageMeter
  failures: Failures
  /** Where proof of work comes from. */
  work: Scheduler
  /** Stops taking requests, finishes the running ones, closes everything. */
  close(): Promise<void>
}

/** Puts the gateway together and opens its port. What was opened before something failed is closed again. */
export async function startApp(config: Config, infra: Infra): Promise<App> {
  const opened = new AsyncDisposableStack()
  try {
    return await assemble(config, infra, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** The only place that sees everything. What is opened is noted in `opened`, and closed in the opposite order. */
async function assemble(config: Config, infra: Infra, opened: AsyncDisposableStack): Promise<App> {
  const { clock, random, log } = infra
  const registry = listActions()
  const builtIn = loadBuiltIn(config)
  const metrics = new Metrics()
  const sources = new Sources({ log, metrics })
  const markets = openMarket(config, {
    clock,
    onFailure: ({ provider, reason }) => {
      sources.failed('price', provider, reason)
      log.warn({ event: 'provider_failure', provider, reason })
    },
    onSuccess: ({ provider }) => sources.answered('price', provider),
  })
  // Before anything is opened: a price that nobody can pay should not keep half a gateway running.
  const sold = readPrices(config, registry, markets.prices)
  let limitsDegraded = false
  // Known beforehand unless any port will do: jobs that run before we listen write links, too.
  let url = config.port === 0 ? '' : toUrl(config.host, config.port)
  const failures = openFailures({ log, metrics, clock })
  const { store, secrets, ledger, devnet } = await openFoundation(config, { ...infra, failures }, opened)
  const ids = openIds(random)
  const { network } = ledger
  const thresholds = thresholdsOf(config, network)
  const instance = ids.next('ins')
  const nodes = openNodes(config, {
    clock,
    random,
    log,
    metrics,
    failures,
    store,
    devnet,
    instance,
    ledger: { ...ledger, thresholds },
    onLearned: ledgerLearned(network, { db: store.db, clock, failures }),
  })
  opened.defer(() => nodes.close())
  const scheduler = await openScheduler(config, {
    clock,
    random,
    metrics,
    sources,
    nodes: nodes.pool.upstreams,
    onFailure: ({ engine, reason }) => log.warn({ event: 'work_failure', engine, reason }),
  })
  opened.defer(() => scheduler.close())
  if (devnet) lendThreads(devnet, scheduler)
  const { db, engine, notices } = store
  const wakeJobs = () => notices.publish('jobs', '')
  const storeCtx: StoreCtx = { db, clock, ids, random, wakeJobs, failures }
  const desk = new WorkDesk({
    searches: scheduler,
    store: storeCtx,
    precompute: config.workPrecompute,
    onHit: () => metrics.workHits.inc(),
    onPrepared: (root) => notices.publish('work', root),
  })
  opened.defer(() => desk.close())
  notices.subscribe('work', (root) => desk.noteReady(root))
  nodes.confirmations.listen((confirmation) => desk.note(confirmation, thresholds.send))
  const custodian = await openWallets(config, {
    store: storeCtx,
    node: nodes.forRequest(),
    work: desk,
    thresholds,
    notices,
    bus: nodes.confirmations,
    devnet,
    onAlarm: tellAlarm(log, metrics),
    onRefusal: (refusal) => tellRefusal({ log, metrics }, refusal),
  })
  opened.defer(() => custodian.close())
  if (keepsKeysBeside(config)) {
    const reason = `Wallets of a shared store are sealed with ${keyFileOf(config)}, which only this machine has. Set WALLET_KEYS on every gateway, with the keys of this file.`
    log.warn({ event: 'wallet_keys_not_shared', reason })
  }
  const swaps = openSwaps(config, { wallets: custodian.ctx, embedded: devnet !== undefined, clock })
  const usage = new UsageMeter(storeCtx)
  opened.defer(() => usage.close())
  const keys = new StoredKeys(storeCtx)
  opened.defer(() => keys.close())
  notices.subscribe('key', (hash) => keys.forget(hash))
  notices.onGap(() => keys.forgetAll())
  const mailer = config.smtpUrl === '' ? capturedMailer(db, clock) : smtpMailer(config.smtpUrl, config.mailFrom)
  const webhooks = openWebhooks(config, { store: storeCtx, secrets, metrics, log })
  const names = openNames(await withPlayNames(builtIn, devnet && custodian.ctx), {
    db,
    clock,
    notices,
    onError: failures.failed('names.book'),
  })
  opened.defer(() => names.stop())
  const sales = openSales(config, { wallets: custodian.ctx, notices, names, keys, exchanges: exchangesOf(builtIn) })
  const checkouts = openCheckouts(config, {
    engine,
    store: storeCtx,
    clock,
    notices,
    names,
    node: nodes.forRequest(),
    bus: nodes.confirmations,
    mailer,
    prices: markets.prices,
    outbound: webhooks.outbound,
    secrets: webhooks.secrets,
    wallets: custodian.ctx,
    sales,
    devnet: devnet !== undefined,
    baseUrl: () => config.baseUrl ?? url,
    onError: (error, doing) => failures.failed('checkout.monitor', { doing })(error),
  })
  const emails = openEmailPayments(config, {
    wallets: custodian.ctx,
    names,
    mailer,
    secrets: webhooks.secrets,
    baseUrl: () => config.baseUrl ?? url,
    blockLink: checkouts.till.links.block,
  })
  opened.defer(() => checkouts.close())
  const runner = new JobRunner({
    db,
    engine,
    clock,
    random,
    ids,
    jobs: [
      sendMail(mailer),
      mailSignInLink(storeCtx, mailer),
      releaseReservations(storeCtx),
      forgetExpired(storeCtx),
      forgetWorks(storeCtx),
      lookAtReps(storeCtx, nodes.forRequest()),
      forgetPaid(storeCtx),
      forgetDoneJobs(db, clock),
      ...custodian.jobs,
      ...webhooks.jobs,
      ...checkouts.jobs,
      ...emails.jobs.concat(sales.jobs),
      remindOfEnds(storeCtx, () => config.baseUrl ?? url),
      ...(swaps ? [followSwaps(storeCtx, swaps)] : []),
    ],
    failures,
    onOutcome: ({ kind, outcome }) => metrics.jobs.inc({ kind, outcome }),
  })
  opened.defer(async () => {
    const stopped = runner.stop()
    // Requests have ended by now. A job that waits for work would hold up the end for as long as the search takes.
    scheduler.dismiss()
    await stopped
  })
  notices.subscribe('jobs', () => runner.wake())
  const shared = await openSharedLimits(config, storeCtx, (degraded) => {
    limitsDegraded = degraded
    log.warn({ event: 'limits_degraded', degraded })
  })
  opened.defer(() => shared?.close())
  const usernameOf = (address: string) => names.usernameOf(address)
  const reps = new RepList({ node: nodes.forRequest(), db, clock, known: config.knownReps, usernameOf })
  const payments = openPayments(await withPlayPayments(config, devnet && custodian.ctx), {
    store: storeCtx,
    node: nodes.forRequest(),
    confirmations: nodes.confirmations,
    threshold: thresholds.send,
    prices: sold,
    rates: markets.prices,
    baseUrl: () => config.baseUrl ?? url,
  })
  opened.defer(() => payments.close())
  const gateway: Gateway = {
    registry,
    shop: payments.shop,
    keys,
    remembered: new RememberedAnswers(),
    tariffs: toTariffs(config),
    usage,
    secrets: webhooks.secrets,
    throttle: createThrottle({ burst: shared ?? new MemoryBurst(clock), plans: toPlans(config) }),
    nodeFor: (trace, leaving) => nodes.forRequest(trace, leaving),
    base: {
      clock,
      store: storeCtx,
      baseUrl: () => config.baseUrl ?? url,
      names,
      reps,
      ...markets,
      swaps,
      work: desk,
      custody: custodian.custody,
      till: checkouts.till,
      postOffice: emails.postOffice,
      faucet: toFaucetRules(config),
      limits: { countMax: config.countMax, findDepthMax: config.findDepthMax },
      thresholds,
    },
  }

  const scraped = await openMetricsListener(config, { metrics, log })
  // Closed after the server: how a gateway ends is seen, too.
  opened.defer(() => scraped.close())
  const server = openServer(config, {
    clock,
    random,
    log,
    metrics,
    gateway,
    nodes,
    store,
    keys,
    payments,
    checkouts,
    emails,
    webhooks,
    wallets: custodian.ctx,
    work: scheduler,
    sources,
    playLedger: devnet && toPlayLedger(devnet, (address) => notices.publish('written', `- ${address}`)),
    network,
    baseUrl: () => config.baseUrl ?? url,
  })
  opened.defer(() => server.close())
  exposeWallets(metrics, db)
  exposeGauges(metrics, { nodes, store, limitsDegraded: () => limitsDegraded, clients: () => server.websocketClients })

  // First of all: nothing is asked of a node before it is known to have our ledger.
  await nodes.start()
  await names.start()
  await desk.start()
  await runner.start()
  await custodian.start()
  url = toUrl(config.host, await server.listen())
  // Not before: a start that fails would have made a key that nobody has seen.
  const createdKey = await createFirstAdministrator(storeCtx, infra.keepKey)
  await checkouts.monitor.start()
  const walletKeyFile = config.walletKeys.length > 0 ? undefined : keyFileOf(config)
  const close = () => opened.disposeAsync()
  const doors = { actions: registry.actions, routes: server.routes }
  const shown = { url, metricsUrl: scraped.url, createdKey, walletKeyFile }
  return { ...shown, devnet, doors, nodes, store, usage, failures, work: scheduler, close }
}

const toUrl = (host: string, port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Config } from './config.ts'
import type { Devnet } from './devnet/index.ts'
import { startEmbedded } from './embedded.ts'
import { exposeGauges } from './gauges.ts'
import type { Gateway } from './guard/dispatch.ts'
import { Registry } from './guard/registry.ts'
import { RememberedAnswers } from './guard/remembered.ts'
import { createThrottle } from './guard/throttle.ts'
import { createClientIp, toTrustedProxies } from './http/client-ip.ts'
import { mountHealth } from './http/health.ts'
import { mountPages } from './http/pages.tsx'
import { type RestOptions, mountRest } from './http/rest.ts'
import { createRpcEndpoint } from './http/rpc.ts'
import { createServer } from './http/server.ts'
import { ClientSockets } from './http/websocket.ts'
import { mountX402 } from './http/x402.ts'
import { type Store, openStore } from './infra/db/open.ts'
import { openIds } from './infra/ids.ts'
import { countJobs, listJobs } from './infra/jobs/queue.ts'
import { forgetDoneJobs } from './infra/jobs/forget-done.ts'
import { JobRunner } from './infra/jobs/runner.ts'
import { MemoryBurst } from './infra/limits/gcra.ts'
import { RedisBurst } from './infra/limits/leases.ts'
import type { Log } from './infra/log.ts'
import { capturedMailer, listCapturedMail } from './infra/mail/captured.ts'
import { smtpMailer } from './infra/mail/smtp.ts'
import { Metrics } from './infra/metrics.ts'
import { Nodes } from './infra/node/index.ts'
import type { Scheduler } from './infra/work/scheduler.ts'
import { WORK_THRESHOLDS } from './kernel/nano/work.ts'
import type { Clock, Prices, Random } from './kernel/ports.ts'
import type { StoreCtx } from './kernel/in-tx.ts'
import {
  Sessions,
  StoredKeys,
  UsageMeter,
  accounts,
  createFirstAdministrator,
  forgetExpired,
  mailSignInLink,
  releaseReservations,
  sendMail,
} from './modules/accounts/index.ts'
import { ledger } from './modules/ledger/index.ts'
import { nameBook } from './modules/names/index.ts'
import { WorkDesk, forgetWorks, work } from './modules/work/index.ts'
import { forgetPaid } from './modules/x402/index.ts'
import { toPlans, toTariffs } from './plans.ts'
import { toUpstreams } from './upstreams.ts'
import { VERSION } from './version.ts'
import { openScheduler } from './work.ts'
import { openPayments, readPrices } from './x402.ts'

export interface Infra {
  clock: Clock
  random: Random
  log: Log
}

export interface App {
  /** Where the gateway answers, once it listens. */
  url: string
  /** Shown once: the administrator key that this start made. */
  createdKey: string | undefined
  devnet: Devnet | undefined
  nodes: Nodes
  store: Store
  usage: UsageMeter
  /** Where proof of work comes from. */
  work: Scheduler
  /** Stops taking requests, finishes the running ones, closes everything. */
  close(): Promise<void>
}

/** Puts the gateway together and opens its port. The only place that sees everything. */
export async function startApp(config: Config, { clock, random, log }: Infra): Promise<App> {
  const registry = new Registry([ledger, accounts, work])
  // What nano costs in other currencies; until there is a source, prices are in nano.
  const rates: Prices | undefined = undefined
  // Before anything is opened: a price that nobody can pay should not keep half a gateway running.
  const prices = readPrices(config, registry, rates)
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const startedAt = clock.now()
  let limitsDegraded = false
  const devnet = await startEmbedded(config, { clock, random })
  const store = await openStore(storeUrl(config), clock)
  const metrics = new Metrics()
  const upstreams = toUpstreams(config, devnet)
  const scheduler = await openScheduler(config, {
    clock,
    random,
    metrics,
    nodes: upstreams,
    onFailure: ({ engine, reason }) => log.warn({ event: 'work_failure', engine, reason }),
  })
  const nodes = new Nodes({
    upstreams,
    cacheBytesMax: config.cacheBytesMax,
    clock,
    random,
    onWrite: (keys, holder = '-') => store.notices.publish('written', [holder, ...keys].join(' ')),
    onRead: ({ upstream, hedged }) => metrics.upstreamRead(upstream, hedged),
    onFailure: ({ action, failure, requestId }) => {
      metrics.upstreamFailures.inc({ kind: failure.kind })
      log.warn({ event: 'upstream_failure', requestId, action, kind: failure.kind, reason: failure.message })
    },
  })
  const { db, engine, notices } = store
  const ids = openIds(random)
  notices.subscribe('written', (notice) => {
    const [holder = '', ...keys] = notice.split(' ')
    nodes.noteWrites(keys, holder)
  })
  const wakeJobs = () => notices.publish('jobs', '')
  const storeCtx: StoreCtx = { db, clock, ids, random, wakeJobs }
  const usage = new UsageMeter(storeCtx)
  const keys = new StoredKeys(db, clock)
  notices.subscribe('key', (hash) => keys.forget(hash))
  const mailer = config.smtpUrl === '' ? capturedMailer(db, clock) : smtpMailer(config.smtpUrl, config.mailFrom)
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
      forgetPaid(storeCtx),
      forgetDoneJobs(db, clock),
    ],
    onOutcome: ({ kind, outcome }) => metrics.jobs.inc({ kind, outcome }),
  })
  notices.subscribe('jobs', () => runner.wake())
  const createdKey = await createFirstAdministrator(storeCtx)
  const shared = await openSharedLimits(config, clock, (degraded) => {
    limitsDegraded = degraded
    log.warn({ event: 'limits_degraded', degraded })
  })
  const network = devnet ? 'dev' : config.nodeNetwork
  const thresholds = WORK_THRESHOLDS[network]
  const desk = new WorkDesk({
    searches: scheduler,
    store: storeCtx,
    precompute: config.workPrecompute,
    onHit: () => metrics.workHits.inc(),
  })
  nodes.confirmations.listen((confirmation) => desk.note(confirmation, thresholds.send))
  const payments = openPayments(config, {
    store: storeCtx,
    node: nodes.forRequest(),
    confirmations: nodes.confirmations,
    threshold: thresholds.send,
    prices,
    rates,
    baseUrl: () => config.baseUrl ?? url,
  })
  const gateway: Gateway = {
    registry,
    shop: payments.shop,
    keys,
    remembered: new RememberedAnswers(),
    tariffs: toTariffs(config),
    usage,
    throttle: createThrottle({ burst: shared ?? new MemoryBurst(clock), plans: toPlans(config) }),
    nodeFor: (trace, leaving) => nodes.forRequest(trace, leaving),
    base: {
      clock,
      store: storeCtx,
      baseUrl: () => config.baseUrl ?? url,
      names: nameBook(config.knownNames),
      work: desk,
      limits: { countMax: config.countMax, findDepthMax: config.findDepthMax },
      thresholds,
    },
  }

  const instance = Buffer.from(random.bytes(4)).toString('hex')
  let requests = 0
  let draining = false
  let url = ''
  const nextRequestId = () => `${instance}-${(++requests).toString(36)}`
  const clientIp = createClientIp(toTrustedProxies(config.trustedProxies))
  const rpc = createRpcEndpoint({
    gateway,
    bodyBytesMax: config.bodyBytesMax,
    concurrencyMax: config.concurrencyMax,
    clientIp,
    nextRequestId,
    report({ requestId, action, status, code, cache, caller, payment, milliseconds, cause }) {
      metrics.request(action, status, milliseconds / 1000)
      if (cache !== undefined) metrics.cacheResult(cache)
      const line = { requestId, action, status, code, cache, caller, payment, ms: milliseconds }
      if (status === 500) log.error({ ...line, error: describe(cause) })
      // What the client is not told: which of the parts that payments need is away.
      else if (code === 'payment_unavailable') log.warn({ ...line, reason: messageBehind(cause) })
      else log.info(line)
    },
  })
  const server = createServer({
    bodyBytesMax: config.bodyBytesMax,
    requestTimeoutMilliseconds: config.requestTimeoutMilliseconds,
    rpc,
    nextRequestId,
    onError: (error, requestId) => log.error({ event: 'unexpected', requestId, error: describe(error) }),
  })
  const sockets = new ClientSockets({ bus: nodes.confirmations, clock, clientsMax: config.websocketClientsMax })
  sockets.attach(server.server)
  const enter: RestOptions['enter'] = (caller, { socket, headers }) => {
    const ip = clientIp(socket.remoteAddress, headers['x-forwarded-for'])
    return gateway.throttle.enter(caller, ip, caller.kind === 'account' && caller.prepaid)
  }
  const onError = (error: unknown, requestId: string) =>
    log.error({ event: 'unexpected', requestId, error: describe(error) })
  mountRest(server, {
    store: storeCtx,
    keys,
    sessions: new Sessions(storeCtx),
    notices,
    baseUrl: () => config.baseUrl ?? url,
    listMails: (limit) => listCapturedMail(db, limit),
    listJobs: (filter) => listJobs(db, filter),
    enter,
    onError,
  })
  mountX402(server, { till: payments.till, shop: payments.shop, enter, onError })
  mountHealth(server, {
    notReady: () => {
      if (draining) return 'draining'
      return nodes.pool.upstreams.some(({ healthy }) => healthy) ? undefined : 'no healthy node'
    },
    metrics: config.metrics ? () => metrics.text() : undefined,
  })
  mountPages(server, {
    actions: registry.actions,
    baseUrl: () => config.baseUrl ?? url,
    version: VERSION,
    devnet: devnet !== undefined,
    status: () => ({
      uptimeSeconds: Math.floor((clock.now() - startedAt) / 1000),
      network,
      confirmationsConnected: nodes.confirmations.connected,
      websocketClients: sockets.count,
      cachedBytes: nodes.cachedBytes,
      upstreams: nodes.pool.upstreams.map((upstream) => ({
        name: upstream.options.name,
        role: upstream.options.role,
        healthy: upstream.healthy,
        state: upstream.lagging ? 'behind the others' : upstream.reachable ? 'well' : 'not answering',
        cemented: upstream.cemented,
        p95Milliseconds: upstream.latencies.p95,
      })),
    }),
  })
  exposeGauges(metrics, {
    nodes,
    limitsDegraded: () => limitsDegraded,
    websocketClients: () => sockets.count,
    countJobs: () => countJobs(db),
  })

  const close = async () => {
    draining = true
    sockets.close()
    const cutOff = clock.after(config.drainMilliseconds, () => server.server.closeAllConnections())
    await server.close()
    cutOff()
    desk.close()
    await scheduler.close()
    await runner.stop()
    await usage.close()
    await keys.close()
    await payments.close()
    shared?.close()
    await store.close()
    await nodes.close()
    await devnet?.close()
  }
  try {
    await desk.start()
    await runner.start()
    await nodes.start()
    await server.listen({ port: config.port, host: config.host })
  } catch (error) {
    await close()
    throw error
  }
  const { port } = server.server.address() as AddressInfo
  url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  return { url, createdKey, devnet, nodes, store, usage, work: scheduler, close }
}

async function openSharedLimits(config: Config, clock: Clock, onDegraded: (degraded: boolean) => void) {
  if (config.redisUrl === '') return undefined
  return RedisBurst.open({ url: config.redisUrl, clock, instances: config.instances, onDegraded })
}

/** The store a configuration names. */
export function storeUrl(config: Config): string {
  return config.databaseUrl === '' ? `sqlite:${join(config.dataDir, 'gateway.db')}` : config.databaseUrl
}

function messageBehind(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error ? cause.message : 'unknown'
}

/** Type and text of a failure for the log; never the objects it carries. */
function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

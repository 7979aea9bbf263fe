import type { Config } from '../config/config.ts'
import { toBatchWidth } from '../guard/charge.ts'
import { type Gateway } from '../guard/passing.ts'
import type { RpcReport } from '../http/ask.ts'
import { mountAssets } from '../http/assets.ts'
import { openCalls } from '../http/calls.ts'
import { mountDashboard } from '../http/dashboard.tsx'
import { DeveloperAccess } from '../http/developer-access.ts'
import { mountDocuments } from '../http/docs/index.ts'
import { mountHealth } from '../http/health.ts'
import { listenAt } from '../http/listen.ts'
import { mountMcp } from '../http/mcp/index.ts'
import { RouteLimits, openLimit } from '../http/route-limits.ts'
import { type AnsweredRoute, type RoutesOptions, listAnswered, mountRoutes } from '../http/routes.ts'
import { RpcEndpoint } from '../http/rpc.ts'
import { type AnsweredRequest, createServer, toRefusal } from '../http/server.ts'
import { ClientSockets } from '../http/websocket.ts'
import { countJobs, countUnfinished, listJobs, retryDead } from '../infra/jobs/queue.ts'
import { MemoryLimiter } from '../infra/limits/gcra.ts'
import { describeError, openRequestLog } from '../infra/log.ts'
import { listCapturedMail } from '../infra/mail/captured.ts'
import { noNodeReason } from '../infra/node/open.ts'
import type { Db } from '../kernel/db.ts'
import { AppError } from '../kernel/errors.ts'
import type { Module } from '../kernel/module.ts'
import type { Modules } from '../modules.ts'
import type { RequestLog } from '../modules/accounts/index.ts'
import type { GatewayStatus } from '../modules/admin/index.ts'
import { openAdmin } from '../modules/admin/open.ts'
import { OFFERED } from '../offered.ts'
import { openPrivacy } from '../store/privacy.ts'
import { VERSION } from '../version.ts'
import type { Ports } from './ports.ts'

interface Served {
  ports: Ports
  modules: Modules
  gateway: Gateway
}

interface OpenServer {
  /** Every route beside the RPC endpoint. Complete once the server listens. */
  readonly routes: readonly AnsweredRoute[]
  readonly websocketClients: number
  /** Returns the port on which it listens. */
  listen(): Promise<number>
  /** Reports that it is about to stop, then stops taking requests and finishes the running ones. */
  close(): Promise<void>
}

/** All endpoints of the gateway on one port: RPC, REST, payment pages, websocket, health, pages. */
export function openServer(config: Config, { ports, modules, gateway }: Served): OpenServer {
  const { clock, random, nodes, store, secrets } = ports
  const baseUrl = () => ports.links.base()
  const devnet = ports.developmentLedger !== undefined
  const { calls, announceEnd, finish } = openCalls(config, { clock, random })
  const { clientIp, nextRequestId, isDraining } = calls
  const ipOf: RoutesOptions['ipOf'] = (request) =>
    clientIp(request.socket.remoteAddress, request.headers['x-forwarded-for'])
  const { onError, report, onAnswered } = openReports(ports, modules.accounts.requests)

  const { bodyBytesMax, concurrencyMax, requestTimeoutMilliseconds, httpFast } = config
  const asking = { gateway, concurrencyMax, report, running: { count: 0 } }
  const rpc = new RpcEndpoint({
    ...calls,
    ...asking,
    bodyBytesMax,
    batchWidth: toBatchWidth(config),
    servesThisMachine: devnet && config.isLocal,
  })
  const server = createServer({
    devnet,
    ...calls,
    bodyBytesMax,
    requestTimeoutMilliseconds,
    httpFast,
    rpc,
    onError,
    onAnswered,
    traces: ports.traces && { traces: ports.traces, ipOf },
  })
  const routes = listAnswered(server)
  const sockets = new ClientSockets({
    bus: nodes.confirmations,
    topics: nodes.confirmations,
    names: modules.names.names,
    clock,
    clientsMax: config.websocketClientsMax,
    clientsPerAddressMax: config.websocketClientsPerAddressMax,
    ipOf,
    toRefusal: (error) => toRefusal(error, { requestId: nextRequestId() }),
    onFailure: ports.failures.failed('websocket.frame'),
  })
  sockets.attach(server.server)
  const { opened } = ports
  const notReady = () => (isDraining() ? 'draining' : (noNodeReason(nodes) ?? unwritableReason(opened)))
  mountHealth(server, { notReady })
  const { keys, sessions } = modules.accounts
  const openLimiter = () => new MemoryLimiter(clock)
  const limits = new RouteLimits({ keys, openLimiter, ipOf: ({ raw }) => ipOf(raw) })
  const limited = { limits, openLimit: openLimit(config.limitPagesPerMinute), devnet }
  mountDocuments(server, {
    gateway,
    clientIp,
    report,
    onError,
    baseUrl,
    version: VERSION,
    ...limited,
    modules: OFFERED,
  })
  mountAssets(server)
  mountMcp(server, { ...asking, ipOf, baseUrl, version: VERSION, isLocal: config.isLocal, onError })

  const cachedBytes = () => nodes.cachedBytes + gateway.remembered.bytes
  const status = openStatus(ports, { websocketClients: () => sockets.count, cachedBytes })
  const all: readonly Module[] = [...Object.values(modules), adminOf(config, { ports, modules }, status)]
  const declared = all.flatMap((module) => module.routes ?? [])
  const described = OFFERED.flatMap((module) => module.described ?? [])
  const pages = all.flatMap((module) => module.pages ?? [])
  const developers = new DeveloperAccess({ isLocal: config.isLocal, keys, sessions, baseUrl })
  const enter: RoutesOptions['enter'] = (caller, request) =>
    gateway.throttle.enter(caller, ipOf(request), caller.kind === 'account' && caller.prepaid)
  const shared = { store, secrets, keys, sessions, developers, baseUrl, enter, onError }
  const streams = mountRoutes(server, declared, { ...shared, ...limited, ipOf, described })
  const { uploads } = modules.accounts
  mountDashboard(server, {
    ...shared,
    uploads,
    ipOf,
    devnet,
    pages,
    streams,
    tariffs: gateway.tariffs,
    notices: ports.notices,
  })

  let saidGoodbye: Promise<void> | undefined
  const sayGoodbye = async () => {
    await announceEnd()
    // As late as possible: a client that reconnects should find another instance.
    sockets.close()
    streams.closeAll()
    for (const module of all) module.stopping?.()
  }
  const goodbye = () => (saidGoodbye ??= sayGoodbye())

  return {
    routes,
    get websocketClients() {
      return sockets.count
    },
    listen: () => listenAt(server, config),
    async close() {
      await goodbye()
      await finish(server)
    },
  }
}

/** The administrators' module, the only one that reads all others. */
function adminOf(config: Config, { ports, modules }: Pick<Served, 'ports' | 'modules'>, status: () => GatewayStatus) {
  const { store } = ports
  const { checkouts } = modules.checkout
  const { wallets } = modules.wallets
  const { announceStanding } = modules.accounts
  const mailIsKept = config.smtpUrl === ''
  const upkeep = { ...openUpkeep(store.db), ...openPrivacy(store) }
  return openAdmin({ store, checkouts, wallets, mailIsKept, announceStanding, status, ...upkeep })
}

/** Reports requests, in the log and in metrics. */
function openReports({ log, metrics }: Pick<Ports, 'log' | 'metrics'>, requests: Pick<RequestLog, 'note'>) {
  const logRequest = openRequestLog(log)
  return {
    onError: (error: unknown, requestId: string) => {
      const code = error instanceof AppError ? error.code : undefined
      // The client gets no reason and no name of the service that failed; the log has both.
      if (code !== undefined && AWAY.has(code)) log.warn({ event: code, requestId, reason: messageBehind(error) })
      else log.error({ event: 'unexpected', requestId, error: describeError(error) })
    },
    onAnswered: ({ requestId, action, status, caller, milliseconds }: AnsweredRequest) => {
      requests.note(caller, { requestId, action, status, code: undefined, milliseconds })
      logRequest({ requestId, action, status, cache: undefined, caller: caller?.kind, ms: milliseconds })
    },
    report: ({ requestId, action, status, code, cache, caller: from, payment, milliseconds, cause }: RpcReport) => {
      requests.note(from, { requestId, action, status, code, milliseconds })
      const caller = from?.kind
      metrics.request(action, status, milliseconds / 1000)
      if (cache !== undefined) metrics.cacheResult(cache)
      if (code === undefined && payment === undefined) {
        logRequest({ requestId, action, status, cache, caller, ms: milliseconds })
        return
      }
      const line = { requestId, action, status, code, cache, caller, payment, ms: milliseconds }
      if (status === 500) log.error({ ...line, error: describeError(cause) })
      else if (code !== undefined && AWAY.has(code)) log.warn({ ...line, reason: messageBehind(cause) })
      else log.info(line)
    },
  }
}

/**
 * A gateway is not ready while its store takes no writes, so that load balancers send writes elsewhere. It still
 * answers reads.
 */
const unwritableReason = ({ unwritable }: Ports['opened']) =>
  unwritable === undefined ? undefined : `the store takes no writes: ${unwritable}`

/** Codes of answers whose cause is logged for the operator. */
const AWAY = new Set(['payment_unavailable', 'store_unavailable'])

function messageBehind(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error ? cause.message : 'unknown'
}

/** The status of the gateway for administrators. Its uptime starts now. */
function openStatus(
  { clock, network, opened: store, nodes, sources, searches: work }: Ports,
  { websocketClients, cachedBytes }: { websocketClients: () => number; cachedBytes: () => number },
): () => GatewayStatus {
  const startedAt = clock.now()
  return () => ({
    version: VERSION,
    uptimeSeconds: Math.floor((clock.now() - startedAt) / 1000),
    network,
    store: store.engine,
    confirmationsConnected: nodes.confirmations.connected,
    websocketClients: websocketClients(),
    cachedBytes: cachedBytes(),
    upstreams: nodes.pool.upstreams.map((upstream) => ({
      name: upstream.options.name,
      role: upstream.options.role,
      healthy: upstream.healthy,
      state: upstream.state,
      reason: upstream.reason,
      cemented: upstream.cemented,
      p95Milliseconds: upstream.latencies.p95,
    })),
    sources: sources.list(),
    work: {
      sources: work.engines.map(({ name, kind, usable, rate }) => ({ name, kind, usable, rate })),
      searches: work.load.jobs,
      queueSeconds: work.load.seconds,
    },
  })
}

/** What administrators can inspect and restart: jobs, and mail that was kept instead of sent. */
function openUpkeep(db: Db) {
  return {
    listMails: (limit: number) => listCapturedMail(db, limit),
    listJobs: (filter: { status?: string; limit: number }) => listJobs(db, filter),
    countJobs: () => countJobs(db),
    countUnfinished: () => countUnfinished(db),
    retryDead,
  }
}

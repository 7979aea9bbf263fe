import type { AddressInfo } from 'node:net'
import type { CheckoutParts } from './checkout.ts'
import type { Config } from './config.ts'
import type { EmailParts } from './email.ts'
import type { Gateway } from './guard/dispatch.ts'
import { checkoutRoutes } from './http/checkout-routes.ts'
import { mountClaims } from './http/claim-routes.tsx'
import { createClientIp, toTrustedProxies } from './http/client-ip.ts'
import { mountDashboard } from './http/dashboard.tsx'
import { DeveloperDoor } from './http/developer-door.ts'
import { mountDeveloper } from './http/developer-routes.ts'
import { emailRoutes } from './http/email-routes.ts'
import { mountHealth } from './http/health.ts'
import { mountPages } from './http/pages.tsx'
import { PayRoutes, type PayRoutesOptions } from './http/pay-routes.ts'
import { type RestOptions, mountRest } from './http/rest.ts'
import { type RpcReport, createRpcEndpoint } from './http/rpc.ts'
import { createServer, toRefusal } from './http/server.ts'
import { ClientSockets } from './http/websocket.ts'
import { mountX402 } from './http/x402.ts'
import type { Store } from './infra/db/open.ts'
import { openPictures } from './infra/http/pictures.ts'
import { countJobs, listJobs, retryDead } from './infra/jobs/queue.ts'
import { MemoryBurst } from './infra/limits/gcra.ts'
import { type Log, describeError } from './infra/log.ts'
import { listCapturedMail } from './infra/mail/captured.ts'
import type { Metrics } from './infra/metrics.ts'
import type { Nodes } from './infra/node/index.ts'
import type { Scheduler } from './infra/work/scheduler.ts'
import { inTx } from './kernel/in-tx.ts'
import type { Clock, PlayLedger, Random } from './kernel/ports.ts'
import {
  Sessions,
  type StoredKeys,
  activityPages,
  insertAudit,
  keyPages,
  signInPages,
} from './modules/accounts/index.ts'
import { type GatewayStatus, administrationPages, overviewPages } from './modules/admin/index.ts'
import { creditPages } from './modules/billing/index.ts'
import { checkoutPages, developerPages } from './modules/checkout/index.ts'
import { emailPages } from './modules/email/index.ts'
import { namePages } from './modules/usernames/index.ts'
import { type WalletCtx, walletPages } from './modules/wallets/index.ts'
import { webhookPages } from './modules/webhooks/index.ts'
import { noNodeReason } from './nodes.ts'
import type { Sources } from './sources.ts'
import { VERSION } from './version.ts'
import type { Webhooks } from './webhooks.ts'
import type { Payments } from './x402.ts'

/** What stands behind the doors. */
interface Served {
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  gateway: Gateway
  nodes: Nodes
  store: Store
  keys: StoredKeys
  payments: Payments
  checkouts: CheckoutParts
  emails: EmailParts
  webhooks: Webhooks
  wallets: WalletCtx
  work: Scheduler
  sources: Sources
  /** Undefined with real nodes. */
  playLedger: PlayLedger | undefined
  network: string
  baseUrl(): string
}

export interface Route {
  method: string
  /** With the names of its parameters, as in `/check/:id`. */
  path: string
}

interface OpenServer {
  /** Every route beside the RPC endpoint. Whole once it listens. */
  readonly routes: readonly Route[]
  readonly websocketClients: number
  /** Answers the port it listens on. */
  listen(): Promise<number>
  /** Says that it is about to stop, then stops taking requests and finishes the running ones. */
  close(): Promise<void>
}

/** Every door of the gateway on one port: RPC, REST, payment pages, websocket, health, pages. */
export function openServer(config: Config, served: Served): OpenServer {
  const { clock, random, log, metrics, gateway, nodes, store, payments, checkouts, webhooks, playLedger, baseUrl } =
    served
  const devnet = playLedger !== undefined
  const { db, notices } = store
  const { base } = gateway
  const startedAt = clock.now()
  const instance = Buffer.from(random.bytes(4)).toString('hex')
  let requests = 0
  let draining = false
  const isDraining = () => draining
  const nextRequestId = () => `${instance}-${(++requests).toString(36)}`
  const clientIp = createClientIp(toTrustedProxies(config.trustedProxies))
  const onError = (error: unknown, requestId: string) =>
    log.error({ event: 'unexpected', requestId, error: describeError(error) })
  const report = ({ requestId, action, status, code, cache, caller, payment, milliseconds, cause }: RpcReport) => {
    metrics.request(action, status, milliseconds / 1000)
    if (cache !== undefined) metrics.cacheResult(cache)
    const line = { requestId, action, status, code, cache, caller, payment, ms: milliseconds }
    if (status === 500) log.error({ ...line, error: describeError(cause) })
    // What the client is not told: which part is away, and how.
    else if (code !== undefined && AWAY.has(code)) log.warn({ ...line, reason: messageBehind(cause) })
    else log.info(line)
  }
  const rpc = createRpcEndpoint({
    gateway,
    bodyBytesMax: config.bodyBytesMax,
    concurrencyMax: config.concurrencyMax,
    clientIp,
    nextRequestId,
    isDraining,
    report,
  })
  const server = createServer({
    bodyBytesMax: config.bodyBytesMax,
    requestTimeoutMilliseconds: config.requestTimeoutMilliseconds,
    rpc,
    isDraining,
    nextRequestId,
    onError,
  })
  const routes: Route[] = []
  server.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) routes.push({ method: each, path: url })
  })
  const ipOf: PayRoutesOptions['ipOf'] = ({ socket, headers }) =>
    clientIp(socket.remoteAddress, headers['x-forwarded-for'])
  const sockets = new ClientSockets({
    bus: nodes.confirmations,
    clock,
    clientsMax: config.websocketClientsMax,
    clientsPerAddressMax: config.websocketClientsPerAddressMax,
    ipOf,
    toRefusal: (error) => toRefusal(error, { requestId: nextRequestId() }),
  })
  sockets.attach(server.server)
  const enter: RestOptions['enter'] = (caller, request) =>
    gateway.throttle.enter(caller, ipOf(request), caller.kind === 'account' && caller.prepaid)
  const sessions = new Sessions({ ...base.store, secrets: webhooks.secrets })
  notices.subscribe('session', (id) => sessions.forget(id))
  const developers = new DeveloperDoor({ atDesk: config.atDesk, keys: served.keys, sessions, baseUrl })
  mountRest(server, {
    store: base.store,
    keys: served.keys,
    sessions,
    notices,
    baseUrl,
    listMails: (limit) => listCapturedMail(db, limit),
    listJobs: (filter) => listJobs(db, filter),
    enter,
    onError,
    parts: [webhooks.routes, checkoutRoutes(checkouts.ctx), emailRoutes(served.emails.ctx)],
  })
  mountX402(server, { till: payments.till, shop: payments.shop, enter, onError })
  const payRoutes = new PayRoutes({
    ...checkouts,
    clock,
    pictures: openPictures({ outbound: webhooks.outbound, clock }),
    playLedger,
    developers,
    burst: new MemoryBurst(clock),
    keys: served.keys,
    perMinute: { address: config.limitCheckPerMinute, account: config.limitCheckAccountPerMinute },
    ipOf,
    onError,
  })
  payRoutes.mount(server)
  mountDeveloper(server, {
    ctx: checkouts.ctx,
    ledger: playLedger,
    door: developers,
    burst: new MemoryBurst(clock),
    baseUrl,
    ipOf,
    onError,
  })
  mountClaims(server, { ctx: served.emails.ctx, devnet, ipOf, burst: new MemoryBurst(clock), onError })
  mountHealth(server, {
    notReady: () => {
      if (draining) return 'draining'
      return noNodeReason(nodes)
    },
  })
  mountPages(server, {
    gateway,
    clientIp,
    report,
    baseUrl,
    version: VERSION,
    devnet,
    names: base.names,
    reps: base.reps,
    currencies: base.prices.currencies,
    swaps: base.swaps,
  })
  const status = () => ({
    ...describeStatus(served),
    uptimeSeconds: Math.floor((clock.now() - startedAt) / 1000),
    websocketClients: sockets.count,
  })
  mountDashboard(server, {
    pages: dashboardPages(served, { mailIsKept: config.smtpUrl === '', sessions, status }),
    store: base.store,
    sessions,
    secrets: webhooks.secrets,
    notices,
    baseUrl,
    devnet,
    developers,
    enter,
    onError,
  })

  return {
    routes,
    get websocketClients() {
      return sockets.count
    },
    async listen() {
      await server.listen({ port: config.port, host: config.host }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error
        throw new Error(`Port ${config.port} is taken. Another one: PORT=${config.port + 1}`, { cause: error })
      })
      return (server.server.address() as AddressInfo).port
    },
    async close() {
      draining = true
      // Whoever balances requests reads our readiness now and then; until it has, requests still come and are answered.
      if (config.drainNoticeMilliseconds > 0) {
        await new Promise<void>((resolve) => clock.after(config.drainNoticeMilliseconds, resolve))
      }
      // Only now: those who are told to come back should find another instance.
      sockets.close()
      payRoutes.close()
      const cutOff = clock.after(config.drainMilliseconds, () => server.server.closeAllConnections())
      await server.close()
      cutOff()
    },
  }
}

/** Every page of the dashboard, room by room. */
function dashboardPages(
  { gateway: { base }, store: { db, notices }, clock, keys, checkouts, wallets, emails, webhooks, ...served }: Served,
  { mailIsKept, sessions, status }: { mailIsKept: boolean; sessions: Sessions; status(): GatewayStatus },
) {
  const { store, names } = base
  const { till, ctx } = checkouts
  const devnet = served.playLedger !== undefined
  return [
    ...signInPages({ store, keys, sessions, baseUrl: served.baseUrl, devnet, mailIsKept }),
    ...keyPages({ store, notices }),
    ...activityPages({ store }),
    ...webhookPages({ ...store, secrets: webhooks.secrets, outbound: webhooks.outbound }),
    ...walletPages({ wallets, names, blockLink: till.links.block }),
    ...checkoutPages(ctx),
    ...developerPages({ checkouts: ctx, ledger: served.playLedger }),
    ...creditPages({ store, till, names }),
    ...namePages({ store, till, names }),
    ...emailPages(emails.ctx),
    ...overviewPages({ checkouts: ctx, wallets }),
    ...administrationPages({
      checkouts: ctx,
      mailIsKept,
      status,
      listMails: (limit) => listCapturedMail(db, limit),
      listJobs: (filter) => listJobs(db, filter),
      countJobs: () => countJobs(db),
      retryJob: (id, actor) =>
        inTx(store, async (tx) => {
          if (!(await retryDead(tx.db, id, clock.now()))) return false
          await insertAudit(tx, { actor, accountId: actor, what: 'job.retried', detail: { id } })
          return true
        }),
    }),
  ]
}

function describeStatus({ nodes, store, network, sources, work }: Served) {
  return {
    version: VERSION,
    network,
    store: store.engine,
    confirmationsConnected: nodes.confirmations.connected,
    cachedBytes: nodes.cachedBytes,
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
  }
}

/** Codes of answers that an operator wants to know more about. */
const AWAY = new Set(['payment_unavailable', 'store_unavailable'])

function messageBehind(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error ? cause.message : 'unknown'
}

import { type Config, storeUrl } from './config/config.ts'
import type { Devnet } from './devnet/index.ts'
import { openMetricsListener } from './http/metrics-listener.ts'
import type { AnsweredRoute } from './http/routes.ts'
import { RESTORED_BENEATH } from './infra/db/store-mark.ts'
import { diskGauge } from './infra/db/disk.ts'
import { sizeGauges } from './infra/db/measure.ts'
import type { Store } from './infra/db/open.ts'
import { backupGauge } from './infra/db/rolling-backup.ts'
import { exposeGauges } from './infra/gauges.ts'
import { MemoryLimiter } from './infra/limits/gcra.ts'
import { toUrl } from './infra/links.ts'
import { describeError } from './infra/log.ts'
import type { Nodes } from './infra/node/index.ts'
import { keyFileOf } from './infra/secrets/vault.ts'
import { useFastestCurve } from './infra/sodium-curve.ts'
import type { Scheduler } from './infra/work/scheduler.ts'
import type { Action } from './kernel/action.ts'
import type { Failures } from './kernel/failures.ts'
import type { Module } from './kernel/module.ts'
import { actorOf } from './kernel/actor.ts'
import { type UsageMeter, createFirstAdministrator } from './modules/accounts/index.ts'
import { declareRestore } from './modules/wallets/index.ts'
import { openModules } from './modules.ts'
import { openCommandSocket, openJobs } from './app/background.ts'
import { openGuard } from './app/guard.ts'
import { type Ports, type Surroundings, openPorts } from './app/ports.ts'
import { openServer } from './app/serve.ts'

interface Infra extends Surroundings {
  /** Receives a first start's administrator key before the key is stored, so that a crash in between cannot lose it. */
  keepKey?: (key: string) => void
}

export interface App {
  /** The URL of the gateway, once it listens. */
  url: string
  /** Undefined when metrics are switched off. */
  metricsUrl: string | undefined
  /** The administrator key that this start made; it is shown once. */
  createdKey: string | undefined
  /** The file of the master keys of wallets, unless they come from a setting. */
  walletKeyFile: string | undefined
  devnet: Devnet | undefined
  /** Every action and every route that it answers. */
  endpoints: { actions: readonly Action[]; routes: readonly AnsweredRoute[] }
  nodes: Nodes
  store: Store
  usage: UsageMeter
  failures: Failures
  work: Scheduler
  /** Stops taking requests, finishes the running ones, closes everything. */
  close(): Promise<void>
}

/** Puts the gateway together and opens its port. If something fails, everything that was opened is closed again. */
export async function startApp(config: Config, infra: Infra): Promise<App> {
  const stack = new AsyncDisposableStack()
  infra.log.info({ event: 'curve', ...useFastestCurve() })
  try {
    return await assemble(config, infra, stack)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** If the store is older than this data folder has seen it, declares it restored; if it becomes so while the gateway runs, ends the gateway. */
async function followStore({ mark, store, log }: Ports, { leave }: Infra, stack: AsyncDisposableStack): Promise<void> {
  if (mark.isOlder) {
    log.error({ event: 'store_restored', reason: RESTORED_BENEATH })
    await declareRestore(store, actorOf.service('service'), RESTORED_BENEATH)
    await mark.renew()
  }
  const watched = mark.watch((reason) => {
    log.error({ event: 'store_restored', reason })
    leave?.(reason)
  })
  stack.defer(watched)
}

/** Opens ports, modules and endpoints, then starts them, each after what it depends on. */
async function assemble(config: Config, infra: Infra, stack: AsyncDisposableStack): Promise<App> {
  const ports = await openPorts(config, infra, stack)
  const { store, opened, nodes, searches, devnet, metrics, links, failures, log } = ports
  const modules = await openModules(config, ports, stack)
  const all: readonly Module[] = Object.values(modules)
  await followStore(ports, infra, stack)
  const runner = openJobs(config, { ports, modules: all }, stack)
  const limiter = new MemoryLimiter(store.clock)
  const gateway = await openGuard(config, { ports, modules, limiter }, stack)
  if (opened.engine === 'sqlite') await openCommandSocket(config, ports, stack)
  const scraped = await openMetricsListener(config, {
    read: () => metrics.text(),
    onError: (error) => log.error({ event: 'metrics', error: describeError(error) }),
    onOtherPort: (reason) => log.warn({ event: 'metrics_port_taken', reason }),
  })
  // Closed after the server, so that metrics can be read until the gateway has ended.
  stack.defer(() => scraped.close())
  const server = openServer(config, { ports, modules, gateway })
  stack.defer(() => server.close())
  const gauges = [
    ...all.flatMap(({ gauges: own = [] }) => own),
    ...sizeGauges(store.db),
    backupGauge(store),
    diskGauge({ dataDir: config.dataDir, url: storeUrl(config) }),
  ]
  for (const { name, help, labels, read } of gauges) {
    metrics.gauge(name, help, labels, read)
  }
  const cachedBytes = () => nodes.cachedBytes + gateway.remembered.bytes
  exposeGauges(metrics, { nodes, store: opened, cachedBytes, clients: () => server.websocketClients })

  // Started first, because no request may go to a node whose ledger has not been verified.
  await nodes.start()
  for (const module of all) await module.load?.()
  await runner.start()
  for (const module of all) await module.start?.()
  const url = toUrl(config.host, await server.listen())
  links.listenAt(url)
  // Created last: if the start failed after this, the store would have a key that no operator has seen.
  const createdKey = await createFirstAdministrator(store, infra.keepKey)
  for (const module of all) await module.listening?.()
  const walletKeyFile = config.walletKeys.length > 0 ? undefined : keyFileOf(config)
  const endpoints = { actions: gateway.registry.actions, routes: server.routes }
  const shown = { url, metricsUrl: scraped.url, createdKey, walletKeyFile }
  return {
    ...shown,
    devnet,
    endpoints,
    nodes,
    store: opened,
    usage: modules.accounts.usage,
    failures,
    work: searches,
    close: () => stack.disposeAsync(),
  }
}

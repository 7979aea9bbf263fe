import { type Config, storeUrl } from './config/config.ts'
import type { Devnet } from './devnet/index.ts'
import { openMetricsListener } from './http/metrics-listener.ts'
import type { AnsweredRoute } from './http/routes.ts'
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
import { type UsageMeter, createFirstAdministrator } from './modules/accounts/index.ts'
import { toPlayNames } from './app/development-ledger.ts'
import { openRooms } from './modules.ts'
import { openCommandSocket, openJobs } from './app/background.ts'
import { openGuard } from './app/guard.ts'
import { type Surroundings, openPorts } from './app/ports.ts'
import { isSame, openFronts } from './processes/fronts.ts'
import type { FrontFacts, Place } from './processes/lines.ts'
import { openServer } from './app/serve.ts'

interface Infra extends Surroundings {
  /** Hears of the administrator key of a first start before it counts, so that it is not lost when the process is. */
  keepKey?: (key: string) => void
  /** Where fronts hold the port. */
  place?: Place
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
  doors: { actions: readonly Action[]; routes: readonly AnsweredRoute[] }
  nodes: Nodes
  store: Store
  usage: UsageMeter
  failures: Failures
  /** Where proof of work comes from. */
  work: Scheduler
  /** What fronts are told of us. */
  facts: FrontFacts
  /** Tells those who stay for long that it stops; requests are answered until it is closed. */
  goodbye(): Promise<void>
  /** Stops taking requests, finishes the running ones, closes everything. */
  close(): Promise<void>
}

/** Puts the gateway together and opens its port. What was opened before something failed is closed again. */
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

/** Ports, rooms, doors; then everything begins, in the order in which it depends on each other. */
async function assemble(config: Config, infra: Infra, stack: AsyncDisposableStack): Promise<App> {
  const ports = await openPorts(config, infra, stack)
  const { store, opened, nodes, searches, devnet, metrics, links, failures, log } = ports
  const rooms = await openRooms(config, ports, stack)
  const modules: readonly Module[] = Object.values(rooms)
  const runner = openJobs(config, { ports, modules }, stack)
  const limiter = new MemoryLimiter(store.clock)
  const gateway = await openGuard(config, { ports, rooms, limiter }, stack)
  if (infra.place) await openFronts(infra.place, { ports, limiter, prepareWork: rooms.work.prepare }, stack)
  if (opened.engine === 'sqlite') await openCommandSocket(config, ports, stack)
  const scraped = await openMetricsListener(config, {
    read: () => metrics.text(),
    onError: (error) => log.error({ event: 'metrics', error: describeError(error) }),
    onOtherPort: (reason) => log.warn({ event: 'metrics_port_taken', reason }),
  })
  // Closed after the server: how a gateway ends is seen, too.
  stack.defer(() => scraped.close())
  const behind = infra.place && {
    socketPath: infra.place.ownerSocket,
    port: infra.place.port,
    isFront: (mark: string) => isSame(infra.place!.secret, mark),
  }
  const server = openServer(config, { ports, rooms, gateway, behind })
  stack.defer(() => server.close())
  const gauges = [
    ...modules.flatMap(({ gauges: own = [] }) => own),
    ...sizeGauges(store.db),
    backupGauge(store),
    diskGauge({ dataDir: config.dataDir, url: storeUrl(config) }),
  ]
  for (const { name, help, labels, read } of gauges) {
    metrics.gauge(name, help, labels, read)
  }
  const cachedBytes = () => nodes.cachedBytes + gateway.remembered.bytes
  exposeGauges(metrics, { nodes, store: opened, cachedBytes, clients: () => server.websocketClients })

  // First of all: nothing is asked of a node before it is known to have our ledger.
  await nodes.start()
  for (const module of modules) await module.load?.()
  await runner.start()
  for (const module of modules) await module.start?.()
  const url = toUrl(config.host, await server.listen())
  links.listenAt(url)
  // Not before: a start that fails would have made a key that no operator has seen.
  const createdKey = await createFirstAdministrator(store, infra.keepKey)
  for (const module of modules) await module.listening?.()
  const walletKeyFile = config.walletKeys.length > 0 ? undefined : keyFileOf(config)
  const doors = { actions: gateway.registry.actions, routes: server.routes }
  const shown = { url, metricsUrl: scraped.url, createdKey, walletKeyFile }
  const facts: FrontFacts = {
    ledger: ports.ledger,
    devnet: devnet && { rpcUrl: devnet.rpcUrl, wsUrl: devnet.wsUrl },
    play: devnet ? toPlayNames(await rooms.wallets.treasuryAddress()) : [],
    sold: [...(gateway.seller?.goods.keys() ?? [])],
  }
  return {
    ...shown,
    devnet,
    doors,
    nodes,
    store: opened,
    usage: rooms.accounts.usage,
    failures,
    work: searches,
    facts,
    goodbye: () => server.goodbye(),
    close: () => stack.disposeAsync(),
  }
}

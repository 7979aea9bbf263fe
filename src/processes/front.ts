import { type Config, storeUrl } from '../config/config.ts'
import { thresholdsOf } from '../development-ledger.ts'
import type { Gateway } from '../guard/dispatch.ts'
import { KEYS_ELSEWHERE, PartRegistry } from '../guard/hand-over.ts'
import { toPlans, toTariffs } from '../guard/plans.ts'
import { RememberedAnswers } from '../guard/remembered.ts'
import { createThrottle } from '../guard/throttle.ts'
import { createClientIp, toTrustedProxies } from '../http/client-ip.ts'
import { OwnerDoor } from '../http/owner-door.ts'
import { createFrontServer } from '../http/front-server.ts'
import { openFailures } from '../infra/failures.ts'
import { openIds } from '../infra/ids.ts'
import { LeasedLimiter } from '../infra/limits/leased-limiter.ts'
import { openSharedLimits } from '../infra/limits/open.ts'
import { toUrl } from '../infra/links.ts'
import { Metrics } from '../infra/metrics.ts'
import { openNodes } from '../infra/node/open.ts'
import type { EmbeddedAddresses } from '../infra/node/upstreams.ts'
import { reportCounts } from './report-counts.ts'
import { OwnerLink } from './owner-link.ts'
import type { Failures } from '../kernel/failures.ts'
import type { LedgerIdentity } from '../kernel/nano/networks.ts'
import type { KnownName } from '../kernel/ports.ts'
import { openLedger } from '../modules/ledger/open.ts'
import { loadBuiltIn } from '../modules/names/index.ts'
import { openNames } from '../modules/names/open.ts'
import type { Surroundings } from '../ports.ts'
import { openStore } from '../store/schema.ts'
import { listenAt, openReports } from '../serve.ts'

/** Of the memory for answers, as in a single process. */
const FINISHED_SHARE = 5 / 8
/** The owner is on this machine: an answer that takes longer means that it stands still. */
const LEASE_REPLY_MAX = 1_000

/** Where the processes of one gateway meet. */
export interface Place {
  /** Known to them alone. */
  secret: string
  /** Where the owner answers requests, and where it is linked with its fronts. */
  ownerSocket: string
  linkSocket: string
  /** The one that all fronts listen on. */
  port: number
  fronts: number
}

/** What the owner knows once it has started, and fronts need to answer as it does. */
export interface FrontFacts {
  ledger: LedgerIdentity
  devnet: EmbeddedAddresses | undefined
  play: KnownName[]
  /** Actions that are paid for by request. */
  sold: string[]
}

export interface Front {
  url: string
  failures: Failures
  /** Stops taking requests and finishes the running ones. */
  close(): Promise<void>
}

/**
 * A process that holds the port beside others: it answers reads of the ledger for callers without a key, from memory or from the
 * nodes, and hands everything else over to the owner.
 */
export async function startFront(
  config: Config,
  { place, facts }: { place: Place; facts: FrontFacts },
  surroundings: Surroundings,
): Promise<Front> {
  const stack = new AsyncDisposableStack()
  try {
    return await assemble(config, { place, facts }, { ...surroundings, stack })
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

async function assemble(
  config: Config,
  { place, facts }: { place: Place; facts: FrontFacts },
  { clock, random, log, stack }: Surroundings & { stack: AsyncDisposableStack },
): Promise<Front> {
  const { secret, linkSocket, ownerSocket, port } = place
  const metrics = new Metrics({ counting: config.metrics })
  const failures = openFailures({ log, metrics, clock })
  const link = new OwnerLink({ path: linkSocket, secret, failures })
  stack.defer(() => link.close())
  const opened = await openStore(storeUrl(config), clock, { failures })
  stack.defer(() => opened.close())
  const unfollow = opened.readTime && (await clock.follow?.(opened.readTime, failures.lost('clock.follow')))
  stack.defer(() => unfollow?.())
  // What a database tells everybody reaches us too; beside an embedded store the owner is everybody.
  const notices = opened.engine === 'sqlite' ? link : opened.notices
  const ids = openIds(random)
  const { db } = opened
  const store = { db, clock, ids, random, wakeJobs: () => notices.publish('jobs', ''), failures }
  const { network } = facts.ledger
  const nodes = openNodes(config, {
    clock,
    random,
    log,
    metrics,
    failures,
    store: { ...opened, notices },
    devnet: facts.devnet,
    instance: ids.next('ins'),
    ledger: { ...facts.ledger, thresholds: thresholdsOf(config, network) },
  })
  stack.defer(() => nodes.close())
  const names = openNames({ store, notices, play: () => Promise.resolve(facts.play) }, loadBuiltIn(config))
  stack.defer(() => names.close?.())
  const gateway: Gateway = {
    registry: openRegistry(config, { names: names.names, sold: facts.sold, link }),
    seller: undefined,
    keys: KEYS_ELSEWHERE,
    usage: NOBODY,
    secrets: NOTHING_SEALED,
    names: names.names,
    countMax: config.countMax,
    remembered: new RememberedAnswers(names.names, config.cacheBytesMax * FINISHED_SHARE),
    tariffs: toTariffs(config),
    throttle: await openThrottle(config, { place, link, store, stack }, (degraded) =>
      log.warn({ event: 'limits_degraded', degraded }),
    ),
    nodeFor: (trace, leaving) => nodes.forRequest(trace, leaving),
    store,
  }
  await link.start()
  stack.defer(reportCounts(metrics, link))
  await nodes.start()
  await names.load?.()
  const instance = Buffer.from(random.bytes(4)).toString('hex')
  let requests = 0
  let draining = false
  const calls = {
    nextRequestId: () => `${instance}-${(++requests).toString(36)}`,
    isDraining: () => draining,
    clientIp: createClientIp(toTrustedProxies(config.trustedProxies)),
  }
  const door = new OwnerDoor({ socketPath: ownerSocket, secret, ...calls })
  stack.defer(() => door.close())
  const server = createFrontServer({ ...config, ...calls, ...openReports({ log, metrics }), gateway, door })
  const url = toUrl(config.host, await listenAt(server, { host: config.host, port }, true))
  return {
    url,
    failures,
    async close() {
      draining = true
      if (config.drainNoticeMilliseconds > 0) {
        await new Promise<void>((resolve) => clock.after(config.drainNoticeMilliseconds, resolve))
      }
      const cutOff = clock.after(config.drainMilliseconds, () => {
        server.server.closeAllConnections()
        door.cutOff()
      })
      await server.close()
      cutOff()
      await stack.disposeAsync()
    },
  }
}

/** What can be answered with nothing but nodes and names, for nothing. */
function openRegistry(
  { countMax, findDepthMax }: Config,
  { names, sold, link }: { names: Gateway['names']; sold: readonly string[]; link: OwnerLink },
): PartRegistry {
  const prepareWork = (address: string, root: string) => link.say({ prepare: [address, root] })
  const { actions = [], ...ledger } = openLedger({ names, countMax, findDepthMax, prepareWork })
  const reads = actions.filter(
    ({ name, readOnly, auth, once, onceWhen }) =>
      readOnly && auth === 'none' && !once && !onceWhen && !sold.includes(name),
  )
  return new PartRegistry([{ ...ledger, actions: reads }])
}

/** One limit for all processes: that of Redis where there is one, the owner's where there is none. */
async function openThrottle(
  config: Config,
  {
    place,
    link,
    store,
    stack,
  }: { place: Place; link: OwnerLink; store: Gateway['store']; stack: AsyncDisposableStack },
  onDegraded: (degraded: boolean) => void,
) {
  const instances = config.instances * (place.fronts + 1)
  const { clock } = store
  const burst =
    (await openSharedLimits({ ...config, instances }, store, onDegraded)) ??
    new LeasedLimiter({
      source: link,
      clock,
      instances: place.fronts + 1,
      onDegraded,
      replyMilliseconds: LEASE_REPLY_MAX,
    })
  stack.defer(() => burst.close())
  return createThrottle({ burst, plans: toPlans(config) })
}

/** Callers with a key and deeds that are done once are the owner's: whoever comes here with one has met a fault of ours. */
const notHere = (): never => {
  throw new Error('Only the owner does this.')
}
const NOBODY: Gateway['usage'] = { count: notHere }
const NOTHING_SEALED: Gateway['secrets'] = { seal: notHere, open: notHere, fingerprint: notHere }

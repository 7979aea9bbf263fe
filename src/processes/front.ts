import type { Config } from '../config/config.ts'
import { thresholdsOf } from '../app/development-ledger.ts'
import type { Gateway } from '../guard/dispatch.ts'
import { KEYS_ELSEWHERE, PartRegistry } from '../guard/hand-over.ts'
import { openGateway } from '../guard/open.ts'
import { openCalls } from '../http/calls.ts'
import { listenAt } from '../http/listen.ts'
import { OwnerEndpoint, createFrontServer } from '../http/owner-endpoint.ts'
import { LeasedLimiter } from '../infra/limits/leased-limiter.ts'
import { openSharedLimits, reportDegraded } from '../infra/limits/open.ts'
import { toUrl } from '../infra/links.ts'
import type { Metrics } from '../infra/metrics.ts'
import { openNodes } from '../infra/node/open.ts'
import type { Failures } from '../kernel/failures.ts'
import { openLedger } from '../modules/ledger/open.ts'
import { loadBuiltIn } from '../modules/names/index.ts'
import { openNames } from '../modules/names/open.ts'
import { type Surroundings, openGround, toStoreCtx } from '../app/ports.ts'
import { openReports } from '../app/serve.ts'
import { type FrontFacts, type FrontLine, type Place, SHARED_COUNTERS } from './lines.ts'
import { OwnerLink } from './owner-link.ts'

/** The owner is on this machine: an answer that takes longer means that it hangs. */
const LEASE_REPLY_MAX = 1_000

interface Front {
  url: string
  failures: Failures
  /** Stops taking requests and finishes the running ones. */
  close(): Promise<void>
}

/**
 * A process that shares the port with others: it answers reads of the ledger for callers without a key, from memory or from the
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
  { stack, ...surroundings }: Surroundings & { stack: AsyncDisposableStack },
): Promise<Front> {
  const { secret, linkSocket, ownerSocket, port } = place
  const ground = await openGround(config, surroundings, stack)
  const { log, metrics, failures, opened } = ground
  const link = new OwnerLink({ path: linkSocket, secret, failures })
  stack.defer(() => link.close())
  // PostgreSQL delivers notices to fronts too; beside an embedded store they come from the owner.
  const notices = opened.engine === 'sqlite' ? link : opened.notices
  const store = toStoreCtx(ground, notices, stack)
  const nodes = openNodes(config, {
    ...ground,
    notices,
    devnet: facts.devnet,
    instance: ground.ids.next('ins'),
    ledger: { ...facts.ledger, thresholds: thresholdsOf(config, facts.ledger.network) },
  })
  stack.defer(() => nodes.close())
  const names = openNames({ store, notices, play: () => Promise.resolve(facts.play) }, loadBuiltIn(config))
  stack.defer(() => names.close?.())
  const burst = await openLimiter(config, { fronts: place.fronts, link, store, onDegraded: reportDegraded(ground) })
  stack.defer(() => burst.close())
  const gateway = openGateway(config, {
    registry: openRegistry(config, { names: names.names, sold: facts.sold, link }),
    seller: undefined,
    keys: KEYS_ELSEWHERE,
    usage: NO_ACCOUNT,
    secrets: NO_SECRETS,
    names: names.names,
    burst,
    nodeFor: (trace, leaving) => nodes.forRequest(trace, leaving),
    store,
  })
  await link.start()
  stack.defer(reportCounts(metrics, link))
  await nodes.start()
  await names.load?.()
  const { calls, announceEnd, finish } = openCalls(config, ground)
  const access = new OwnerEndpoint({ socketPath: ownerSocket, secret, ...calls })
  stack.defer(() => access.close())
  const servesThisMachine = facts.devnet !== undefined && config.isLocal
  const server = createFrontServer({
    ...config,
    ...calls,
    ...openReports({ log, metrics }),
    gateway,
    access,
    servesThisMachine,
  })
  const url = toUrl(config.host, await listenAt(server, { host: config.host, port }, true))
  return {
    url,
    failures,
    async close() {
      await announceEnd()
      await finish(server, () => access.cutOff())
      await stack.disposeAsync()
    },
  }
}

/** The actions that need nothing but nodes and names, and cost nothing. */
function openRegistry(
  { countMax }: Config,
  { names, sold, link }: { names: Gateway['names']; sold: readonly string[]; link: OwnerLink },
): PartRegistry {
  const prepareWork = (address: string, root: string) => link.say({ prepare: [address, root] })
  const { actions = [], ...ledger } = openLedger({ names, countMax, prepareWork })
  const reads = actions.filter(
    ({ name, readOnly, auth, once, onceWhen }) =>
      readOnly && auth === 'none' && !once && !onceWhen && !sold.includes(name),
  )
  return new PartRegistry([{ ...ledger, actions: reads }])
}

/** One limit for all processes: kept by Redis where there is one, otherwise by the owner. */
async function openLimiter(
  config: Config,
  {
    fronts,
    link,
    store,
    onDegraded,
  }: { fronts: number; link: OwnerLink; store: Gateway['store']; onDegraded: (degraded: boolean) => void },
) {
  const processes = fronts + 1
  return (
    (await openSharedLimits({ ...config, instances: config.instances * processes }, store, onDegraded)) ??
    new LeasedLimiter({
      source: link,
      clock: store.clock,
      instances: processes,
      onDegraded,
      replyMilliseconds: LEASE_REPLY_MAX,
    })
  )
}

/** Callers with a key, and requests that act once, belong to the owner: if one gets here, it is our own fault. */
const notHere = (): never => {
  throw new Error('Only the owner does this.')
}
const NO_ACCOUNT: Gateway['usage'] = { count: notHere }
const NO_SECRETS: Gateway['secrets'] = { encrypt: notHere, open: notHere, fingerprint: notHere }

const EVERY = 1_000

/** Sends the counts of this process to the owner, whose metrics have the sum. A front that dies loses those of a second. */
function reportCounts(metrics: Metrics, link: OwnerLink): () => Promise<void> {
  const report = async () => {
    if (!link.connected) return
    const counts = metrics.takeCounts()
    if (counts) link.say({ counts })
    const counters: Extract<FrontLine, { counters: unknown }>['counters'] = []
    for (const name of SHARED_COUNTERS) {
      const { values } = await metrics[name].get()
      metrics[name].reset()
      for (const { labels, value } of values) {
        if (value > 0) counters.push([name, labels, value])
      }
    }
    if (counters.length > 0) link.say({ counters })
  }
  const timer = setInterval(() => void report(), EVERY)
  timer.unref()
  return () => {
    clearInterval(timer)
    return report()
  }
}

import { availableParallelism } from 'node:os'
import type { Config } from '../../config/config.ts'
import type { Clock, Random } from '../../kernel/ports.ts'
import type { Metrics } from '../metrics.ts'
import type { Upstream } from '../node/upstream.ts'
import type { Sources } from '../sources.ts'
import { openCards } from './card/open.ts'
import type { CardSource } from './card/source.ts'
import { type CpuEngine, type CpuOptions, openCpuEngine } from './cpu.ts'
import type { WorkSource } from './source.ts'
import { Peer } from './peer.ts'
import type { TuningMemory } from './remembered-tuning.ts'
import { Scheduler } from './scheduler.ts'

interface WorkOptions {
  clock: Clock
  random: Random
  metrics: Metrics
  sources?: Sources
  tuning?: TuningMemory | undefined
  /** Nodes that may be asked to compute work. */
  nodes: readonly Upstream[]
  /** A card, or the processor through OpenCL, was measured; `isUsed` is false if WebAssembly is faster. */
  onReady(source: CardSource, isUsed: boolean): void
  onFailure(event: { engine: string; reason: string }): void
}

/**
 * Whether the node's ledger was verified and it is not suspect. Results are checked here, so a node that has failed may
 * be asked.
 */
const isKnown = ({ belongs, suspect, verifications }: Upstream) => verifications > 0 && belongs !== false && !suspect

/** All configured sources of work: this machine, work servers, nodes. */
export async function openScheduler(
  config: Pick<
    Config,
    'workThreads' | 'workCards' | 'workUrls' | 'workNodes' | 'workQueueSecondsMax' | 'workWaitSecondsMax'
  >,
  { clock, random, metrics, sources, tuning, nodes, onReady, onFailure }: WorkOptions,
): Promise<Scheduler> {
  const threads = config.workThreads ?? Math.max(1, availableParallelism() - 1)
  const reportFailure = (event: { engine: string; reason: string }) => {
    sources?.failed('work', event.engine, event.reason)
    metrics.workFailures.inc({ engine: event.engine })
    onFailure(event)
  }
  const onLost = (error: unknown) =>
    reportFailure({ engine: 'cpu', reason: error instanceof Error ? error.message : String(error) })
  const lost = () => metrics.backgroundFailures.inc({ place: 'work.cancel', kind: 'loss' })
  let openCl: CardSource | undefined
  const isReplaced = () => openCl?.usable === true
  const cpu = threads === 0 ? undefined : await openCpu({ threads, random, memory: tuning, isReplaced, onLost })
  const engines: WorkSource[] = [
    ...(cpu ? [cpu] : []),
    ...config.workUrls.map((url) => new Peer({ url, clock, onLost: lost })),
    ...(config.workNodes ? nodes : []).map(
      (node) => new Peer({ ...node.options, slots: 1, spare: false, clock, onLost: lost, mayAsk: () => isKnown(node) }),
    ),
  ]
  const scheduler = new Scheduler({
    engines,
    clock,
    ...(cpu && { searchHere: (target) => cpu.searchHere(target) }),
    queueSecondsMax: config.workQueueSecondsMax,
    waitSecondsMax: config.workWaitSecondsMax,
    onFound: ({ class: urgency, engine, waitSeconds }) => {
      sources?.answered('work', engine)
      metrics.workFound.inc({ class: urgency, engine })
      metrics.workWait.observe({ class: urgency }, waitSeconds)
    },
    onSearched: ({ engine, hashes, wasted }) => {
      metrics.workHashes.inc({ engine, wasted: String(wasted) }, hashes)
    },
    onFailure: reportFailure,
  })
  exposeWork(metrics, scheduler, cpu)
  if (config.workCards?.length !== 0) {
    const ready = async (source: CardSource) => {
      const isUsed = source.kind === 'card' || !cpu || source.rate > cpu.rate
      onReady(source, isUsed)
      if (!isUsed) return scheduler.remove(source)
      if (source.kind === 'cpu') openCl = source
      scheduler.wake()
    }
    openCards({
      cards: config.workCards,
      threads,
      random,
      clock,
      onFound: (source) => scheduler.add(source),
      onReady: (source) => void ready(source).catch(onLost),
      onFailure: reportFailure,
    }).catch((error: unknown) =>
      reportFailure({ engine: 'cards', reason: error instanceof Error ? error.message : String(error) }),
    )
  }
  return scheduler
}

/** If this machine cannot search, the gateway may still use work servers. */
async function openCpu(options: CpuOptions & { onLost(error: unknown): void }): Promise<CpuEngine | undefined> {
  try {
    return await openCpuEngine(options)
  } catch (error) {
    options.onLost(error)
    return undefined
  }
}

/** The sources of work and their speed, as text for people. */
export function describeSources(engines: readonly WorkSource[]): string {
  const sources = engines.map(({ kind, name, rate }) => {
    if (kind === 'peer') return name
    const processor = name === 'cpu' ? 'this machine' : 'the same through OpenCL'
    const device = kind === 'cpu' ? processor : name
    return rate === 0 ? `${device} (being measured)` : `${device}, ${describeRate(rate)}`
  })
  return sources.length === 0 ? 'none (WORK_THREADS, WORK_CARDS, WORK_URLS)' : sources.join('; ')
}

export const describeRate = (rate: number): string =>
  rate < 1e9
    ? `${(rate / 1e6).toFixed(1)} million hashes a second`
    : `${(rate / 1e9).toFixed(2)} billion hashes a second`

function exposeWork(metrics: Metrics, scheduler: Scheduler, cpu: CpuEngine | undefined): void {
  metrics.gauge('gateway_work_rate', 'Hashes a second of a source of work.', ['engine'], () =>
    scheduler.engines.map(({ name, rate }) => ({ labels: { engine: name }, value: rate })),
  )
  metrics.gauge('gateway_work_usable', 'Whether a source of work is in use.', ['engine'], () =>
    scheduler.engines.map(({ name, usable }) => ({ labels: { engine: name }, value: usable ? 1 : 0 })),
  )
  metrics.gauge('gateway_work_queue_hashes', 'Hashes that the queued searches are expected to take.', [], () => [
    { value: scheduler.load.hashes },
  ])
  metrics.gauge('gateway_work_queue_seconds', 'Time that the queued searches are expected to take.', [], () => [
    { value: scheduler.load.seconds },
  ])
  metrics.gauge('gateway_work_cpu_hashes', 'Hashes this machine has tried.', [], () => [{ value: cpu?.hashes ?? 0 }])
}

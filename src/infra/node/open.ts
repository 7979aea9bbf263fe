import type { Config } from '../../config/config.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Clock, Notices, Random } from '../../kernel/ports.ts'
import type { Traces } from '../../kernel/traces.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Disagreement, toAgreement } from './agreement.ts'
import type { OurLedger } from './identity.ts'
import { Nodes } from './index.ts'
import { shareConfirmations } from './shared-confirmations.ts'
import type { Upstream } from './upstream.ts'
import { type EmbeddedAddresses, toUpstreams } from './upstreams.ts'

/** Share of the memory for nodes' answers; finished answers get the rest. */
const ANSWERS_SHARE = 3 / 8

interface NodesParts {
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  failures: Failures
  /** How processes on a store notify each other of writes. */
  notices: Notices
  devnet: EmbeddedAddresses | undefined
  /** The id of this process among those on the store. */
  instance: string
  ledger: OurLedger
  /** Called when the nodes have agreed on a first block that was not known before. */
  onLearned?: (genesis: string) => void
  traces?: Traces | undefined
}

/** Opens the configured nodes, and reports their states and failures in the log, in metrics and to other instances. */
export function openNodes(config: Config, parts: NodesParts): Nodes {
  const { clock, random, log, metrics, failures, notices, devnet, instance, ledger } = parts
  const nodes = new Nodes({
    upstreams: toUpstreams(config, devnet),
    ledger,
    agreement: toAgreement(config),
    collectsVotes: config.proof === 'votes',
    cacheBytesMax: config.cacheBytesMax * ANSWERS_SHARE,
    clock,
    random,
    failures,
    traces: parts.traces,
    onWrite: (keys, holder = '-') => notices.deliver('written', [holder, ...keys].join(' ')),
    receivesWrites: () => notices.connected,
    onState: (upstream) => reportState({ log, metrics }, upstream),
    onLearned: (genesis) => {
      log.info({ event: 'ledger_learned', network: ledger.network, genesis })
      parts.onLearned?.(genesis)
    },
    onDisagreement: (disagreement) => reportDisagreement({ log, metrics }, disagreement),
    onRead: ({ upstream, hedged }) => metrics.upstreamRead(upstream, hedged),
    onFailure: ({ action, failure, requestId }) => {
      metrics.upstreamFailures.inc({ kind: failure.kind })
      log.warn({ event: 'upstream_failure', requestId, action, kind: failure.kind, reason: failure.message })
    },
  })
  notices.subscribe('written', (notice) => {
    const [holder = '', ...keys] = notice.split(' ')
    nodes.noteWrites(keys, holder)
  })
  notices.onGap(() => nodes.noteGap())
  const stopSharing = shareConfirmations({
    instance,
    bus: nodes.confirmations,
    notices,
    clock,
    receive: (confirmation) => nodes.receive(confirmation),
  })
  nodes.onClose(stopSharing)
  return nodes
}

function reportState(
  { log, metrics }: Pick<NodesParts, 'log' | 'metrics'>,
  { options, state, reason }: Upstream,
): void {
  metrics.upstreamStates.inc({ upstream: options.name, state })
  const line = { event: 'node_state', upstream: options.name, state, reason }
  if (state === 'well') log.info(line)
  else if (state === 'foreign' || state === 'suspect') log.error(line)
  else log.warn(line)
}

function reportDisagreement({ log, metrics }: Pick<NodesParts, 'log' | 'metrics'>, disagreement: Disagreement): void {
  const involved = 'hash' in disagreement ? disagreement.confirmed : Object.keys(disagreement.stated)
  for (const upstream of involved) metrics.nodeDisagreements.inc({ upstream })
  log.error({ event: 'node_disagreement', ...disagreement })
}

/** Why no node can be used, naming reachable nodes that must not be used; undefined if one can. */
export function noNodeReason({ pool }: Nodes): string | undefined {
  if (pool.upstreams.some(({ healthy }) => healthy)) return undefined
  const named = pool.upstreams
    .filter(({ reason }) => reason !== undefined)
    .map(({ options, reason }) => `${options.name} is not used, because ${reason}`)
  return ['no healthy node', ...named].join('; ')
}

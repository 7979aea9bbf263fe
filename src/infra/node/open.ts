import type { Config } from '../../config/config.ts'
import type { Failures } from '../../kernel/failures.ts'
import type { Clock, Notices, Random, Confirmation, ConfirmationBus } from '../../kernel/ports.ts'
import type { Traces } from '../../kernel/traces.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Disagreement, toAgreement } from './agreement.ts'
import type { OurLedger } from './identity.ts'
import { Nodes } from './index.ts'
import type { Upstream } from './upstream.ts'
import { type EmbeddedAddresses, toUpstreams } from './upstreams.ts'

const DEAF = 'deaf'
const CONFIRMATION = 'confirmation'
/** How often an instance without its own stream of confirmations announces that, and how long the others assume it. */
const SAY_EVERY = 5_000
const BELIEVED_FOR = 15_000
/** Most shared confirmations per second, to protect the store; pollers find the rest. */
const PER_SECOND_MAX = 200
/** PostgreSQL refuses notices of 8000 bytes or more. */
const BYTES_MAX = 7_000

interface SharingOptions {
  instance: string
  bus: ConfirmationBus
  notices: Notices
  clock: Clock
  /** Handles a confirmation that another instance has received. */
  receive(confirmation: Confirmation): void
}

/**
 * Instances that receive no confirmations get them from those that do. Every instance that receives them repeats them
 * while another one announces that it receives none.
 */
function shareConfirmations({ instance, bus, notices, clock, receive }: SharingOptions): () => void {
  let othersDeafUntil = 0
  let second = 0
  let repeated = 0
  let ended = false
  let cancel: () => void = () => undefined
  const sayDeaf = () => {
    cancel()
    if (bus.connected || ended) return
    notices.publish(DEAF, instance)
    cancel = clock.after(SAY_EVERY, sayDeaf)
  }
  const mayReport = () => {
    const now = Math.floor(clock.now() / 1_000)
    if (now !== second) {
      second = now
      repeated = 0
    }
    return ++repeated <= PER_SECOND_MAX
  }
  const endings = [
    notices.subscribe(DEAF, (who) => {
      if (who !== instance) othersDeafUntil = clock.now() + BELIEVED_FOR
    }),
    notices.subscribe(CONFIRMATION, (text) => {
      const confirmation = bus.connected ? undefined : parse(text)
      if (confirmation) receive(confirmation)
    }),
    bus.listen((confirmation) => {
      if (!bus.connected || clock.now() >= othersDeafUntil || !mayReport()) return
      const text = JSON.stringify(confirmation)
      if (Buffer.byteLength(text) <= BYTES_MAX) notices.publish(CONFIRMATION, text)
    }),
  ]
  bus.onGap(sayDeaf)
  sayDeaf()
  return () => {
    ended = true
    cancel()
    for (const end of endings) end()
  }
}

function parse(text: string): Confirmation | undefined {
  try {
    return JSON.parse(text) as Confirmation
  } catch {
    // Not JSON, perhaps from another version. The nodes will report the block as well.
    return undefined
  }
}

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

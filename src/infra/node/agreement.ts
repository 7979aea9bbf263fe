import type { Config } from '../../config/config.ts'
import type { Raw } from '../../kernel/money.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { Upstream } from './upstream.ts'

/** After so long a node that stands alone against most others is set aside. Blocks reach every node much sooner. */
const ACCUSED_AFTER = 30_000
/** Disputes that are remembered. More at a time are a flood of inventions, of which these are evidence enough. */
const DISPUTES_MAX = 1_000

/** How many nodes must call a block confirmed before it counts. */
export interface AgreementRules {
  nodes: number
  /** More for larger amounts. */
  above: readonly { amountRaw: Raw; nodes: number }[]
  /** Whether the word of the only node that is left suffices. */
  alone: 'wait' | 'allow'
  /** After so long without agreement people are notified. */
  waitMilliseconds: number
}

/** What nodes say of a block: confirmed, not confirmed, or not there. */
export interface Testimony {
  confirmed: readonly Upstream[]
  unconfirmed: readonly Upstream[]
  absent: readonly Upstream[]
}

/** The same in names, for people. */
export interface Disagreement {
  hash: string
  confirmed: string[]
  unconfirmed: string[]
  absent: string[]
}

interface Dispute {
  since: number
  /** When nodes were last asked about it. */
  until: number
  isReported: boolean
}

/** Reads the rules; throws where they ask for more nodes than are named, because then no payment would ever count. */
export function toAgreement(config: Config): AgreementRules {
  const named = config.nodeUrls.length
  const nodes = config.confirmNodes ?? Math.min(named, 2)
  const above = config.confirmNodesAbove
  const most = Math.max(nodes, ...above.map((rule) => rule.nodes))
  if (most > named) {
    const setting = nodes > named ? 'CONFIRM_NODES' : 'CONFIRM_NODES_ABOVE'
    throw new Error(`${setting} asks for the word of ${most} nodes, and NODE_URLS names ${named}.`)
  }
  return { nodes, above, alone: config.confirmAlone, waitMilliseconds: config.confirmWaitSeconds * 1_000 }
}

/** How many nodes must agree on a payment of this amount. */
export function requiredFor({ nodes, above }: AgreementRules, amountRaw: Raw): number {
  return above.reduce((most, rule) => (amountRaw >= rule.amountRaw ? Math.max(most, rule.nodes) : most), nodes)
}

/** Follows what nodes disagree about: reports it when it lasts, and sets the node aside that most others contradict. */
export class Disputes {
  readonly #clock: Clock
  readonly #waitMilliseconds: number
  readonly #report: (disagreement: Disagreement) => void
  readonly #disputes = new Map<string, Dispute>()

  constructor(clock: Clock, { waitMilliseconds }: AgreementRules, report: (disagreement: Disagreement) => void) {
    this.#clock = clock
    this.#waitMilliseconds = waitMilliseconds
    this.#report = report
  }

  settle(hash: string): void {
    this.#disputes.delete(hash)
  }

  /** Some call it confirmed, too few, and others do not. */
  note(hash: string, testimony: Testimony): void {
    const now = this.#clock.now()
    const known = this.#disputes.get(hash)
    // After a pause in which nobody asked, the nodes may have agreed in the meantime and be slow again only now.
    const lasts = known !== undefined && now - known.until < ACCUSED_AFTER
    const dispute = lasts ? known : { since: now, until: now, isReported: false }
    dispute.until = now
    if (!known && this.#disputes.size >= DISPUTES_MAX) {
      this.#disputes.delete(this.#disputes.keys().next().value!)
    }
    this.#disputes.set(hash, dispute)
    const age = now - dispute.since
    if (age >= this.#waitMilliseconds && !dispute.isReported) {
      dispute.isReported = true
      this.#report(inNames(hash, testimony))
    }
    if (age >= ACCUSED_AFTER) accuse(hash, testimony)
  }
}

/** One that has the block and not confirmed it may be slow: only those who deny it altogether are counted. */
function accuse(hash: string, testimony: Testimony): void {
  const { confirmed, unconfirmed, absent } = testimony
  if (absent.length * 2 <= confirmed.length + unconfirmed.length + absent.length) return
  const denying = absent.map(({ options }) => options.name).join(', ')
  for (const upstream of confirmed) upstream.accuse(`it called block ${hash} confirmed, which ${denying} do not have`)
}

function inNames(hash: string, testimony: Testimony): Disagreement {
  const named = (upstreams: readonly Upstream[]) => upstreams.map(({ options }) => options.name)
  return {
    hash,
    confirmed: named(testimony.confirmed),
    unconfirmed: named(testimony.unconfirmed),
    absent: named(testimony.absent),
  }
}

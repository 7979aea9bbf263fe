import type { Config } from '../../config/config.ts'
import type { Raw } from '../../kernel/money.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { Upstream } from './upstream.ts'

/** A node that contradicts most others for so long is no longer used. Blocks reach every node much sooner. */
const ACCUSED_AFTER = 30_000
/** Most disputes that are remembered. If there are more, a node invents blocks, and these are evidence enough. */
const DISPUTES_MAX = 1_000

/** How many nodes must report a block as confirmed before it counts. */
export interface AgreementRules {
  nodes: number
  /** More nodes for larger amounts. */
  above: readonly { amountRaw: Raw; nodes: number }[]
  /** Whether one node is enough while all others are unavailable. */
  alone: 'wait' | 'allow'
  /** After this time without agreement, the operator is alerted. */
  waitMilliseconds: number
}

/** Which nodes report a block as confirmed, which as unconfirmed, and which do not have it. */
export interface Testimony {
  confirmed: readonly Upstream[]
  unconfirmed: readonly Upstream[]
  absent: readonly Upstream[]
}

/** The same with the names of nodes, for people; or what each node reported about something else. */
export type Disagreement =
  | { hash: string; confirmed: string[]; unconfirmed: string[]; absent: string[] }
  | { read: string; stated: Record<string, string> }

interface Doubt {
  since: number
  /** When nodes were last asked about it. */
  until: number
  isReported: boolean
}

/** Reads the rules. Throws if they require more nodes than are configured, because then no payment would ever count. */
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

/** How many nodes must confirm a payment of this amount. */
export function requiredFor({ nodes, above }: AgreementRules, amountRaw: Raw): number {
  return above.reduce((most, rule) => (amountRaw >= rule.amountRaw ? Math.max(most, rule.nodes) : most), nodes)
}

/** Knows how long nodes have disagreed about something that is asked repeatedly. */
export class Doubts {
  readonly #clock: Clock
  readonly #waitMilliseconds: number
  readonly #doubts = new Map<string, Doubt>()

  constructor(clock: Clock, { waitMilliseconds }: Pick<AgreementRules, 'waitMilliseconds'>) {
    this.#clock = clock
    this.#waitMilliseconds = waitMilliseconds
  }

  settle(key: string): void {
    this.#doubts.delete(key)
  }

  /** How long the disagreement has lasted, and whether it is to be reported, which is the case once. */
  note(key: string): { age: number; isDue: boolean } {
    const now = this.#clock.now()
    const known = this.#doubts.get(key)
    // After a pause in which nobody asked, it counts as a new disagreement: nodes may have agreed meanwhile.
    const lasts = known !== undefined && now - known.until < ACCUSED_AFTER
    const doubt = lasts ? known : { since: now, until: now, isReported: false }
    doubt.until = now
    if (!known && this.#doubts.size >= DISPUTES_MAX) this.#doubts.delete(this.#doubts.keys().next().value!)
    this.#doubts.set(key, doubt)
    const age = now - doubt.since
    const isDue = age >= this.#waitMilliseconds && !doubt.isReported
    doubt.isReported ||= isDue
    return { age, isDue }
  }
}

/**
 * Follows blocks about which nodes disagree: reports lasting disagreements, and stops using a node that most others
 * contradict.
 */
export class Disputes {
  readonly #doubts: Doubts
  readonly #report: (disagreement: Disagreement) => void

  constructor(clock: Clock, rules: AgreementRules, report: (disagreement: Disagreement) => void) {
    this.#doubts = new Doubts(clock, rules)
    this.#report = report
  }

  settle(hash: string): void {
    this.#doubts.settle(hash)
  }

  /** Records that too few nodes report a block as confirmed while others do not. */
  note(hash: string, testimony: Testimony): void {
    const { age, isDue } = this.#doubts.note(hash)
    if (isDue) this.#report(inNames(hash, testimony))
    if (age >= ACCUSED_AFTER) accuse(hash, testimony)
  }
}

/**
 * Only nodes that do not have the block at all count against the others: one that has it unconfirmed may just be slow.
 */
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

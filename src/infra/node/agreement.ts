import type { Config } from '../../config/config.ts'
import type { Raw } from '../../kernel/money.ts'
import type { Clock } from '../../kernel/ports.ts'
import type { Upstream } from './upstream.ts'

/** After so long a node that contradicts most others is set aside. Blocks reach every node much sooner. */
const ACCUSED_AFTER = 30_000
/** Most disputes that are remembered. More at a time mean that a node invents blocks, and these are enough evidence. */
const DISPUTES_MAX = 1_000

/** How many nodes must report a block as confirmed before it counts. */
export interface AgreementRules {
  nodes: number
  /** More nodes for larger amounts. */
  above: readonly { amountRaw: Raw; nodes: number }[]
  /** Whether one node is enough while all others are unavailable. */
  alone: 'wait' | 'allow'
  /** After so long without agreement the operator is alerted. */
  waitMilliseconds: number
}

/** The nodes that report a block as confirmed, as unconfirmed, or as missing. */
export interface Testimony {
  confirmed: readonly Upstream[]
  unconfirmed: readonly Upstream[]
  absent: readonly Upstream[]
}

/** The same with names of nodes, for people; or what each node stated in answer to a question. */
export type Disagreement =
  | { hash: string; confirmed: string[]; unconfirmed: string[]; absent: string[] }
  | { read: string; stated: Record<string, string> }

interface Doubt {
  since: number
  /** When nodes were last asked about it. */
  until: number
  isReported: boolean
}

/** Reads the rules; throws where they require more nodes than are configured, because then no payment would ever count. */
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

/** How long nodes have disagreed about things that are asked again and again. */
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

  /** How long the disagreement has lasted, and whether to report it, which happens once. */
  note(key: string): { age: number; isDue: boolean } {
    const now = this.#clock.now()
    const known = this.#doubts.get(key)
    // After a pause without questions, the nodes may have agreed in the meantime and disagree again.
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

/** Follows blocks that nodes disagree about: reports a lasting disagreement, and sets the node aside that most others contradict. */
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

  /** Too few nodes report it as confirmed, and others do not. */
  note(hash: string, testimony: Testimony): void {
    const { age, isDue } = this.#doubts.note(hash)
    if (isDue) this.#report(inNames(hash, testimony))
    if (age >= ACCUSED_AFTER) accuse(hash, testimony)
  }
}

/** A node that has the block unconfirmed may be slow: only nodes that deny the block altogether are counted. */
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

import { believeOne } from '../../kernel/agreed-read.ts'
import type { Agreed, Clock, NodeAnswer, NodeParams, NodePort } from '../../kernel/ports.ts'
import { textOf } from '../../kernel/shape.ts'
import { type AgreementRules, type Disagreement, Doubts } from './agreement.ts'
import type { UpstreamPool } from './pool.ts'
import type { Upstream } from './upstream.ts'
import { askWitnesses, leastWitnesses } from './witnesses.ts'

interface AgreedReaderOptions {
  pool: Pick<UpstreamPool, 'order' | 'upstreams'>
  clock: Clock
  rules: AgreementRules
  /** Reads from one node, with failover. */
  read: NodePort['read']
  ask(upstream: Upstream, action: string, params: NodeParams): Promise<NodeAnswer>
  onDisagreement(disagreement: Disagreement): void
}

interface Statement {
  upstream: Upstream
  answer: NodeAnswer
  facts: ReadonlySet<string>
}

/**
 * Reads what cannot be computed from blocks: frontiers and receivable sends. A fact counts when enough nodes report it.
 */
export class AgreedReader {
  readonly #options: AgreedReaderOptions
  readonly #doubts: Doubts

  constructor(options: AgreedReaderOptions) {
    this.#options = options
    this.#doubts = new Doubts(options.clock, options.rules)
  }

  async read(action: string, params: NodeParams, toFacts: (answer: NodeAnswer) => readonly string[]): Promise<Agreed> {
    const { rules, read, ask } = this.#options
    if (rules.nodes === 1) return believeOne(read)(action, params, toFacts)
    const least = leastWitnesses(this.#options)
    const statements: Statement[] = []
    const key = textOf(params.account)
    await askWitnesses(
      this.#options,
      key,
      async (upstream) => {
        const answer = await ask(upstream, action, params)
        statements.push({ upstream, answer, facts: new Set(toFacts(answer)) })
      },
      // Asks one more node after a difference: one node may hide or invent something.
      () => Math.max(least - statements.length, Number(count(statements).some(([, times]) => times < least))),
    )
    const counted = count(statements)
    const facts = new Set(counted.filter(([, times]) => times >= least).map(([fact]) => fact))
    const isEnough = statements.length >= least
    this.#follow(`${action} ${key}`, statements, facts.size > 0 || counted.length === 0 || !isEnough)
    return { facts, isEnough, answers: statements.map(({ answer }) => answer) }
  }

  /** Reports a disagreement that lasts. */
  #follow(key: string, statements: readonly Statement[], isAgreed: boolean): void {
    if (isAgreed) {
      this.#doubts.settle(key)
      return
    }
    if (!this.#doubts.note(key).isDue) return
    const stated = statements.map(({ upstream, facts }): [string, string] => [
      upstream.options.name,
      [...facts].join(', ').slice(0, STATED_MAX),
    ])
    this.#options.onDisagreement({ read: key, stated: Object.fromEntries(stated) })
  }
}

const STATED_MAX = 300

function count(statements: readonly Statement[]): [fact: string, times: number][] {
  const times = new Map<string, number>()
  for (const { facts } of statements) for (const fact of facts) times.set(fact, (times.get(fact) ?? 0) + 1)
  return [...times]
}

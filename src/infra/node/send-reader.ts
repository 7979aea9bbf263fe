import { noNode } from '../../kernel/errors.ts'
import { previousOf } from '../../kernel/nano/block.ts'
import {
  type LedgerSend,
  type ProvenBlock,
  computeAmount,
  proveBlock,
  toLedgerSend,
} from '../../kernel/nano/ledger-send.ts'
import type { Raw } from '../../kernel/money.ts'
import type { Clock, NodeAnswer, NodeParams } from '../../kernel/ports.ts'
import { type JsonObject, toObject } from '../../kernel/shape.ts'
import { type AgreementRules, type Disagreement, Disputes, requiredFor } from './agreement.ts'
import { toFailure } from './failure.ts'
import type { UpstreamPool } from './pool.ts'
import type { Upstream } from './upstream.ts'

const HASHES_AT_ONCE = 500

interface SendReaderOptions {
  pool: Pick<UpstreamPool, 'order' | 'upstreams' | 'leastWork'>
  clock: Clock
  rules: AgreementRules
  /** Asks the nodes as one, and one of them. */
  read(action: string, params: NodeParams): Promise<NodeAnswer>
  ask(upstream: Upstream, action: string, params: NodeParams): Promise<NodeAnswer>
  onDisagreement(disagreement: Disagreement): void
}

/** A block, and who says what about it. */
interface Case {
  hash: string
  proven: ProvenBlock | undefined
  told: JsonObject
  amountRaw: Raw | undefined
  confirmed: Upstream[]
  unconfirmed: Upstream[]
  absent: Upstream[]
}

/**
 * Reads sends: everything about them is computed from contents that prove themselves, and a send is final when as many nodes
 * say so as must. One node can therefore neither invent nor change a payment, where more than one is asked.
 */
export class SendReader {
  readonly #options: SendReaderOptions
  readonly #disputes: Disputes

  constructor(options: SendReaderOptions) {
    this.#options = options
    this.#disputes = new Disputes(options.clock, options.rules, options.onDisagreement)
  }

  async read(hashes: readonly string[], expected: readonly string[]): Promise<Map<string, LedgerSend>> {
    const sends = new Map<string, LedgerSend>()
    for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
      for (const send of await this.#readPart(hashes.slice(at, at + HASHES_AT_ONCE), expected))
        sends.set(send.hash, send)
    }
    return sends
  }

  async #readPart(hashes: readonly string[], expected: readonly string[]): Promise<LedgerSend[]> {
    const { rules } = this.#options
    const believesOne = rules.nodes === 1 && rules.above.length === 0
    const known = new Map<string, JsonObject>()
    const cases = new Map(hashes.map((hash) => [hash, openCase(hash)]))
    if (believesOne) {
      const blocks = await this.#askAll([...hashes, ...expected])
      for (const hash of expected) known.set(hash, toObject(blocks[hash]))
      for (const one of cases.values()) this.#hear(one, toObject(blocks[one.hash]))
      await this.#computeAmounts([...cases.values()], known)
      return [...cases.values()].flatMap((one) => toSend(one, one.told.confirmed === 'true'))
    }
    await this.#hearWitnesses(cases, expected, known)
    return [...cases.values()].flatMap((one) => toSend(one, this.#judge(one)))
  }

  /** Nodes one beside the other, and further ones about what some call confirmed and too few. */
  async #hearWitnesses(
    cases: ReadonlyMap<string, Case>,
    expected: readonly string[],
    known: Map<string, JsonObject>,
  ): Promise<void> {
    const { pool, rules } = this.#options
    const [first = ''] = cases.keys()
    const witnesses = pool.order(first).filter(({ healthy }) => healthy)
    let open = [...cases.values()]
    let wanted = rules.nodes
    let heard = 0
    let failure: unknown
    while (open.length > 0 && witnesses.length > 0) {
      const asked = open.map(({ hash }) => hash)
      await Promise.all(
        witnesses.splice(0, wanted).map(async (witness) => {
          try {
            const blocks = await this.#askOne(witness, [...asked, ...expected])
            heard++
            for (const hash of expected) if (!known.has(hash)) known.set(hash, toObject(blocks[hash]))
            for (const one of open) this.#hear(one, toObject(blocks[one.hash]), witness)
          } catch (error) {
            failure = error
          }
        }),
      )
      await this.#computeAmounts(open, known)
      // One more is asked for each that failed.
      if (heard < rules.nodes) wanted = rules.nodes - heard
      else {
        open = open.filter((one) => one.confirmed.length > 0 && one.confirmed.length < this.#required(one))
        wanted = Math.max(1, ...open.map((one) => this.#required(one) - one.confirmed.length))
      }
    }
    if (heard === 0) throw noNode(toFailure(failure ?? new Error('No node is well.')))
  }

  /** Takes what a node tells of a block. Contents that are not those of the hash are no word about it. */
  #hear(one: Case, told: JsonObject, witness?: Upstream): void {
    if (told.contents === undefined) {
      if (witness) one.absent.push(witness)
      return
    }
    const proven = one.proven ?? proveBlock(one.hash, told, this.#options.pool.leastWork)
    if (!proven) return
    if (!one.proven) Object.assign(one, { proven, told })
    if (!witness) return
    if (told.confirmed === 'true') one.confirmed.push(witness)
    else one.unconfirmed.push(witness)
  }

  async #computeAmounts(cases: readonly Case[], known: Map<string, JsonObject>): Promise<void> {
    const left = cases.filter((one) => one.proven && one.amountRaw === undefined)
    const previous = left
      .map(({ proven }) => previousOf(proven!.block))
      .filter((hash) => toObject(known.get(hash)).contents === undefined)
    if (previous.length > 0) {
      const blocks = await this.#askAll([...new Set(previous)])
      for (const hash of previous) known.set(hash, toObject(blocks[hash]))
    }
    for (const one of left) {
      const { block } = one.proven!
      one.amountRaw = computeAmount(block, toObject(known.get(previousOf(block))))
    }
  }

  /** Whether enough nodes call it confirmed. */
  #judge(one: Case): boolean {
    if (one.confirmed.length >= this.#required(one)) {
      this.#disputes.settle(one.hash)
      return true
    }
    if (one.confirmed.length > 0) this.#disputes.note(one.hash, one)
    return false
  }

  #required({ amountRaw }: Case): number {
    const { rules, pool } = this.#options
    if (rules.alone === 'allow' && pool.upstreams.filter(({ healthy }) => healthy).length === 1) return 1
    return requiredFor(rules, amountRaw ?? (0n as Raw))
  }

  async #askAll(hashes: readonly string[]): Promise<JsonObject> {
    return toObject((await this.#options.read('blocks_info', question(hashes))).blocks)
  }

  async #askOne(upstream: Upstream, hashes: readonly string[]): Promise<JsonObject> {
    return toObject((await this.#options.ask(upstream, 'blocks_info', question(hashes))).blocks)
  }
}

const question = (hashes: readonly string[]) => ({
  hashes,
  json_block: true,
  receivable: true,
  include_not_found: true,
})

const openCase = (hash: string): Case => ({
  hash,
  proven: undefined,
  told: {},
  amountRaw: undefined,
  confirmed: [],
  unconfirmed: [],
  absent: [],
})

function toSend({ hash, proven, told, amountRaw }: Case, isFinal: boolean): LedgerSend[] {
  return proven && amountRaw !== undefined ? [toLedgerSend(hash, proven, { amountRaw, told, isFinal })] : []
}

import type { Raw } from '../../kernel/money.ts'
import { type Block, previousOf } from '../../kernel/nano/block.ts'
import {
  type LedgerBlock,
  type LedgerSend,
  type ProvenBlock,
  computeAmount,
  proveBlock,
  readContents,
  toLedgerSend,
  waitsFor,
} from '../../kernel/nano/ledger-send.ts'
import type { Clock, NodeAnswer, NodeParams } from '../../kernel/ports.ts'
import { type JsonObject, toObject } from '../../kernel/shape.ts'
import { type AgreementRules, type Disagreement, Disputes, requiredFor } from './agreement.ts'
import type { UpstreamPool } from './pool.ts'
import type { Upstream } from './upstream.ts'
import { askWitnesses, isAlone } from './witnesses.ts'

const HASHES_AT_ONCE = 500

interface BlockReaderOptions {
  pool: Pick<UpstreamPool, 'order' | 'upstreams' | 'leastWork'>
  clock: Clock
  rules: AgreementRules
  /** Reads from one node, with failover. */
  read(action: string, params: NodeParams): Promise<NodeAnswer>
  ask(upstream: Upstream, action: string, params: NodeParams): Promise<NodeAnswer>
  onDisagreement(disagreement: Disagreement): void
}

/** A block, with what nodes report about it. */
interface Case {
  hash: string
  /** The contents, once a node has sent contents that match the hash. */
  block: Block | undefined
  /** The reports of all nodes that have the block. */
  reports: JsonObject[]
  proven: ProvenBlock | undefined
  amountRaw: Raw | undefined
  confirmed: Upstream[]
  unconfirmed: Upstream[]
  absent: Upstream[]
}

/** One question about blocks. */
interface Inquiry {
  cases: ReadonlyMap<string, Case>
  /**
   * Whether to compute amounts, which needs the previous blocks; those are requested in the same round if their hashes
   * are known.
   */
  amounts: boolean
  expected: readonly string[]
  previous: Map<string, JsonObject>
}

/**
 * Reads blocks. Everything about a block is computed from its contents, which the hash proves, and a block is final
 * when enough nodes report it as confirmed. If more than one node is asked, a single node can neither invent nor change
 * a payment.
 */
export class BlockReader {
  readonly #options: BlockReaderOptions
  readonly #disputes: Disputes

  constructor(options: BlockReaderOptions) {
    this.#options = options
    this.#disputes = new Disputes(options.clock, options.rules, options.onDisagreement)
  }

  async readBlocks(hashes: readonly string[]): Promise<Map<string, LedgerBlock>> {
    const blocks = new Map<string, LedgerBlock>()
    for (const [one, isFinal] of await this.#inquire(hashes, { amounts: false, expected: [] })) {
      const { hash, block, confirmed } = one
      if (!block) continue
      // Signatures are verified only for callers that need to know the signer.
      const prove = () => this.#prove(one)?.account
      blocks.set(hash, {
        block,
        isFinal,
        confirmedBy: confirmed.length,
        get signer() {
          return prove()
        },
      })
    }
    return blocks
  }

  async readSends(hashes: readonly string[], expected: readonly string[]): Promise<Map<string, LedgerSend>> {
    const sends = new Map<string, LedgerSend>()
    for (const [one, isFinal] of await this.#inquire(hashes, { amounts: true, expected })) {
      const { hash, proven, reports, amountRaw } = one
      if (!proven || amountRaw === undefined) continue
      sends.set(hash, toLedgerSend(hash, proven, { amountRaw, reports, least: this.#required(one), isFinal }))
    }
    return sends
  }

  /** Every block, and whether it is final. */
  async #inquire(
    hashes: readonly string[],
    about: Pick<Inquiry, 'amounts' | 'expected'>,
  ): Promise<[one: Case, isFinal: boolean][]> {
    const { rules } = this.#options
    const believesOne = rules.nodes === 1 && rules.above.length === 0
    const found: [Case, boolean][] = []
    for (let at = 0; at < hashes.length; at += HASHES_AT_ONCE) {
      const cases = new Map(hashes.slice(at, at + HASHES_AT_ONCE).map((hash) => [hash, openCase(hash)]))
      const inquiry = { ...about, cases, previous: new Map<string, JsonObject>() }
      await (believesOne ? this.#collectFromAny(inquiry) : this.#collectFromWitnesses(inquiry))
      for (const one of cases.values()) {
        found.push([one, believesOne ? one.reports[0]?.confirmed === 'true' : this.#judge(one)])
      }
    }
    return found
  }

  async #collectFromAny({ cases, expected, ...inquiry }: Inquiry): Promise<void> {
    const blocks = await this.#askAll([...cases.keys(), ...expected])
    for (const hash of expected) inquiry.previous.set(hash, toObject(blocks[hash]))
    for (const one of cases.values()) this.#record(one, toObject(blocks[one.hash]))
    if (inquiry.amounts) await this.#computeAmounts([...cases.values()], inquiry.previous)
  }

  /** Asks as many nodes as must agree, and more nodes about blocks that are not final yet. */
  async #collectFromWitnesses({ cases, expected, amounts, previous }: Inquiry): Promise<void> {
    const [first = ''] = cases.keys()
    let open = [...cases.values()]
    await askWitnesses(
      this.#options,
      first,
      async (witness) => {
        const asked = open.map(({ hash }) => hash)
        const blocks = await this.#askOne(witness, [...asked, ...expected])
        for (const hash of expected) if (!previous.has(hash)) previous.set(hash, toObject(blocks[hash]))
        for (const one of open) this.#record(one, toObject(blocks[one.hash]), witness)
      },
      async () => {
        if (amounts) await this.#computeAmounts(open, previous)
        // If the first nodes do not have a block, another node may know it, or may have invented it. Ask more nodes to
        // find out.
        open = open.filter((one) => this.#isOpen(one, amounts))
        return Math.max(0, ...open.map((one) => Math.max(1, this.#required(one) - one.confirmed.length)))
      },
    )
  }

  /** Records what a node reports about a block; ignores contents that do not match the hash. */
  #record(one: Case, reported: JsonObject, witness?: Upstream): void {
    if (reported.contents === undefined) {
      if (witness) one.absent.push(witness)
      return
    }
    one.block ??= readContents(one.hash, reported.contents)
    if (!one.block) return
    one.reports.push(reported)
    if (!witness) return
    if (reported.confirmed === 'true') one.confirmed.push(witness)
    else one.unconfirmed.push(witness)
  }

  /** A node may report a wrong account for a legacy block, while the next node reports the right one. */
  #prove(one: Case): ProvenBlock | undefined {
    const { hash, reports } = one
    for (const reported of reports) one.proven ??= proveBlock(hash, reported, this.#options.pool.leastWork)
    return one.proven
  }

  async #computeAmounts(cases: readonly Case[], known: Map<string, JsonObject>): Promise<void> {
    const left = cases.filter((one) => one.amountRaw === undefined && this.#prove(one))
    const missing = left
      .map(({ proven }) => previousOf(proven!.block))
      .filter((hash) => toObject(known.get(hash)).contents === undefined)
    if (missing.length > 0) {
      const blocks = await this.#askAll([...new Set(missing)])
      for (const hash of missing) known.set(hash, toObject(blocks[hash]))
    }
    for (const one of left) {
      const { block } = one.proven!
      one.amountRaw = computeAmount(block, toObject(known.get(previousOf(block))))
    }
  }

  /** Whether more nodes could add something: another confirmation, or whether the block is receivable. */
  #isOpen(one: Case, amounts: boolean): boolean {
    const least = this.#required(one)
    return one.confirmed.length < least || (amounts && waitsFor(one.reports, least) === undefined)
  }

  /** Whether enough nodes report it as confirmed. */
  #judge(one: Case): boolean {
    if (one.confirmed.length >= this.#required(one)) {
      this.#disputes.settle(one.hash)
      return true
    }
    // A node that does not answer denies nothing.
    const isDenied = one.unconfirmed.length + one.absent.length > 0
    if (one.confirmed.length > 0 && isDenied) this.#disputes.note(one.hash, one)
    return false
  }

  #required({ amountRaw }: Case): number {
    return isAlone(this.#options) ? 1 : requiredFor(this.#options.rules, amountRaw ?? (0n as Raw))
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
  block: undefined,
  reports: [],
  proven: undefined,
  amountRaw: undefined,
  confirmed: [],
  unconfirmed: [],
  absent: [],
})

import { type Block, previousOf } from '../kernel/nano/block.ts'

/** Enough for any test, and a limit on the memory that a flood of such blocks can take. */
const KEPT_MAX = 65_536

/** Blocks that arrived before their dependencies, kept in memory until those come. */
export class UncheckedBlocks {
  readonly #waiting = new Map<string, Map<string, Block>>()
  #count = 0

  get count(): number {
    return this.#count
  }

  /**
   * `need` is the hash of the missing block. For an epoch block of an unopened account without receivable sends, it is
   * the account.
   */
  keep(need: string, hash: string, block: Block): void {
    const blocks = this.#waiting.get(need) ?? new Map<string, Block>()
    if (!blocks.has(hash)) this.#count++
    blocks.set(hash, block)
    this.#waiting.set(need, blocks)
    if (this.#count > KEPT_MAX) this.take(this.#waiting.keys().next().value!)
  }

  take(need: string): Block[] {
    const blocks = this.#waiting.get(need)
    if (!blocks) return []
    this.#waiting.delete(need)
    this.#count -= blocks.size
    return [...blocks.values()]
  }

  /** Every kept block with its need and its hash, oldest first. */
  list(): [need: string, hash: string, block: Block][] {
    return [...this.#waiting].flatMap(([need, blocks]) =>
      [...blocks].map(([hash, block]): [string, string, Block] => [need, hash, block]),
    )
  }

  clear(): void {
    this.#waiting.clear()
    this.#count = 0
  }
}

/** What a block that arrived too early waits for. */
export function needOf(block: Block, refused: string): string | undefined {
  if (refused === 'Gap previous block') return previousOf(block)
  if (refused === 'Gap source block') {
    if (block.type === 'state') return block.link
    return block.type === 'open' || block.type === 'receive' ? block.source : undefined
  }
  if (refused === 'Gap pending for open epoch block' && block.type === 'state') return block.account
  return undefined
}

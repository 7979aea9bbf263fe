import type { Ctx } from '../../kernel/ctx.ts'
import type { Block } from '../../kernel/nano/block.ts'
import type { Names } from '../../kernel/ports.ts'

/** The context of ledger actions beside the node. */
export interface LedgerContext {
  names: Names
  /** Maximum entries of a list; a payment is searched for among as many. */
  countMax: number
  /** Prepares work for the block after an account's newest one. */
  prepareWork(address: string, root: string): void
  /** Computes the work of a block at the expense of its publisher. Unset in a process that publishes nothing. */
  workFor?(ctx: Ctx, block: Block, subtype: string | undefined): Promise<string>
}

/** `-1` requests everything, but never more than the gateway's maximum. */
export function boundedCount({ countMax: max }: Pick<LedgerContext, 'countMax'>, count: number | undefined): string {
  return String(count === undefined || count < 0 ? max : Math.min(count, max))
}

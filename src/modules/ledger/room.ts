import type { Names } from '../../kernel/ports.ts'

/** The context of ledger actions beside the node. */
export interface LedgerRoom {
  names: Names
  /** Maximum entries of a list; a payment is searched for among as many. */
  countMax: number
  /** Prepares work for the block after an account's newest one. */
  prepareWork(address: string, root: string): void
}

/** `-1` requests everything, but never more than the gateway's maximum. */
export function boundedCount({ countMax: max }: Pick<LedgerRoom, 'countMax'>, count: number | undefined): string {
  return String(count === undefined || count < 0 ? max : Math.min(count, max))
}

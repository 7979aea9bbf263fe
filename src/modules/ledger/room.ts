import type { Names } from '../../kernel/ports.ts'

/** What reads of the ledger need beside the node. */
export interface LedgerRoom {
  names: Names
  /** Entries that a list has at most; a payment is looked for among as many. */
  countMax: number
  /** An account's newest block is known: the work of the next one may be found before it is asked for. */
  prepareWork(address: string, root: string): void
}

/** `-1` asks for everything, which is still no more than the server gives. */
export function boundedCount({ countMax: max }: Pick<LedgerRoom, 'countMax'>, count: number | undefined): string {
  return String(count === undefined || count < 0 ? max : Math.min(count, max))
}

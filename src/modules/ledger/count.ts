import type { LedgerRoom } from './room.ts'

/** `-1` asks for everything, which is still no more than the server gives. */
export function boundedCount({ countMax: max }: Pick<LedgerRoom, 'countMax'>, count: number | undefined): string {
  return String(count === undefined || count < 0 ? max : Math.min(count, max))
}

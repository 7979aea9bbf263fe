import type { DatabaseSync } from 'node:sqlite'

/** Functions for exact sums. Amounts are text, because SQLite's own numbers would round them. */
export function addFunctions(db: DatabaseSync): void {
  db.function('add_raw', { deterministic: true }, (one, other) =>
    String(BigInt(one as string) + BigInt(other as string)),
  )
  db.aggregate('sum_raw', {
    start: '0',
    step: (sum: string, value: unknown) => (value === null ? sum : String(BigInt(sum) + BigInt(value as string))),
  })
}

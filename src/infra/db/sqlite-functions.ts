import type { DatabaseSync } from 'node:sqlite'

/** What statements and triggers need beside SQLite's own: amounts are text, and its numbers would round them. */
export function addFunctions(db: DatabaseSync): void {
  db.function('add_raw', { deterministic: true }, (one, other) =>
    String(BigInt(one as string) + BigInt(other as string)),
  )
  db.aggregate('sum_raw', {
    start: '0',
    step: (sum: string, value: unknown) => (value === null ? sum : String(BigInt(sum) + BigInt(value as string))),
  })
}

export type SqlValue = null | number | bigint | string | Uint8Array

/** Rows as lists of values. The names of their columns travel when they are new, not with every answer. */
export interface SqlResult {
  columns?: string[]
  rows: unknown[][]
  changes: number
}

/** What the main thread asks of the database thread; what is asked in one turn of the loop goes there as one message. */
export type SqliteRequest =
  /** First of all, and again after a close. */
  | { id: number; op: 'open'; file: string; readOnly: boolean }
  /**
   * A statement has a number, and its text comes with its first use: most are asked again and again, and longer than what is
   * asked of them. `within`: only inside the transaction that was begun before; without it, it would take effect alone.
   */
  | { id: number; op: 'query'; statement: number; sql?: string; values: SqlValue[]; within: boolean }
  /** Nobody will ask these any more. It is not answered. */
  | { id: number; op: 'forget'; statements: number[] }
  | { id: number; op: 'begin' }
  /**
   * `more`: another transaction is certain to follow at once, so this one may share its sync. `whole`: only if it had so many
   * statements and each of them has found a row; otherwise nothing of it stays.
   */
  | { id: number; op: 'commit'; more: boolean; whole?: number }
  | { id: number; op: 'rollback'; more: boolean }
  | { id: number; op: 'backup'; file: string }
  | { id: number; op: 'close' }

/** Answers, as many in one message as there are. A commit is done when it is on disk, or undone because it was not whole. */
export type SqliteReply =
  | { id: number; kind: 'done'; result?: SqlResult | undefined }
  | { id: number; kind: 'undone' }
  | { id: number; kind: 'failed'; message: string; code: number | undefined }

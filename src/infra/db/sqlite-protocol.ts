export type SqlValue = null | number | bigint | string | Uint8Array

/** Rows as lists of values. The names of the columns are only sent when they are new. */
export interface SqlResult {
  columns?: string[]
  rows: unknown[][]
  changes: number
}

/** Requests of the main thread to the database thread; those of one turn of the event loop are sent as one message. */
export type SqliteRequest =
  /** The first request, and again after a close. */
  | { id: number; op: 'open'; file: string; readOnly: boolean }
  /**
   * A statement has a number, and its text is sent with its first use: most are repeated, and the text is longer than the values.
   * `within`: only inside the transaction that was begun before; without that, it would take effect on its own.
   */
  | { id: number; op: 'query'; statement: number; sql?: string; values: SqlValue[]; within: boolean }
  /** These statements will not be used again. There is no answer. */
  | { id: number; op: 'forget'; statements: number[] }
  | { id: number; op: 'begin' }
  /**
   * `more`: another transaction is certain to follow at once, so this one may share its sync. `whole`: commit only if there were so
   * many statements and each has found a row; otherwise roll back.
   */
  | { id: number; op: 'commit'; more: boolean; whole?: number }
  | { id: number; op: 'rollback'; more: boolean }
  | { id: number; op: 'backup'; file: string }
  | { id: number; op: 'close' }

/** Answers, as many in one message as there are. A commit is `done` when it is on the disk, or `undone` because it was not whole. */
export type SqliteReply =
  | { id: number; kind: 'done'; result?: SqlResult | undefined }
  | { id: number; kind: 'undone' }
  | { id: number; kind: 'failed'; message: string; code: number | undefined }

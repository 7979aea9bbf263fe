export type SqlValue = null | number | bigint | string | Uint8Array

/** Rows as lists of values. The names of the columns are sent only once. */
export interface SqlResult {
  columns?: string[]
  rows: unknown[][]
  changes: number
}

/** Requests of the main thread to the database thread. All requests of one turn of the event loop are one message. */
export type SqliteRequest =
  /** Sent first, and again after a close. */
  | { id: number; op: 'open'; file: string; readOnly: boolean }
  /**
   * A statement has a number, and its text is sent only with its first use, because most statements are repeated.
   * `within`: run it only inside the transaction begun before; alone it would take effect at once.
   */
  | { id: number; op: 'query'; statement: number; sql?: string; values: SqlValue[]; within: boolean }
  /** Statements that will not be used again; not answered. */
  | { id: number; op: 'forget'; statements: number[] }
  | { id: number; op: 'begin' }
  /**
   * `more`: another transaction is certain to follow at once, so both may share a sync. `whole`: commit only if this
   * many statements ran and each found a row; otherwise roll back.
   */
  | { id: number; op: 'commit'; more: boolean; whole?: number }
  | { id: number; op: 'rollback'; more: boolean }
  | { id: number; op: 'backup'; file: string }
  | { id: number; op: 'close' }

/** Several answers in one message. A commit is `done` when it is on the disk, or `undone` if it was not whole. */
export type SqliteReply =
  | { id: number; kind: 'done'; result?: SqlResult | undefined }
  | { id: number; kind: 'undone' }
  | { id: number; kind: 'failed'; message: string; code: number | undefined }

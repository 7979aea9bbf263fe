export type SqlValue = null | number | bigint | string | Uint8Array

export interface SqlResult {
  rows: Record<string, unknown>[]
  changes: number
}

/** What the main thread asks of the database thread. */
export type SqliteRequest =
  | { id: number; op: 'query'; sql: string; values: SqlValue[] }
  | { id: number; op: 'begin' }
  /** `more`: another transaction is certain to follow at once, so this one may share its sync. */
  | { id: number; op: 'commit'; more: boolean }
  | { id: number; op: 'rollback'; more: boolean }
  | { id: number; op: 'backup'; file: string }
  | { id: number; op: 'close' }

/**
 * Answers. `done` is the result; a commit is answered twice, `released` when the next transaction may begin and `done`
 * when it is on disk.
 */
export type SqliteReply =
  | { id: number; kind: 'released' }
  | { id: number; kind: 'done'; result?: SqlResult | undefined }
  | { id: number; kind: 'failed'; message: string; code: number | undefined }

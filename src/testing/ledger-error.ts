/** What the ledger refused, in its own words, or that it could not be reached. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError'
  /** What was asked of it. */
  readonly action: string

  constructor(message: string, { action, cause }: { action: string; cause?: unknown }) {
    super(message, { cause })
    this.action = action
  }
}

/** What to search for: a nonce whose value for the root reaches the threshold. */
export interface Target {
  /** 64 hexadecimal digits. */
  root: string
  threshold: bigint
}

/** A source of work. The scheduler checks its results. */
export interface WorkSource {
  readonly name: string
  readonly kind: 'cpu' | 'card' | 'peer'
  /**
   * Most simultaneous searches. The threads of this machine all search for one root; a card or a peer may have the next
   * search ready.
   */
  readonly slots: number
  /** Measured hashes per second; an estimate before the first measurement. */
  readonly rate: number
  /** Whether it may compute work in advance. */
  readonly spare: boolean
  /** False while it should not be used: it has failed, gave a wrong result, or is not ready. */
  readonly usable: boolean
  /**
   * Searches until something is found or `stop` aborts. Aborting ends a search within milliseconds and loses nothing,
   * because a search has no progress. Resolves with 16 hexadecimal digits, or undefined if stopped; rejects if the
   * engine has failed.
   */
  search(target: Target, stop: AbortSignal): Promise<string | undefined>
  /** Reports that the last result was wrong. */
  distrust(): void
  close(): Promise<void>
}

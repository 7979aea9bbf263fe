/** The target of a search: a nonce whose value for the root reaches the threshold. */
export interface Target {
  /** 64 hexadecimal digits. */
  root: string
  threshold: bigint
}

/** A source of work. The scheduler verifies its answers. */
export interface WorkSource {
  readonly name: string
  readonly kind: 'cpu' | 'card' | 'peer'
  /** Searches at once. The threads of this machine all search for one root; a card or a peer may have the next one ready. */
  readonly slots: number
  /** Hashes a second as measured so far; a guess before the first measurement. */
  readonly rate: number
  /** Whether it may be used for work that no caller waits for yet. */
  readonly spare: boolean
  /** False while it should not be used: it failed lately, gave a wrong answer, or is not ready. */
  readonly usable: boolean
  /**
   * Searches until something is found or `stop` aborts, which ends the search within milliseconds without loss, because a search
   * has no progress. Resolves with 16 hexadecimal digits, or undefined when stopped; rejects when the engine has failed.
   */
  search(target: Target, stop: AbortSignal): Promise<string | undefined>
  /** Reports that the last answer was wrong. */
  distrust(): void
  close(): Promise<void>
}

/** What is looked for: a nonce whose value for the root reaches the threshold. */
export interface Target {
  /** 64 hexadecimal digits. */
  root: string
  threshold: bigint
}

/** Something that looks for work. Its answers are checked by the scheduler, never believed. */
export interface WorkSource {
  readonly name: string
  readonly kind: 'cpu' | 'card' | 'peer'
  /** Searches at once. The threads of this machine all look for one root; a card or a peer may have the next one at hand. */
  readonly slots: number
  /** Hashes a second as measured so far; a guess before the first measurement. */
  readonly rate: number
  /** Whether it may be used for what no caller waits for yet. */
  readonly spare: boolean
  /** False while it should not be asked: it failed lately, lied, or is not ready. */
  readonly usable: boolean
  /**
   * Looks until something is found or `stop` aborts, which ends the search within milliseconds at no loss: a search has
   * no memory. Resolves with 16 hexadecimal digits, or undefined when stopped; rejects when the engine has failed.
   */
  search(target: Target, stop: AbortSignal): Promise<string | undefined>
  /** The last answer was wrong. */
  distrust(): void
  close(): Promise<void>
}

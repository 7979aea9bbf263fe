/** Time, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Runs once after a delay; the returned function calls it off. */
  after(milliseconds: number, run: () => void): () => void
}

/** Unpredictable bytes. */
export interface Random {
  bytes(count: number): Uint8Array
}

import type { Leaving } from './leaving.ts'

/** How urgent work is: a caller waits, one of our own wallets waits, or it may be needed later. */
export type WorkClass = 'interactive' | 'wallet' | 'precompute'

export interface WorkRequest {
  /** 64 hexadecimal digits. */
  root: string
  threshold: bigint
  class: WorkClass
  /** Whose share of the machine it uses: an account, an address, a wallet. */
  payer: string
  /** The size of that share compared with others; 1 by default. */
  weight?: number
  /** Notifies when the caller has left. */
  leaving?: Leaving
}

export interface FoundWork {
  /** 16 hexadecimal digits. */
  work: string
  /** The difficulty that the work reaches; never below what was requested. */
  value: bigint
  /** Made in advance: the first caller is counted as if it had been searched for them. */
  prepared?: boolean
}

/** Proof of work. Every result was verified here, whatever its source. */
export interface WorkPort {
  /** Whether there is any source of work. */
  readonly offered: boolean
  /** Known work that is enough. */
  find(root: string, threshold: bigint): FoundWork | undefined | Promise<FoundWork | undefined>
  /** Finds work, or throws `no_work` when there is no source or the wait would be too long. */
  generate(request: WorkRequest): Promise<FoundWork>
  /** Notes that a caller was given work that was made in advance. */
  markAsked(root: string): Promise<void>
  /** Ends the waits of one payer for a root; true when there were any. Other payers keep waiting. */
  cancel(root: string, payer: string): boolean
  /** Announces the root of an account's next block; work for it is made when there is nothing else to do. */
  prepare(account: string, root: string, threshold: bigint): void
}

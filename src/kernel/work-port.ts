import type { Leaving } from './leaving.ts'

/** The urgency of work: a caller waits, one of our own wallets waits, or it may be needed later. */
export type WorkClass = 'interactive' | 'wallet' | 'precompute'

export interface WorkRequest {
  /** 64 hexadecimal digits. */
  root: string
  threshold: bigint
  class: WorkClass
  /** Who is charged with the use of the machine: an account, an address or a wallet. */
  payer: string
  /** The weight of the payer's share; 1 by default. */
  weight?: number
  /** Reports that the caller has left. */
  leaving?: Leaving
}

export interface FoundWork {
  /** 16 hexadecimal digits. */
  work: string
  /** The difficulty that the work reaches; never below what was requested. */
  value: bigint
  /** Computed in advance: its first user is charged as if it had been searched for them. */
  prepared?: boolean
}

/** Proof of work. Every result was checked here, whatever its source. */
export interface WorkPort {
  /** Whether there is any source of work. */
  readonly offered: boolean
  /** Known work that suffices. */
  find(root: string, threshold: bigint): FoundWork | undefined | Promise<FoundWork | undefined>
  /** Searches for work; throws `no_work` if there is no source, or if the wait would be too long. */
  generate(request: WorkRequest): Promise<FoundWork>
  /** Records that a caller got work that was computed in advance. */
  markAsked(root: string): Promise<void>
  /** Ends all waits of one payer for a root; returns whether there were any. Other payers continue to wait. */
  cancel(root: string, payer: string): boolean
  /** Announces the root of an account's next block, for which work is computed when the machine is idle. */
  prepare(account: string, root: string, threshold: bigint): void
}

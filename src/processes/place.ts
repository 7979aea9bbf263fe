import type { EmbeddedAddresses } from '../infra/node/upstreams.ts'
import type { LedgerIdentity } from '../kernel/nano/network.ts'
import type { KnownName } from '../kernel/ports.ts'

/** Where the processes of one gateway meet. */
export interface Place {
  /** Known to them alone. */
  secret: string
  /** Where the owner answers requests, and where it is linked with its fronts. */
  ownerSocket: string
  linkSocket: string
  /** The one that all fronts listen on. */
  port: number
  fronts: number
}

/** What the owner knows once it has started, and fronts need to answer as it does. */
export interface FrontFacts {
  ledger: LedgerIdentity
  devnet: EmbeddedAddresses | undefined
  play: KnownName[]
  /** Actions that are paid for by request. */
  sold: string[]
}

/** What the first process says to those it has started, over a channel that no other process can read. */
export type Order = { begin: Place; facts?: FrontFacts } | { announce: number } | 'goodbye' | 'stop'
/** What they say back. */
export type Begun = { begun: FrontFacts | true }

import type { PublicKey } from '../kernel/nano/address.ts'
import type { WorkThresholds } from '../kernel/nano/work.ts'
import type { Clock, Random } from '../kernel/ports.ts'
import type { AskNode } from './fork/node-reader.ts'
import type { Genesis } from './genesis.ts'
import type { StoredBlock } from './records.ts'

export type ConfirmationType = 'active_quorum' | 'active_confirmation_height' | 'inactive'

/** A representative that has voted for a block. */
export interface Tally {
  representative: PublicKey
  weight: bigint
}

export const sumOf = (votes: readonly Tally[]) => votes.reduce((sum, { weight }) => sum + weight, 0n)

/** Each makes a signature for every block that a client wants votes for. */
export const VOTERS_MAX = 100

export type NodeEvent =
  | { kind: 'arrived'; stored: StoredBlock }
  | { kind: 'confirmed'; stored: StoredBlock; type: ConfirmationType; votes: readonly Tally[] }

export interface NodeOptions {
  /** SQLite file of the ledger; `:memory:` forgets everything at the end. */
  file: string
  clock: Clock
  random: Random
  thresholds?: WorkThresholds
  /** The version of the node that it passes for. */
  version?: NodeVersion
  /** Reads from a node of another network, on top of whose ledger this one begins. It is asked nothing that would change it. */
  fork?: AskNode
  /** The name that `version` tells. */
  network?: string
  /** How the ledger begins, when it is not the development network's. */
  genesis?: Genesis
  /** Whether blocks of the genesis account, whose key everybody knows, are taken from the ledger itself alone. */
  genesisIsClosed?: boolean
  /** How many representatives vote, with equal parts of the weight of the genesis account; 1 unless it is said. */
  representatives?: number
  /** Time between a block's arrival and its confirmation, or the least and the most of it; 0 confirms in the same instant. */
  confirmAfterMilliseconds?: number | readonly [least: number, most: number]
  /** Hears what failed without a caller that waited for it; the terminal does unless told. */
  onFailure?: (error: unknown) => void
}

/** What is known to differ between versions of the node. Whatever is not here is as in V27.1, whose answers were recorded. */
export interface NodeVersion {
  major: string
  minor: string
  /** Whether `mnano_to_raw` is still there. */
  hasOldUnits: boolean
  /** Whether `new_unconfirmed_block` tells the hash beside the block. */
  tellsHash: boolean
}

export const NODE_VERSIONS = {
  27: { major: '27', minor: '1', hasOldUnits: true, tellsHash: false },
  28: { major: '28', minor: '0', hasOldUnits: false, tellsHash: true },
} as const satisfies Record<string, NodeVersion>

export const isNodeVersion = (text: string): text is `${keyof typeof NODE_VERSIONS}` =>
  Object.hasOwn(NODE_VERSIONS, text)

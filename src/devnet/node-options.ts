import type { PublicKey } from '../kernel/nano/address.ts'
import type { WorkThresholds } from '../kernel/nano/work.ts'
import type { Clock, Random } from '../kernel/ports.ts'
import type { AskNode } from './fork/node-reader.ts'
import type { Genesis } from './genesis.ts'
import type { StoredBlock } from './records.ts'

export type ConfirmationType = 'active_quorum' | 'active_confirmation_height' | 'inactive'

/** The vote of a representative for a block. */
export interface Tally {
  representative: PublicKey
  weight: bigint
}

export const sumOf = (votes: readonly Tally[]) => votes.reduce((sum, { weight }) => sum + weight, 0n)

/** Each representative signs a vote for every block whose votes a client wants, so their number is limited. */
export const VOTERS_MAX = 100

export type NodeEvent =
  | { kind: 'arrived'; stored: StoredBlock }
  | { kind: 'confirmed'; stored: StoredBlock; type: ConfirmationType; votes: readonly Tally[] }

export interface NodeOptions {
  /** SQLite file of the ledger; with `:memory:` nothing is kept. */
  file: string
  clock: Clock
  random: Random
  thresholds?: WorkThresholds
  /** The node version that it imitates. */
  version?: NodeVersion
  /**
   * Reads from a node of another network, whose ledger this one begins with. It gets only requests that change nothing.
   */
  fork?: AskNode
  /** The network name that `version` reports. */
  network?: string
  /** The first blocks of the ledger; by default those of the dev network. */
  genesis?: Genesis
  /** Whether only the ledger itself may publish blocks of the genesis account, whose private key is public. */
  genesisIsClosed?: boolean
  /** How many representatives vote, with equal parts of the weight of the genesis account; 1 by default. */
  representatives?: number
  /** Time between a block's arrival and its confirmation, or its minimum and maximum; 0 confirms at once. */
  confirmAfterMilliseconds?: number | readonly [least: number, most: number]
  /** Receives errors that have no caller; by default they are printed. */
  onFailure?: (error: unknown) => void
}

/** Known differences between node versions. Everything else follows V27.1, whose answers were recorded. */
export interface NodeVersion {
  major: string
  minor: string
  /** Whether `mnano_to_raw` still exists. */
  hasOldUnits: boolean
  /** Whether `new_unconfirmed_block` contains the hash beside the block. */
  announcesHash: boolean
}

export const NODE_VERSIONS = {
  27: { major: '27', minor: '1', hasOldUnits: true, announcesHash: false },
  28: { major: '28', minor: '0', hasOldUnits: false, announcesHash: true },
} as const satisfies Record<string, NodeVersion>

export const isNodeVersion = (text: string): text is `${keyof typeof NODE_VERSIONS}` =>
  Object.hasOwn(NODE_VERSIONS, text)

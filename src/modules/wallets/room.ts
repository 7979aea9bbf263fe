import type { Custody } from '../../kernel/custody.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { WorkThresholds } from '../../kernel/nano/work.ts'
import type { Names, NodePort, WorkPort } from '../../kernel/ports.ts'

/** What the verbs of wallets work with: requests have it, with a node of their own, and so have jobs. */
export interface WalletRoom {
  store: StoreCtx
  node: NodePort
  work: WorkPort
  thresholds: WorkThresholds
  custody: Custody
}

/** What the action needs beside that. */
export interface CloudWalletRoom extends WalletRoom {
  names: Names
  /** Wallets that a list has at most. */
  countMax: number
}

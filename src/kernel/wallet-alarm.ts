/** Problems that the operator must look into at once. */
export type WalletAlarm =
  /** Another signer has used a wallet's key, or the ledger denies what we know. */
  | 'frozen'
  /** An encrypted key cannot be decrypted, or does not belong to its address. */
  | 'key'
  /** The ledger refuses one of our blocks, or has an unconfirmed one in its place. It is published again; nothing is frozen. */
  | 'refused'
  /** The master keys could not be read, or lack one that a wallet needs. The wallet waits and is not frozen. */
  | 'master_key'
  /** Blocks that can never be confirmed, as all nodes agreed, were released, or one of them is on the ledger after all. */
  | 'void'

/** A node's refusal of one of our signed blocks. The block is not changed, and is published again. */
export interface BlockRefusal {
  blockId: string
  walletId: string
  hash: string
  /** The node's own message. */
  words: string
  /** Whether waiting will hardly help: then the caller who asked for the block should be notified. */
  lasting: boolean
}

/**
 * An encrypted key that cannot be decrypted because it was changed, or belongs elsewhere. Everything else that prevents decryption is a
 * problem of the master keys, and temporary.
 */
export class DecryptionFailed extends Error {}

export type ReportAlarm = (kind: WalletAlarm, detail: { walletId: string; reason: string }) => void

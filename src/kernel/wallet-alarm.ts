/** Problems that the operator must look into at once. */
export type WalletAlarm =
  /** Somebody else has used the wallet's key, or the ledger contradicts our records. */
  | 'frozen'
  /** An encrypted key cannot be decrypted, or does not belong to its address. */
  | 'key'
  /**
   * The ledger refuses one of our blocks, or has an unconfirmed one in its place. Our block is published again; nothing
   * is frozen.
   */
  | 'refused'
  /** The master keys cannot be read, or one that a wallet needs is missing. The wallet waits and is not frozen. */
  | 'master_key'
  /**
   * Blocks that can never be confirmed, as all nodes agreed, were released; or such a block is on the ledger after all.
   */
  | 'void'

/** A node's refusal of one of our signed blocks. The block stays as it is, and is published again. */
export interface BlockRefusal {
  blockId: string
  walletId: string
  hash: string
  /** The node's own message. */
  words: string
  /** Whether waiting will probably not help, so that the caller who asked for the block should be notified. */
  lasting: boolean
}

/**
 * An encrypted key was changed or belongs elsewhere, so it cannot be decrypted. Any other failure to decrypt is a
 * temporary problem of the master keys.
 */
export class DecryptionFailed extends Error {}

export type ReportAlarm = (kind: WalletAlarm, detail: { walletId: string; reason: string }) => void

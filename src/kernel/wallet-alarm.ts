/** What the operator has to look into at once. */
export type WalletAlarm =
  /** Another signer has used a wallet's key, or the ledger denies what we know. */
  | 'frozen'
  /** An encrypted key does not open, or is not the key of its address. */
  | 'key'
  /** The ledger refuses a block of ours, or has an unconfirmed one in its place. It goes out again; nothing is frozen. */
  | 'refused'
  /** The master keys could not be read, or lack one that a wallet needs. The wallet waits and is not frozen. */
  | 'master_key'
  /** Blocks that can never be confirmed by the word of all nodes were released, or one of them is on the ledger after all. */
  | 'void'

/** What a node has said to a signed block of ours. The block stays as it is and goes out again. */
export interface BlockRefusal {
  blockId: string
  walletId: string
  hash: string
  /** The node's own. */
  words: string
  /** Whether waiting will hardly help: the caller who asked for the block should hear of it. */
  lasting: boolean
}

/**
 * An encrypted key that does not decrypt: it was changed, or belongs elsewhere. Everything else that keeps a key from being
 * opened lies with the master keys and passes.
 */
export class SealBroken extends Error {}

export type TellAlarm = (kind: WalletAlarm, detail: { walletId: string; reason: string }) => void

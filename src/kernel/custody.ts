import type { Raw } from './money.ts'
import type { KeyVault, Vanity } from './ports.ts'

/** What wallets may do, from configuration; 0 means no limit. */
export interface WalletRules {
  /** False stops every new send, whoever asks for it. What was signed before still goes out. */
  sendsAllowed: boolean
  /** Wallets of one account that have not ended. */
  walletsMax: number
  /** The largest send of a cloud wallet. */
  sendMax: Raw
  /** What the cloud wallets of one account may send in 24 hours. */
  dailySendMax: Raw
  /** Deposits below this are not received unless somebody asks for it, because each costs work. */
  receiveMin: Raw
  /** Whether cloud wallets receive by themselves; those of the service always do. */
  receivesItself: boolean
  /** How long a client waits for its send to leave. */
  waitMilliseconds: number
  /** The representative of new wallets; undefined makes each its own. */
  representative: string | undefined
}

/** What somebody has to look into at once. */
export type WalletAlarm =
  /** Somebody else has signed for a wallet, or the ledger denies what we know. */
  | 'frozen'
  /** A sealed key does not open, or is not the key of its address. */
  | 'key'
  /** The ledger refuses a block of ours, or has an unconfirmed one in its place. It goes out again; nothing is frozen. */
  | 'refused'
  /** The master keys could not be read, or lack one that a wallet needs. The wallet waits and is not frozen. */
  | 'master_key'

/** What a node has said to a signed block of ours. The block stays as it is and goes out again. */
export interface BlockRefusal {
  blockId: string
  walletId: string
  hash: string
  /** The node's own. */
  words: string
  /** Whether waiting will hardly help: whoever asked for the block should hear of it. */
  lasting: boolean
}

/**
 * A sealed key whose seal does not fit: it was changed, or belongs elsewhere. Everything else that keeps a key from being
 * opened lies with the master keys and passes.
 */
export class SealBroken extends Error {}

/** Everything that wallets need beside store, ledger and work. */
export interface Custody {
  vault: KeyVault
  vanity: Vanity
  rules: WalletRules
  /** A picture of a text, as a data URI. */
  qrPng(text: string): string
  /**
   * Brings a wallet's blocks forward as far as they go now. One pass runs at a time; the promise is that of a pass that
   * began after the call, and it fails when the pass does. The failure is told by then; whoever goes on regardless waits
   * with `whenOver`.
   */
  advance(walletId: string): Promise<void>
  /** Resolves once a block has left or was refused; the returned function ends the wait. */
  watchBlock(blockId: string): { settled: Promise<void>; forget(): void }
  /** Ends the waits for a block. */
  tellBlock(blockId: string): void
  /** A node refuses a block of ours: it is logged, counted, and told to whoever waits for the block. */
  noteRefusal(refusal: BlockRefusal): void
  /** What was said to a block when it was last brought to the ledger from here; undefined if nothing was, or it went well. */
  refusalOf(blockId: string): BlockRefusal | undefined
  forgetRefusal(blockId: string): void
  /** A new wallet: its address is listened for from now on. */
  watchWallet(walletId: string, address: string): void
  alarm(kind: WalletAlarm, detail: { walletId: string; reason: string }): void
}

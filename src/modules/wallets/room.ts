import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Raw } from '../../kernel/money.ts'
import type { WorkThresholds } from '../../kernel/nano/work.ts'
import type { KeyVault, Vanity } from '../../kernel/key-vault.ts'
import type { AskAllNodes, Names, NodePort, WorkPort } from '../../kernel/ports.ts'
import type { BlockRefusal, TellAlarm } from '../../kernel/wallet-alarm.ts'
import type { BlockWatch } from './advance-queue.ts'
import type { OutboxBlock } from './outbox-store.ts'
import type { Wallet } from './store.ts'

/** What wallets may do, from configuration; 0 means no limit. */
export interface WalletRules {
  /** False stops every new send, of customers and of the service. What was signed before still goes out. */
  sendsAllowed: boolean
  /** Wallets of one account that have not ended. */
  walletsMax: number
  /** The largest send of a cloud wallet. */
  sendMax: Raw
  /** What the cloud wallets of one account may send in 24 hours. */
  dailySendMax: Raw
  /** Deposits below this are not received unless their owner asks for it, because each costs work. */
  receiveMin: Raw
  /** Whether cloud wallets receive by themselves; those of the service always do. */
  receivesItself: boolean
  /** How long a client waits for its send to leave. */
  waitMilliseconds: number
  /** For so long all nodes must deny what a block builds on before it is released. */
  releaseAfterMilliseconds: number
  /** The representative of new wallets; undefined makes each its own. */
  representative: string | undefined
}

/** The passes that bring blocks of wallets forward, and those who wait for them. */
interface Advancing {
  /**
   * Brings a wallet's blocks forward as far as they go now. One pass runs at a time; the promise is that of a pass that
   * began after the call, and it fails when the pass does. The failure is told by then; a caller that goes on regardless waits
   * with `whenOver`.
   */
  advance(walletId: string): Promise<void>
  /** The same in a moment, for what nodes are about to agree on. What comes of it is found again. */
  lookSoon(walletId: string): void
  watchBlock(blockId: string): BlockWatch
  /** Ends the waits for a block; `left` is what they wait for. */
  tellBlock(blockId: string, left?: OutboxBlock): void
  /** A node refuses a block of ours: it is logged, counted, and told to the caller that waits for the block. */
  noteRefusal(refusal: BlockRefusal): void
  /** What was said to a block when it was last brought to the ledger from here; undefined if nothing was, or it went well. */
  refusalOf(blockId: string): BlockRefusal | undefined
  forgetRefusal(blockId: string): void
}

/** What the verbs of wallets work with: requests have it, with a node of their own, and so have jobs. */
export interface WalletRoom {
  store: StoreCtx
  node: NodePort
  askAllNodes: AskAllNodes
  work: WorkPort
  thresholds: WorkThresholds
  vault: KeyVault
  vanity: Vanity
  rules: WalletRules
  /** A picture of a text, as a data URI. */
  qrPng(text: string): string
  queue: Advancing
  /** A new wallet: its address is listened for from now on. */
  watchAddress(walletId: string, address: string): void
  alarm: TellAlarm
}

/** What the action needs beside that. */
export interface CloudWalletRoom extends WalletRoom {
  names: Names
  /** Wallets that a list has at most. */
  countMax: number
}

/** The open pages of a wallet's owner look again; wallets of the service have none. */
export function tellWallet({ store }: Pick<WalletRoom, 'store'>, { accountId }: Pick<Wallet, 'accountId'>): void {
  if (accountId !== null) store.tellAccount(accountId, ['wallets:read'])
}

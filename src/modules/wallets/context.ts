import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Raw } from '../../kernel/money.ts'
import type { WorkThresholds } from '../../kernel/nano/work.ts'
import type { KeyVault, Vanity } from '../../kernel/key-vault.ts'
import { type AskAllNodes, type Names, type NodePort } from '../../kernel/ports.ts'
import { type WorkPort } from '../../kernel/work-port.ts'
import type { BlockRefusal, ReportAlarm } from '../../kernel/wallet-alarm.ts'
import type { BlockWatch } from './advance-queue.ts'
import type { OutboxBlock } from './outbox-store.ts'
import type { Wallet } from './store.ts'

/** Rules for wallets, from the configuration; 0 means no limit. */
export interface WalletRules {
  /** False stops every new send, of customers and of the service. Blocks signed before are still broadcast. */
  sendsAllowed: boolean
  /** Maximum of wallets of one account that have not ended. */
  walletsMax: number
  /** The largest amount of one send from a cloud wallet. */
  sendMax: Raw
  /** The most that one account's cloud wallets may send in 24 hours. */
  dailySendMax: Raw
  /** Smaller deposits are received only when their owner asks for it, because each costs work. */
  receiveMin: Raw
  /** Whether cloud wallets receive automatically; wallets of the service always do. */
  receivesItself: boolean
  /** How long a client waits for its send to be broadcast. */
  waitMilliseconds: number
  /** After all nodes have denied for this long the block on which a wallet of ours has signed, the blocks that it signed there are released. */
  releaseAfterMilliseconds: number
  /** The representative of new wallets; undefined makes each wallet its own representative. */
  representative: string | undefined
}

/** The passes that advance wallets, and the callers that wait for them. */
interface Advancing {
  /**
   * Advances a wallet as far as possible now. One pass runs at a time; the promise belongs to a pass that began after the call, and rejects
   * when that pass fails. The failure is reported by then; a caller that continues regardless waits with `whenOver`.
   */
  advance(walletId: string): Promise<void>
  /** Advances a wallet in a moment, when nodes are about to agree. A failure is not reported, because the jobs try again. */
  lookSoon(walletId: string): void
  watchBlock(blockId: string): BlockWatch
  /** Ends the waits for a block; `left` is what they resolve with. */
  reportBlock(blockId: string, left?: OutboxBlock): void
  /** Logs and counts a node's refusal of a block of ours, and keeps it for the caller that waits for the block. */
  noteRefusal(refusal: BlockRefusal): void
  /** The last refusal of a block by a node; undefined when it was not refused when last published from this process. */
  refusalOf(blockId: string): BlockRefusal | undefined
  forgetRefusal(blockId: string): void
}

/** The context of every function of this module. Each request has a context with its own `node`; jobs have a context as well. */
export interface WalletContext {
  store: StoreCtx
  node: NodePort
  askAllNodes: AskAllNodes
  work: WorkPort
  thresholds: WorkThresholds
  vault: KeyVault
  vanity: Vanity
  rules: WalletRules
  /** A QR code of a text, as a data URI. */
  qrPng(text: string): string
  queue: Advancing
  /** Subscribes to events of a new wallet's address. */
  watchAddress(walletId: string, address: string): void
  alarm: ReportAlarm
}

/** What the action needs in addition. */
export interface CloudWalletContext extends WalletContext {
  names: Names
  /** How many wallets a list has at most. */
  countMax: number
}

/** Makes the open pages of a wallet's owner reload; wallets of the service have no owner. */
export function notifyWallet({ store }: Pick<WalletContext, 'store'>, { accountId }: Pick<Wallet, 'accountId'>): void {
  if (accountId !== null) store.notifyAccount(accountId, ['wallets:read'])
}

import type { StoreEngine } from '../../kernel/dialect.ts'
import type { Db } from '../../kernel/db.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Raw } from '../../kernel/money.ts'
import type { Names, Prices, QrOutline, SecretBox } from '../../kernel/ports.ts'
import type { Checkout } from './record.ts'
import type { NewWallet, QueuedSend } from '../wallets/index.ts'
import type { ServiceSales } from './service-sales.ts'

/** What checkouts may do, from configuration. */
interface CheckoutRules {
  lifetimeMilliseconds: number
  /** Open checkouts on one address: of an account, and of all callers without a key together; 0 means no limit. */
  openMax: number
  openPublicKeyMax: number
  openAnonymousMax: number
  /** Accounts that may have wallets made for their checkouts; `all` is everybody with a key. */
  generatedWallets: readonly string[]
  /** Whether pages may lead to plain http, which is for trying things out. */
  plainHttpAllowed: boolean
}

/** Wallets that the service makes for single checkouts, and sends of wallets by which money goes back. */
interface ServiceWallets {
  /** Makes a wallet whose funds can only go to one address, in the transaction of `run`, which keeps it; what is refused leaves none. */
  along<T>(request: { destination: string; reference: string }, run: (wallet: NewWallet) => Promise<T>): Promise<T>
  /** Brings everything it holds, and whatever it still gets, to that address. Safe to repeat. */
  sweep(walletId: string): Promise<void>
  /** Queues a send in the caller's transaction and answers its id: it leaves once, or takes itself back unsigned. */
  queueSend(tx: StoreCtx, send: QueuedSend): Promise<string>
  /** Brings what is queued to the ledger, as far as that goes while a client waits. */
  bringForward(send: { id: string; walletId: string }): Promise<void>
}

/** Money that will lie ready for the holder of a link. */
export interface PreparedClaim {
  id: string
  address: string
  wallet: NewWallet
  /** Where it goes when it is not fetched. */
  returnTo: string
}

export interface ClaimStanding {
  status: 'open' | 'claimed' | 'returned'
  /** Who has fetched it. */
  address: string | null
}

/** Links by which payers fetch their refunds. */
interface ClaimLinks {
  /** Prepares its wallet, which `run` records; refuses an amount that it would never receive. */
  along<T>(terms: { returnTo: string; amount: Raw }, run: (claim: PreparedClaim) => Promise<T>): Promise<T>
  /** Writes it down with its wallet, in the transaction of its refund. */
  record(
    tx: StoreCtx,
    claim: PreparedClaim,
    what: { refundId: string; accountId: string; amount: Raw; title: string | null },
  ): Promise<void>
  find(db: Db, id: string): Promise<ClaimStanding | undefined>
  /** What was not fetched goes back. */
  cancel(tx: StoreCtx, id: string): Promise<void>
  link(refundId: string): string
}

/** What lies on an address at one moment. */
export interface AddressLook {
  /** The newest block of its chain, and how many there are, confirmed or not. */
  frontier: string | null
  height: number
  /** Hashes of sends that wait for it, confirmed or not. */
  waiting: readonly string[]
}

/** Everything that checkouts need beside store, ledger and names. */
export interface CheckoutPorts {
  engine: StoreEngine
  rules: CheckoutRules
  prices: Prices
  links: {
    pay(id: string): string
    check(id: string): string
    record(id: string): string
    block(hash: string): string
    /** Of a path of our own pages. */
    own(path: string): string
  }
  /** A picture of a text, as a data URI. */
  qrPng(text: string): string
  qrOutline(text: string): QrOutline
  /** Refuses (400) where events may not be sent. */
  checkWebhookUrl(url: string, field?: string): Promise<void>
  secrets: SecretBox
  wallets: ServiceWallets
  claims: ClaimLinks
  /** Whether what is sent to an address reaches an exchange and not the payer who paid from it. */
  isExchange(address: string): boolean
  /** Where the service itself is paid. */
  treasuryAddress(): Promise<string>
  sales: ServiceSales
  linkSales: LinkSales
  /** Reads from the ledger what lies on an address now. Throws when no node answers. */
  look(address: string): Promise<AddressLook>
  /** Proofs of payments, where the gateway is set to make them. */
  proofs: {
    isOn: boolean
    /** A block is announced that may pay a checkout. */
    expect(hash: string, payer?: string): void
    /** A block has paid checkouts: its proof is stored as soon as the votes for it are there. */
    prove(hash: string, checkoutIds: readonly string[]): void
  }
  /** A new checkout waits at this address: it is listened for from now on, here and on other instances. */
  watch(address: string): void
  /** Something about a checkout has changed; open pages look again. What became of it is told to the operator. */
  tell(checkoutId: string, became?: string): void
}

/** What the verbs of checkouts work with. */
export interface CheckoutRoom extends StoreCtx {
  ports: CheckoutPorts
  names: Names
}

/** The room that makes checkouts from links. Checkouts call it, because they stand below links. */
export interface LinkSales {
  /** A checkout of a link has changed, inside the transaction that changes it. Writes to the store alone. */
  moved(tx: CheckoutRoom, before: Checkout, after: Checkout): Promise<void>
}

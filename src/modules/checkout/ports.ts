import type { StoreEngine } from '../../kernel/dialect.ts'
import type { Db } from '../../kernel/db.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Raw } from '../../kernel/money.ts'
import type { PayerWallet } from '../../kernel/payer-wallets.ts'
import type { Names, Prices, QrOutline, SecretBox } from '../../kernel/ports.ts'
import type { Checkout } from './record.ts'
import type { NewWallet, QueuedSend } from '../wallets/index.ts'
import type { ServiceSales } from './service-sales.ts'

/** Rules for checkouts, from the configuration. */
interface CheckoutRules {
  lifetimeMilliseconds: number
  /** Maximum of open checkouts on one address, for an account, and for all callers without a key together; 0 means no limit. */
  openMax: number
  openPublicKeyMax: number
  openAnonymousMax: number
  /** Mails to buyers that an account may cause in a day; 0 means no limit. */
  buyerMailsPerDayMax: number
  /** Accounts that may use generated wallets; `all` means every account. */
  generatedWallets: readonly string[]
  /** Whether payment pages may link to plain http, which only the development ledger allows. */
  plainHttpAllowed: boolean
}

/** Wallets that the service generates for single checkouts, and sends of wallets that pay refunds. */
interface ServiceWallets {
  /** Generates a wallet that can pay out to one address only, in the transaction of `run`, which stores it. No wallet remains when `run` throws. */
  along<T>(request: { destination: string; reference: string }, run: (wallet: NewWallet) => Promise<T>): Promise<T>
  /** Sends everything the wallet holds, and whatever still arrives, to that address. Safe to repeat. */
  sweep(walletId: string): Promise<void>
  /** Queues a send in the caller's transaction and returns its id. It is sent once, or dropped before it is signed. */
  queueSend(tx: StoreCtx, send: QueuedSend): Promise<string>
  /** Tries to bring a queued send to the ledger while a client waits. */
  bringForward(send: { id: string; walletId: string }): Promise<void>
}

/** A wallet prepared to hold money for the person who opens a link. */
export interface PreparedClaim {
  id: string
  address: string
  wallet: NewWallet
  /** The address that unclaimed money returns to. */
  returnTo: string
}

export interface ClaimStanding {
  status: 'open' | 'claimed' | 'returned'
  /** The address that claimed it. */
  address: string | null
}

/** Links through which payers claim their refunds. */
interface ClaimLinks {
  /** Prepares the wallet of a link, which `run` stores; refuses an amount too small to be received. */
  along<T>(terms: { returnTo: string; amount: Raw }, run: (claim: PreparedClaim) => Promise<T>): Promise<T>
  /** Stores the link with its wallet, in the transaction of its refund. */
  record(
    tx: StoreCtx,
    claim: PreparedClaim,
    what: { refundId: string; accountId: string; amount: Raw; title: string | null },
  ): Promise<void>
  find(db: Db, id: string): Promise<ClaimStanding | undefined>
  /** Returns unclaimed money. */
  cancel(tx: StoreCtx, id: string): Promise<void>
  link(refundId: string): string
}

/** The state of an address at one moment. */
export interface AddressLook {
  /** The newest block of its chain, and how many there are, confirmed or not. */
  frontier: string | null
  height: number
  /** Hashes of receivable sends, confirmed or not. */
  waiting: readonly string[]
}

/** What checkouts need beside the store, the ledger and names. */
export interface CheckoutPorts {
  engine: StoreEngine
  rules: CheckoutRules
  prices: Prices
  links: {
    pay(id: string): string
    check(id: string): string
    record(id: string): string
    block(hash: string): string
    /** Link to a path of our own pages. */
    own(path: string): string
  }
  /** A QR code of a text, as a data URI. */
  qrPng(text: string): string
  qrOutline(text: string): QrOutline
  /** Throws 400 for an address to which events may not be sent. */
  checkWebhookUrl(url: string, field?: string): Promise<void>
  secrets: SecretBox
  wallets: ServiceWallets
  claims: ClaimLinks
  /** Whether the address belongs to an exchange, where a refund would not reach the person who paid. */
  isExchange(address: string): boolean
  /** The address at which the service itself is paid. */
  treasuryAddress(): Promise<string>
  sales: ServiceSales
  linkSales: LinkSales
  /** Wallets to name to a payer who has none. */
  walletsFor(userAgent: string | undefined): readonly PayerWallet[]
  /** Reads the current state of an address from the ledger. Throws when no node answers. */
  look(address: string): Promise<AddressLook>
  /** Proofs of payments, where the gateway is set to make them. */
  proofs: {
    isOn: boolean
    /** Collects votes for an announced block that may pay a checkout. */
    expect(hash: string, payer?: string): void
    /** Stores the proof of a block that has paid checkouts, as soon as enough votes for it have arrived. */
    prove(hash: string, checkoutIds: readonly string[]): void
  }
  /** Subscribes to the address of a new checkout, on this instance and the others. */
  watch(address: string): void
  /** Notifies open pages of a change of a checkout; `became` is also reported to the operator. */
  announce(checkoutId: string, became?: string): void
}

/** The context that every function of this module works with. */
export interface CheckoutContext extends StoreCtx {
  ports: CheckoutPorts
  names: Names
}

/** The module that makes checkouts from links. Checkouts call it through this port, because links depend on checkouts. */
export interface LinkSales {
  /** Called inside the transaction that changes a checkout of a link. May only write to the store. */
  moved(tx: CheckoutContext, before: Checkout, after: Checkout): Promise<void>
  /** Where an order that was not paid can be started again; undefined once the offer has ended. */
  againAt(ctx: CheckoutContext, checkout: Checkout): Promise<string | undefined>
}

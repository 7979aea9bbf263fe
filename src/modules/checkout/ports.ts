import type { StoreEngine } from '../../kernel/dialect.ts'
import type { Prices, QrOutline, SecretBox } from '../../kernel/ports.ts'
import type { LinkSales } from './link-sales.ts'
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

/** Wallets that the service makes for single checkouts. */
interface ServiceWallets {
  /** A wallet whose funds can only go to one address. */
  create(request: { destination: string; reference: string }): Promise<{ id: string; address: string }>
  /** Brings everything it holds, and whatever it still gets, to that address. Safe to repeat. */
  sweep(walletId: string): Promise<void>
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
  checkWebhookUrl(url: string): Promise<void>
  secrets: SecretBox
  wallets: ServiceWallets
  /** Where the service itself is paid. */
  treasuryAddress(): Promise<string>
  sales: ServiceSales
  linkSales: LinkSales
  /** Reads from the ledger what lies on an address now. Throws when no node answers. */
  look(address: string): Promise<AddressLook>
  /** A new checkout waits at this address: it is listened for from now on, here and on other instances. */
  watch(address: string): void
  /** Something about a checkout has changed; open pages look again. */
  tell(checkoutId: string): void
}

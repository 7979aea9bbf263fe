import type { Engine } from './dialect.ts'
import type { Prices } from './ports.ts'

/** What checkouts may do, from configuration. */
export interface CheckoutRules {
  lifetimeMilliseconds: number
  /** Open checkouts on one address: of an account, and of all callers without a key together; 0 means no limit. */
  openMax: number
  openAnonymousMax: number
  /** Whether pages may lead to plain http, which is for trying things out. */
  plainHttpAllowed: boolean
}

/** Wallets that the service makes for single checkouts. */
export interface ServiceWallets {
  create(request: { purpose: string; reference: string }): Promise<{ id: string; address: string }>
  /** Brings everything a wallet holds, and whatever it still gets, to an address. */
  sweep(request: { walletId: string; destinations: readonly string[]; reference: string }): Promise<void>
}

/** Everything that checkouts need beside store, ledger and names. */
export interface Till {
  engine: Engine
  rules: CheckoutRules
  prices: Prices
  links: {
    pay(id: string): string
    check(id: string): string
    record(id: string): string
    block(hash: string): string
  }
  /** A picture of a text, as a data URI. */
  qrPng(text: string): string
  /** Refuses (400) where events may not be sent. */
  checkWebhookUrl(url: string): Promise<void>
  /** Keeps secrets unreadable at rest; one opens only in the context it was sealed for. */
  secrets: { seal(context: string, plain: string): string; open(context: string, sealed: string): string }
  /** Absent where this service keeps no wallets. */
  wallets: ServiceWallets | undefined
  /** A new checkout waits at this address: it is listened for from now on, here and on other instances. */
  watch(address: string): void
  /** Something about a checkout has changed; whoever shows it looks again. */
  tell(checkoutId: string): void
}

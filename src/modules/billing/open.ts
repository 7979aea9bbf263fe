import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { type Module, offer } from '../../kernel/module.ts'
import { whenOver } from '../../kernel/when-over.ts'
import type { AccountsModule } from '../accounts/index.ts'
import type { CheckoutModule } from '../checkout/index.ts'
import type { WalletContext } from '../wallets/index.ts'
import { buyRpc } from './actions/buy-rpc.ts'
import { type Learn, describeOrder } from './domain/describe.ts'
import { CREDITS, giveCredits } from './domain/sell-credits.ts'
import { type Fulfil, type Settlement, giveUpWaiting, resumeOrder, settlePayment } from './domain/settle.ts'
import type { BillingContext, OfferContext } from './context.ts'
import { creditPages } from './routes/dashboard.tsx'
import type { BillingSettings } from './settings.ts'
import { deleteOrders, sumReturned } from './store.ts'

export const BILLING_ACTIONS = [buyRpc]

interface BillingPorts {
  accounts: Pick<AccountsModule, 'keys' | 'announceCredits'>
  checkout: CheckoutModule
  wallets: WalletContext
  /** Whether the address belongs to an exchange, where a refund would not reach the person who paid. */
  isExchange(address: string): boolean
}

/** One kind of thing that is sold. */
interface Sold {
  kind: string
  fulfil: Fulfil
  /** Updates this instance's memory after a delivery, before anybody is notified of it. */
  learn: Learn
}

export interface BillingModule extends Module {
  billing: BillingContext
  /** The context in which other modules make offers. */
  offers: OfferContext
  /** Registers a kind of thing that a later module sells. */
  sells(sold: Sold): void
  /** Settles a paid order whose owner has just approved it, in the transaction that stores the approval. */
  resumeOrder(tx: StoreCtx, checkoutId: string): Promise<() => void>
}

/** Opens the billing module: what the service itself sells, and its settlement by delivery or refund. */
export function openBilling(
  { accounts, checkout, wallets, isExchange }: BillingPorts,
  { creditPlans, offersPerDayMax }: BillingSettings,
): BillingModule {
  const sold = new Map<string, Sold>()
  const settlement: Settlement = {
    fulfil: (kind) => sold.get(kind)?.fulfil,
    isExchange,
    onRefund: (walletId) => {
      // If this fails, the jobs of the wallets repeat it.
      void whenOver(wallets.queue.advance(walletId))
    },
  }
  const sells = (one: Sold) => void sold.set(one.kind, one)
  sells({
    kind: CREDITS,
    fulfil: giveCredits((accountId) => accounts.announceCredits(accountId)),
    learn: ({ accountId }) => {
      if (accountId !== null) accounts.keys.forgetAccount(accountId)
    },
  })
  checkout.sellFor({
    settle: (tx, payment) => settlePayment(settlement, tx, payment),
    describe: (db, checkoutId) => describeOrder(db, checkoutId, (given) => sold.get(given.kind)?.learn(given)),
    sumReturned,
    forget: deleteOrders,
  })
  const offers: OfferContext = { checkouts: checkout.checkouts, offersPerDayMax }
  const context: BillingContext = { ...offers, creditPlans }
  return {
    ...offer('billing', context, BILLING_ACTIONS),
    billing: context,
    offers,
    sells,
    resumeOrder: (tx, checkoutId) => resumeOrder(settlement, tx, checkoutId),
    pages: creditPages(context),
    jobs: [refundUnauthorized(settlement, wallets.store)],
  }
}

/** Refunds paid orders that were never approved. */
const refundUnauthorized = (settlement: Settlement, ctx: StoreCtx): Job => ({
  kind: 'billing.refund-unauthorized',
  money: true,
  everyMilliseconds: 60_000,
  run: () => giveUpWaiting(settlement, ctx),
})

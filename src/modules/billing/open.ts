import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { type Module, offer } from '../../kernel/module.ts'
import { whenOver } from '../../kernel/when-over.ts'
import type { AccountsModule } from '../accounts/index.ts'
import type { CheckoutModule } from '../checkout/index.ts'
import type { WalletRoom } from '../wallets/index.ts'
import { buyRpc } from './actions/buy-rpc.ts'
import { type Learn, describeOrder } from './domain/describe.ts'
import { CREDITS, giveCredits } from './domain/sell-credits.ts'
import { type Fulfil, type Settlement, giveUpWaiting, resumeOrder, settlePayment } from './domain/settle.ts'
import type { BillingRoom, OfferRoom } from './room.ts'
import { creditPages } from './routes/dashboard.tsx'
import type { BillingSettings } from './settings.ts'
import { deleteOrders, sumReturned } from './store.ts'

export const BILLING_ACTIONS = [buyRpc]

interface BillingPorts {
  accounts: Pick<AccountsModule, 'keys' | 'tellCredits'>
  checkout: CheckoutModule
  wallets: WalletRoom
  /** Whether what is sent to an address reaches an exchange and not its payer. */
  isExchange(address: string): boolean
}

/** One kind of thing that is sold. */
interface Sold {
  kind: string
  fulfil: Fulfil
  /** Makes what was given usable here, before anybody hears that it was. */
  learn: Learn
}

export interface BillingModule extends Module {
  billing: BillingRoom
  /** What orders of other rooms are made with. */
  offers: OfferRoom
  /** Gives what a later room sells when it is paid. */
  sells(sold: Sold): void
  /** A paid order has got the word that it waited for, in the transaction that writes the word down. */
  resumeOrder(tx: StoreCtx, checkoutId: string): Promise<() => void>
}

/** What the service sells on its own account, and how it is settled: given, or the money back. */
export function openBilling(
  { accounts, checkout, wallets, isExchange }: BillingPorts,
  { creditPlans, offersPerDayMax }: BillingSettings,
): BillingModule {
  const sold = new Map<string, Sold>()
  const settlement: Settlement = {
    fulfil: (kind) => sold.get(kind)?.fulfil,
    isExchange,
    onRefund: (walletId) => {
      // What fails here is taken up by the jobs of wallets.
      void whenOver(wallets.queue.advance(walletId))
    },
  }
  const sells = (one: Sold) => void sold.set(one.kind, one)
  sells({
    kind: CREDITS,
    fulfil: giveCredits((accountId) => accounts.tellCredits(accountId)),
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
  const offers: OfferRoom = { checkouts: checkout.checkouts, offersPerDayMax }
  const room: BillingRoom = { ...offers, creditPlans }
  return {
    ...offer('billing', room, BILLING_ACTIONS),
    billing: room,
    offers,
    sells,
    resumeOrder: (tx, checkoutId) => resumeOrder(settlement, tx, checkoutId),
    pages: creditPages(room),
    jobs: [refundUnauthorized(settlement, wallets.store)],
  }
}

/** Refunds what was paid and never authorised. */
const refundUnauthorized = (settlement: Settlement, ctx: StoreCtx): Job => ({
  kind: 'billing.refund-unauthorized',
  money: true,
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: 60_000,
  everyMilliseconds: 60_000,
  run: () => giveUpWaiting(settlement, ctx),
})

import { deleteOrders, sumReturned } from '../../src/modules/billing/store.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { type Fulfil, openOrder } from '../../src/modules/billing/index.ts'
import { CREDITS, giveCredits } from '../../src/modules/billing/domain/sell-credits.ts'
import { type NewOrder } from '../../src/modules/billing/domain/order.ts'
import { type Settlement, settlePayment } from '../../src/modules/billing/domain/settle.ts'
import { describeOrder } from '../../src/modules/billing/domain/describe.ts'
import type { Checkout, CheckoutContext, CheckoutPorts } from '../../src/modules/checkout/index.ts'
import type { IncomingSend } from '../../src/modules/checkout/domain/baseline.ts'
import type { ServiceSales } from '../../src/modules/checkout/service-sales.ts'
import { NAME, leaseName } from '../../src/modules/usernames/domain/lease-name.ts'
import { NAME_UPDATE, changeName } from '../../src/modules/usernames/domain/change-name.ts'

const { namePlans, nameUpdatePrice, creditPlans } = loadConfig({})

const FULFIL: Readonly<Record<string, Fulfil>> = {
  [CREDITS]: giveCredits(() => undefined),
  [NAME]: leaseName(() => undefined),
  [NAME_UPDATE]: changeName(() => undefined),
}

/** The service's own sales, paid to a given treasury. */
export function toSales(
  treasury: string,
  { exchanges = [] }: { exchanges?: string[] } = {},
): ServiceSales & Pick<CheckoutPorts, 'treasuryAddress'> & { refunds: string[] } {
  const refunds: string[] = []
  const settlement: Settlement = {
    fulfil: (kind) => FULFIL[kind],
    isExchange: (address) => exchanges.includes(address),
    onRefund: (walletId) => void refunds.push(walletId),
  }
  return {
    treasuryAddress: () => Promise.resolve(treasury),
    settle: (tx: StoreCtx, payment) => settlePayment(settlement, tx, payment),
    describe: (db, id) => describeOrder(db, id),
    sumReturned,
    forget: deleteOrders,
    refunds,
  }
}

export function offerName(ctx: CheckoutContext, name: string, accountId: string | null = null): Promise<Checkout> {
  return order(ctx, {
    kind: NAME,
    subject: name.toLowerCase(),
    accountId,
    detail: { name, periods: namePlans.map(({ period }) => ({ ...period })) },
    plans: namePlans,
  })
}

export function offerChange(
  ctx: CheckoutContext,
  name: string,
  { address, owner }: { address: string; owner?: string },
): Promise<Checkout> {
  return order(ctx, {
    kind: NAME_UPDATE,
    subject: name.toLowerCase(),
    accountId: null,
    detail: { name, changes: { address }, authorized: owner === undefined ? null : { owner } },
    plans: [{ title: 'Change', price: nameUpdatePrice }],
  })
}

export function offerCredits(ctx: CheckoutContext, accountId: string): Promise<Checkout> {
  return order(ctx, {
    kind: CREDITS,
    subject: accountId,
    accountId,
    detail: { credits: creditPlans.map(({ credits }) => credits) },
    plans: creditPlans.map(({ credits, price }) => ({ title: `${credits}`, price })),
  })
}

function order(ctx: CheckoutContext, what: Omit<NewOrder, 'title' | 'description'>): Promise<Checkout> {
  const context = { checkouts: ctx, offersPerDayMax: 0 }
  return openOrder(context, 'ip:127.0.0.1', { title: 'Sold', description: 'here', ...what })
}

/** A confirmed payment of a plan, as the ledger reports it. */
export function payment(
  checkout: Checkout,
  plan: number,
  { hash, from, at }: Pick<IncomingSend, 'hash' | 'from' | 'at'>,
) {
  const amountRaw = checkout.plans[plan]!.amountRaw!
  return { hash: hash.padStart(64, '0'), from, to: checkout.address, amountRaw, at, knownAt: at, receivedAt: null }
}

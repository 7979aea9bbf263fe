import { loadConfig } from '../../src/config.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Sales } from '../../src/kernel/sales.ts'
import {
  CREDITS,
  type NewOrder,
  type Settlement,
  describeOrder,
  giveCredits,
  openOrder,
  resumeOrder,
  settlePayment,
} from '../../src/modules/billing/index.ts'
import { type Checkout, type CheckoutCtx, type LedgerSend } from '../../src/modules/checkout/index.ts'
import { NAME, NAME_UPDATE, changeName, leaseName } from '../../src/modules/usernames/index.ts'

const { namePlans, nameUpdatePrice, creditPlans } = loadConfig({})

/** The service's own sales, paid to a treasury that a test has made. */
export function toSales(
  treasury: string,
  { exchanges = [] }: { exchanges?: string[] } = {},
): Sales & {
  refunds: string[]
} {
  const refunds: string[] = []
  const settlement: Settlement = {
    fulfil: {
      [CREDITS]: giveCredits(() => undefined),
      [NAME]: leaseName(() => undefined),
      [NAME_UPDATE]: changeName(() => undefined),
    },
    isExchange: (address) => exchanges.includes(address),
    onRefund: (walletId) => void refunds.push(walletId),
  }
  return {
    rules: { namePlans, nameUpdatePrice, creditPlans, offersPerDayMax: 0 },
    treasuryAddress: () => Promise.resolve(treasury),
    settle: (tx: StoreCtx, payment) => settlePayment(settlement, tx, payment),
    resume: (tx, id) => resumeOrder(settlement, tx, id),
    describe: (db, id) => describeOrder(db, id),
    refunds,
  }
}

export function offerName(ctx: CheckoutCtx, name: string, accountId: string | null = null): Promise<Checkout> {
  return order(ctx, {
    kind: NAME,
    subject: name.toLowerCase(),
    accountId,
    detail: { name, periods: namePlans.map(({ period }) => ({ ...period })) },
    plans: namePlans,
  })
}

export function offerChange(
  ctx: CheckoutCtx,
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

export function offerCredits(ctx: CheckoutCtx, accountId: string): Promise<Checkout> {
  return order(ctx, {
    kind: CREDITS,
    subject: accountId,
    accountId,
    detail: { credits: creditPlans.map(({ credits }) => credits) },
    plans: creditPlans.map(({ credits, price }) => ({ title: `${credits}`, price })),
  })
}

function order(ctx: CheckoutCtx, what: Omit<NewOrder, 'title' | 'description'>): Promise<Checkout> {
  const { till, names } = ctx
  return openOrder({ store: ctx, till, names, payer: 'ip:127.0.0.1' }, { title: 'Sold', description: 'here', ...what })
}

/** A confirmed payment of a plan, as the ledger tells it. */
export function payment(
  checkout: Checkout,
  plan: number,
  { hash, from, at }: Pick<LedgerSend, 'hash' | 'from' | 'at'>,
) {
  const amountRaw = checkout.plans[plan]!.amountRaw!
  return { hash: hash.padStart(64, '0'), from, to: checkout.address, amountRaw, at, knownAt: at, receivedAt: null }
}

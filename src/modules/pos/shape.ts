import { formatNano } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { findMerchant } from '../accounts/index.ts'
import { markerOf, paymentLink, readPageFacts, servePage } from '../checkout/index.ts'
import type { PosDay } from './domain/day.ts'
import { decimalsOf, formatUnits } from './domain/units.ts'
import type { PointOfSale } from './point-of-sale.ts'
import type { PosContext } from './context.ts'
import type { ListedSale, PosSale } from './sales-store.ts'

const toUnix = (milliseconds: number) => Math.floor(milliseconds / 1000)

/** What a cashier needs to sell, without data of the account but what payers see of it. */
export async function showTill({ checkouts: { db } }: PosContext, pos: PointOfSale): Promise<JsonObject> {
  const { title, currency, items, tips, timeZone, isPaused } = pos
  const shop = await findMerchant(db, pos.owner)
  return {
    title,
    currency,
    decimals: decimalsOf(currency),
    items: items.map((item): JsonObject => ({ ...item })),
    tips,
    time_zone: timeZone,
    paused: isPaused,
    shop: shop ? { name: shop.name, logo: shop.logo, sheet: shop.sheet, colour: shop.colours?.fill ?? null } : null,
  }
}

/** A sale for the till's page: amount, payment link, and status. */
export async function showSale({ checkouts: ctx }: PosContext, pos: PointOfSale, sale: PosSale): Promise<JsonObject> {
  const { checkout, quotedUntil } = await readPageFacts(ctx, await servePage(ctx, sale.checkoutId))
  const link = paymentLink(checkout)
  const { size, path } = ctx.ports.qrOutline(link ?? ctx.ports.links.pay(checkout.id))
  return {
    id: checkout.id,
    status: checkout.status,
    additional_status: markerOf(checkout),
    currency: pos.currency,
    total: formatUnits(pos.currency, sale.totalUnits)!,
    tip: formatUnits(pos.currency, sale.tipUnits)!,
    amount: checkout.amountRaw === undefined ? null : formatNano(checkout.amountRaw),
    amount_paid: formatNano(checkout.paidRaw),
    link: link ?? null,
    qr: { size, path },
    now_unix: toUnix(ctx.clock.now()),
    created_unix: toUnix(checkout.createdAt),
    expires_unix: toUnix(checkout.expiresAt),
    quoted_until_unix: quotedUntil === undefined ? null : toUnix(quotedUntil),
    paid_unix: checkout.paidAt === null ? null : toUnix(checkout.paidAt),
  }
}

export function showDay({ currency, timeZone }: PointOfSale, { date, totals, sales }: PosDay): JsonObject {
  const show = (units: bigint) => formatUnits(currency, units) ?? formatNano(units)
  return {
    date,
    time_zone: timeZone,
    currency,
    count: totals.count,
    total: show(totals.totalUnits),
    tips: show(totals.tipUnits),
    nano: formatNano(totals.paidRaw),
    refunded: show(totals.refundedUnits),
    refunded_nano: formatNano(totals.refundedRaw),
    sales: sales.map((sale) => showListed(currency, sale)),
  }
}

const showListed = (currency: string, sale: ListedSale): JsonObject => ({
  id: sale.checkoutId,
  status: sale.status,
  additional_status: sale.additional,
  total: formatUnits(currency, sale.totalUnits)!,
  tip: formatUnits(currency, sale.tipUnits)!,
  nano: formatNano(sale.paidRaw),
  created_unix: toUnix(sale.createdAt),
  paid_unix: sale.paidAt === null ? null : toUnix(sale.paidAt),
})

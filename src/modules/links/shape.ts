import { formatNano } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { formatFiat } from '../checkout/index.ts'
import { leftOf, statusOf } from './domain/status.ts'
import type { LinkRoom } from './room.ts'
import type { PaymentLink } from './store.ts'

const toUnix = (milliseconds: number) => Math.floor(milliseconds / 1000)

/** What its merchant sees of a link. Secrets stay where they are. */
export function showLink({ checkouts, urlOf }: LinkRoom, link: PaymentLink): JsonObject {
  const { fields, endsAt } = link
  const { mode, metadata, plans, webhook_events: events, amount, invoice, ...texts } = fields
  return {
    id: link.id,
    slug: link.slug,
    url: urlOf(link.slug),
    status: statusOf(link, checkouts.clock.now()),
    sold: link.sold,
    held: link.held,
    left: leftOf(link) ?? null,
    orders: link.orders,
    revenue: formatNano(link.revenueRaw),
    revenue_raw: link.revenueRaw.toString(),
    revenue_fiat: fields.currency === 'NANO' ? null : formatFiat(link.revenueE8),
    paused: link.isPaused,
    ...texts,
    mode: mode!,
    amount: amount ?? null,
    plans: plans ?? [],
    metadata: metadata ?? {},
    webhook_events: events ?? [],
    webhook_secret_set: link.webhookSecret !== null,
    quantity: { min: link.quantityMin, max: link.quantityMax },
    suggested: link.suggested,
    sold_max: link.soldMax,
    ends_unix: endsAt === null ? null : toUnix(endsAt),
    every: link.every,
    grace_days: link.graceDays,
    invoice: invoice ?? null,
    created_unix: toUnix(link.createdAt),
    updated_unix: toUnix(link.updatedAt),
  }
}

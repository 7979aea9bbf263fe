import { formatNano } from '../../kernel/money.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { formatFiat, sumRefundsByKey } from '../checkout/index.ts'
import { leftOf, statusOf } from './domain/status.ts'
import type { LinkRoom } from './room.ts'
import type { PaymentLink } from './store.ts'

const toUnix = (milliseconds: number) => Math.floor(milliseconds / 1000)

/** Adds revenue and refunds to links. */
export async function withRefunds<T extends PaymentLink>(
  { checkouts: { db, ports } }: LinkRoom,
  links: readonly T[],
): Promise<(T & { refundedRaw: bigint; refundedE8: bigint })[]> {
  const [first] = links
  if (!first) return []
  const back = await sumRefundsByKey(db, ports.engine, { owner: first.owner, keyIds: links.map(({ id }) => id) })
  return links.map((link) => {
    const { raw = 0n, e8 = 0n } = back.get(link.id) ?? {}
    return { ...link, refundedRaw: raw, refundedE8: e8 }
  })
}

export const showLinks = async (room: LinkRoom, links: readonly PaymentLink[]): Promise<JsonObject[]> =>
  (await withRefunds(room, links)).map((link) => shape(room, link))

export const showLink = async (room: LinkRoom, link: PaymentLink): Promise<JsonObject> =>
  (await showLinks(room, [link]))[0]!

/** A link as its merchant gets it, without secrets. */
function shape(
  { checkouts, urlOf }: LinkRoom,
  link: PaymentLink & { refundedRaw: bigint; refundedE8: bigint },
): JsonObject {
  const { fields, endsAt } = link
  const { mode, metadata, plans, webhook_events: events, amount, invoice, ...texts } = fields
  const toFiat = (e8: bigint) => (fields.currency === 'NANO' ? null : formatFiat(e8))
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
    revenue_fiat: toFiat(link.revenueE8),
    refunded: formatNano(link.refundedRaw),
    refunded_raw: link.refundedRaw.toString(),
    refunded_fiat: toFiat(link.refundedE8),
    net: formatNano(link.revenueRaw - link.refundedRaw),
    net_raw: (link.revenueRaw - link.refundedRaw).toString(),
    net_fiat: toFiat(link.revenueE8 - link.refundedE8),
    paused: link.isPaused,
    address: null,
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

import { formatNano } from '../../kernel/money.ts'
import { show } from '../../kernel/resource/resource.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { formatFiat, sumRefundsByKey } from '../checkout/index.ts'
import { leftOf, statusOf } from './domain/status.ts'
import { type PaymentLink, paymentLink } from './payment-link.ts'
import type { LinkContext } from './context.ts'

/** Adds refunds, by which revenue is reduced. */
export async function withRefunds<T extends PaymentLink>(
  { checkouts: { db, ports } }: LinkContext,
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

/** Links as their merchant gets them, with what they have earned. */
export async function showLinks(context: LinkContext, links: readonly PaymentLink[]): Promise<JsonObject[]> {
  const now = context.checkouts.clock.now()
  return (await withRefunds(context, links)).map((link) => {
    const { revenueRaw, revenueE8, refundedRaw, refundedE8, sold, held, orders, currency } = link
    const toMoney = (name: string, raw: bigint, e8: bigint): JsonObject => ({
      [name]: formatNano(raw),
      [`${name}_raw`]: raw.toString(),
      [`${name}_fiat`]: currency === 'NANO' ? null : formatFiat(e8),
    })
    return {
      ...show(paymentLink, context, link),
      ...{ status: statusOf(link, now), sold, held, left: leftOf(link) ?? null, orders },
      ...toMoney('revenue', revenueRaw, revenueE8),
      ...toMoney('refunded', refundedRaw, refundedE8),
      ...toMoney('net', revenueRaw - refundedRaw, revenueE8 - refundedE8),
    }
  })
}

export const showLink = async (context: LinkContext, link: PaymentLink): Promise<JsonObject> =>
  (await showLinks(context, [link]))[0]!

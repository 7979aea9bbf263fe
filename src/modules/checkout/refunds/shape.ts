import { formatNano } from '../../../kernel/money.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { answer } from '../../../kernel/answers.ts'
import { formatFiat } from '../domain/fiat.ts'
import type { CheckoutPorts } from '../ports.ts'
import type { Refund } from './store.ts'

const { text, raw, nano, unix, url, address, hash, optional, orNull, record, words } = answer

const STATUS = words('created', 'sending', 'sent', 'waiting_for_claim', 'failed', 'claimed')

/** The part of a refund that is public to anyone who knows the checkout. */
export const PUBLIC_REFUND = record({
  status: STATUS,
  amount: nano,
  amount_raw: raw,
  address: orNull(address),
  hash: orNull(hash),
  at_unix: unix,
})

/** The refund in webhooks. */
export const EVENT_REFUND = record({
  id: text,
  status: STATUS,
  as: words('send', 'link'),
  amount: nano,
  amount_raw: raw,
  currency: optional(text),
  fiat_amount: optional(text),
  address: orNull(address),
  from: address,
  hash: orNull(hash),
  reason: orNull(text),
  failure: orNull(text),
})

/** The refund as its merchant gets it. */
export const REFUND = record({
  id: text,
  checkout_id: text,
  status: STATUS,
  as: words('send', 'link'),
  amount: nano,
  amount_raw: raw,
  currency: optional(text),
  fiat_amount: optional(text),
  rate: optional(orNull(text)),
  rate_source: optional(orNull(text)),
  address: orNull(address),
  from: address,
  hash: orNull(hash),
  block_url: optional(text),
  claim_url: optional(url),
  reason: orNull(text),
  failure: orNull(text),
  created_unix: unix,
  sent_unix: orNull(unix),
  ended_unix: orNull(unix),
})

/** The status of a refund; money behind a link counts as sent only once it is claimed. */
export const standingOf = ({ status, as }: Pick<Refund, 'status' | 'as'>) =>
  status === 'sent' && as === 'link' ? 'waiting_for_claim' : status

const toUnix = (milliseconds: number | null) => (milliseconds === null ? null : Math.floor(milliseconds / 1000))

const amounts = ({ amountRaw }: Refund): JsonObject => ({
  amount: formatNano(amountRaw),
  amount_raw: amountRaw.toString(),
})

const fiat = ({ currency, fiatE8 }: Refund): JsonObject =>
  currency === 'NANO' ? {} : { currency, ...(fiatE8 !== undefined && { fiat_amount: formatFiat(fiatE8) }) }

export const showPublicRefund = (refund: Refund): JsonObject => ({
  status: standingOf(refund),
  ...amounts(refund),
  address: refund.address,
  hash: refund.hash,
  at_unix: toUnix(refund.sentAt ?? refund.createdAt),
})

export const describeRefund = (refund: Refund): JsonObject => ({
  id: refund.id,
  status: standingOf(refund),
  as: refund.as,
  ...amounts(refund),
  ...fiat(refund),
  address: refund.address,
  from: refund.from,
  hash: refund.hash,
  reason: refund.reason,
  failure: refund.failure,
})

/** With the claim link while it is open. A reader of the link can take the money, so only keys with the scope for refunds get it. */
export function showRefund(ports: CheckoutPorts, refund: Refund): JsonObject {
  const { id, status, claimId } = refund
  const isOpenLink = claimId !== null && status !== 'failed' && status !== 'claimed'
  return { ...showListedRefund(ports, refund), ...(isOpenLink && { claim_url: ports.claims.link(id) }) }
}

/** Without the claim link, for keys that may read checkouts and reports but not refund. */
export function showListedRefund(ports: CheckoutPorts, refund: Refund): JsonObject {
  const { id, hash } = refund
  return {
    id,
    checkout_id: refund.checkoutId,
    status: standingOf(refund),
    as: refund.as,
    ...amounts(refund),
    ...fiat(refund),
    ...(refund.currency !== 'NANO' && { rate: refund.rate, rate_source: refund.rateSource }),
    address: refund.address,
    from: refund.from,
    hash,
    ...(hash !== null && { block_url: ports.links.block(hash) }),
    reason: refund.reason,
    failure: refund.failure,
    created_unix: toUnix(refund.createdAt),
    sent_unix: toUnix(refund.sentAt),
    ended_unix: toUnix(refund.endedAt),
  }
}

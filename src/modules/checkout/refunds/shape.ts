import { answer } from '../../../kernel/answers.ts'
import { nano, raw, unix, unixOrNull, view } from '../../../kernel/view.ts'
import { formatFiat } from '../domain/fiat.ts'
import type { CheckoutPorts } from '../ports.ts'
import type { Refund } from './store.ts'

const { text, url, address, hash, optional, orNull, words } = answer

/** The status of a refund; money behind a link counts as sent only once it is claimed. */
export const standingOf = ({ status, as }: Pick<Refund, 'status' | 'as'>) =>
  status === 'sent' && as === 'link' ? 'waiting_for_claim' : status

const inFiat = <T>({ currency }: Refund, value: T) => (currency === 'NANO' ? undefined : value)

/** The part of a refund that is public to anyone who knows the checkout. */
export const publicRefund = view<Refund>()({
  status: [words('created', 'sending', 'sent', 'waiting_for_claim', 'failed', 'claimed'), standingOf],
  amount: nano('amountRaw'),
  amount_raw: raw('amountRaw'),
  address: orNull(address),
  hash: orNull(hash),
  at_unix: [answer.unix, ({ sentAt, createdAt }) => Math.floor((sentAt ?? createdAt) / 1000)],
})
const { status, amount, amount_raw } = publicRefund.members

/** The refund in webhooks. */
export const eventRefund = view<Refund>()({
  id: text,
  status,
  as: words('send', 'link'),
  amount,
  amount_raw,
  currency: [optional(text), (refund) => inFiat(refund, refund.currency)],
  fiat_amount: [
    optional(text),
    (refund) => (refund.fiatE8 === undefined ? undefined : inFiat(refund, formatFiat(refund.fiatE8))),
  ],
  address: orNull(address),
  from: address,
  hash: orNull(hash),
  reason: orNull(text),
  failure: orNull(text),
})
const { as, currency, fiat_amount, reason, failure } = eventRefund.members

/**
 * The refund as its merchant gets it, without the claim link: a reader of the link can take the money, so keys that may read checkouts
 * and reports but not refund do not get it.
 */
export const listedRefund = view<Refund, CheckoutPorts>()({
  id: text,
  checkout_id: text,
  status,
  as,
  amount,
  amount_raw,
  currency,
  fiat_amount,
  rate: [optional(orNull(text)), (refund) => inFiat(refund, refund.rate)],
  rate_source: [optional(orNull(text)), (refund) => inFiat(refund, refund.rateSource)],
  address: orNull(address),
  from: address,
  hash: orNull(hash),
  block_url: [optional(text), ({ hash }, { links }) => (hash === null ? undefined : links.block(hash))],
  reason,
  failure,
  created_unix: unix('createdAt'),
  sent_unix: unixOrNull('sentAt'),
  ended_unix: unixOrNull('endedAt'),
})

/** With the claim link while it is open. */
export const ownRefund = view<Refund, CheckoutPorts>()({
  ...listedRefund.members,
  claim_url: [
    optional(url),
    ({ id, status, claimId }, { claims }) =>
      claimId !== null && status !== 'failed' && status !== 'claimed' ? claims.link(id) : undefined,
  ],
})

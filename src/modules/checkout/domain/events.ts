import { formatNano } from '../../../kernel/money.ts'
import type { PaymentProof } from '../../../kernel/nano/payment-proof.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { createSecret, isAskedFor, recordEvent } from '../../webhooks/index.ts'
import type { CheckoutContext } from '../context.ts'
import { ALWAYS_SENT, type EventKind } from '../event-kinds.ts'
import { secretContext } from '../secret-context.ts'
import { eventRefund } from '../refunds/shape.ts'
import type { Refund } from '../refunds/store.ts'
import { ANONYMOUS, type Checkout, SERVICE, type SeenBlock } from '../record.ts'
import { showMaker } from '../shape.ts'

interface CheckoutEvent {
  type: EventKind
  /** Two events of one type with the same key are stored once. */
  dedupeKey: string
  block?: SeenBlock | undefined
  confirmed?: boolean
  /** The rate by which a price that is not in nano was converted. */
  rate?: PaidRate | null
  refund?: Refund
  /** The members about its subscription, for a checkout that belongs to one. */
  subscription?: JsonObject
  /** The proof of payment, if the checkout asks for one. */
  proof?: PaymentProof | null
}

export interface PaidRate {
  rate: string
  source: string | null
}

/** Records an event for webhooks and the feed, in the transaction of the change that it reports. */
export async function announce(ctx: CheckoutContext, checkout: Checkout, event: CheckoutEvent): Promise<void> {
  const { type, dedupeKey } = event
  const isWanted = type === ALWAYS_SENT || checkout.webhookEvents.includes(type)
  // The service reads its own sales from the store and needs no events.
  if (checkout.owner === SERVICE) return
  const accountId = checkout.owner === ANONYMOUS ? null : checkout.owner
  // An optional event is recorded where the checkout or its account asks for it; events of refunds and subscriptions always are.
  if (
    !isWanted &&
    !event.refund &&
    !event.subscription &&
    (accountId === null || !(await isAskedFor(ctx.db, accountId, type)))
  )
    return
  // A maker without an account receives events only by webhook; accounts may also fetch them.
  if (accountId === null && checkout.webhookUrl === null) return
  const id = ctx.ids.next('evt')
  const { secrets } = ctx.ports
  const { webhookSecret: encrypted } = checkout
  await recordEvent(
    { ...ctx, secrets },
    {
      id,
      accountId,
      subject: checkout.id,
      type,
      dedupeKey,
      body: JSON.stringify(toBody(ctx, checkout, { id, ...event })),
      url: isWanted ? checkout.webhookUrl : null,
      secret: encrypted === null ? null : openSecret(ctx, checkout.id, encrypted),
      metadata: checkout.metadata,
      madeWith: checkout.madeWith,
    },
  )
}

/**
 * A payment must not fail because the secrets key is gone: the event is then signed with a throw-away secret, so the receiver refuses
 * it and the owner fetches it instead.
 */
function openSecret({ ports, random, failures }: CheckoutContext, checkoutId: string, encrypted: string): string {
  try {
    return ports.secrets.open(secretContext(checkoutId), encrypted)
  } catch (error) {
    failures.failed('webhooks.secret', { checkoutId })(error)
    return createSecret(random)
  }
}

/** The body of contract 6. Its members keep this order, and it is serialised once, because the signature covers the bytes. */
function toBody(
  { clock, ports }: CheckoutContext,
  checkout: Checkout,
  { id, type, block, confirmed = true, rate, refund, subscription, proof }: CheckoutEvent & { id: string },
): JsonObject {
  const { address, paidRaw } = checkout
  return {
    id,
    type,
    created_unix: Math.floor(clock.now() / 1000),
    checkout_id: checkout.id,
    checkout: ports.links.record(checkout.id),
    status: checkout.status,
    ...showMaker(checkout),
    address,
    payment: { address, amount: formatNano(paidRaw), amount_raw: paidRaw.toString() },
    ...(block && {
      block: {
        hash: block.hash,
        account: block.account,
        amount: formatNano(block.amountRaw),
        amount_raw: block.amountRaw.toString(),
        confirmed: String(confirmed),
      },
    }),
    ...(refund && { refund: eventRefund.show(refund) }),
    ...(subscription && { subscription }),
    ...fiatOf(checkout, rate ?? null),
    plan: toPlan(checkout),
    metadata: checkout.metadata,
    ...(proof !== undefined && { proof: proof as JsonObject | null }),
  }
}

/** With these, a merchant can verify from the event alone that the payment was worth the price. */
function fiatOf({ currency, price, chosen, plans, plan }: Checkout, rate: PaidRate | null): JsonObject {
  if (currency === 'NANO') return {}
  return {
    currency,
    fiat_amount: (plan === null ? undefined : plans[plan]?.value) ?? price ?? chosen,
    rate: rate?.rate ?? null,
    rate_source: rate?.source ?? null,
  }
}

function toPlan(checkout: Checkout): JsonObject {
  const bought = checkout.plan === null ? undefined : checkout.plans[checkout.plan]
  const amountRaw = bought?.amountRaw ?? checkout.amountRaw ?? checkout.paidRaw
  return {
    title: bought?.title ?? checkout.title ?? 'Default',
    value: formatNano(amountRaw),
    discount: bought?.discount ?? false,
    value_raw: amountRaw.toString(),
  }
}

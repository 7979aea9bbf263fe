import { RAW_PER_NANO, type Raw, toRaw } from '../../../kernel/money.ts'
import type { DevelopmentLedger } from '../../../kernel/ports.ts'
import type { CheckoutRoom } from '../room.ts'
import { readChoice } from '../domain/choose-amount.ts'
import { endEarly, lookSoon } from '../domain/end-early.ts'
import { getCheckout } from '../domain/show.ts'
import { badField } from '../errors.ts'
import { amountToPay } from '../shape.ts'
import type { Checkout } from '../record.ts'

export const WAYS_TO_PAY = ['exactly', 'partly', 'late'] as const
type WayToPay = (typeof WAYS_TO_PAY)[number]

interface PayRequest {
  id: string
  way: WayToPay
  /** The plan to buy, counted from 0; undefined takes what the checkout asks for. */
  plan: number | undefined
  /** What this payer has chosen to pay, as its page says it. */
  choice?: unknown
}

interface Paid {
  checkout: Checkout
  hash: string
  amountRaw: Raw
}

/** Pays a checkout from the development ledger's own account, as a payer would, or as one should not. */
export async function payCheckout(ctx: CheckoutRoom, ledger: DevelopmentLedger, request: PayRequest): Promise<Paid> {
  const checkout = await getCheckout(ctx, request.id)
  const choice = await readChoice(ctx, checkout, request.choice)
  const due = choice?.amountRaw ?? dueOf(checkout, request.plan)
  const amountRaw = request.way === 'partly' ? toRaw(due / 2n) : due
  const isOpen = ['pending', 'detected', 'partial'].includes(checkout.status)
  if (request.way === 'late' && isOpen) await endEarly(ctx, checkout.id)
  const hash = await ledger.fund(checkout.address, amountRaw)
  // Unconfirmed blocks are found by looking; a developer should not wait for the next round.
  await lookSoon(ctx, checkout.address)
  return { checkout, hash, amountRaw }
}

function dueOf(checkout: Checkout, plan: number | undefined): Raw {
  const { plans, mode, paidRaw } = checkout
  const chosen = plan === undefined ? undefined : plans[plan]
  if (plan !== undefined && !chosen) throw badField('plan', 'This checkout has no such plan.')
  const asked = chosen ? chosen.amountRaw : amountToPay(checkout)
  // Who may give anything gives one nano.
  if (asked === undefined || asked === 0n) return RAW_PER_NANO
  const isRest = chosen !== undefined && mode !== 'unique_amount' && asked > paidRaw
  return toRaw(isRest ? asked - paidRaw : asked)
}

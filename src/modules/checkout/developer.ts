import { actorOf } from '../../kernel/actor.ts'
import { RAW_PER_NANO, type Raw, parseNano, toRaw } from '../../kernel/money.ts'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import type { DevelopmentLedger } from '../../kernel/ports.ts'
import { readChoice } from './domain/choose-amount.ts'
import { deleteCheckout, endEarly, lookSoon } from './domain/end.ts'
import { getCheckout } from './domain/show.ts'
import { badField } from './errors.ts'
import type { Checkout } from './record.ts'
import type { CheckoutContext } from './context.ts'
import { amountToPay } from './shape.ts'

const WAYS_TO_PAY = ['exactly', 'partly', 'late'] as const
type WayToPay = (typeof WAYS_TO_PAY)[number]

interface PayRequest {
  id: string
  way: WayToPay
  /** The plan to buy, counted from 0; undefined pays the amount the checkout asks for. */
  plan: number | undefined
  /** The choice of amount that this payer's page carries in its address. */
  choice?: unknown
}

interface Paid {
  checkout: Checkout
  hash: string
  amountRaw: Raw
}

/** Pays a checkout from the development ledger's genesis account, correctly or with a deliberate mistake. */
export async function payCheckout(ctx: CheckoutContext, ledger: DevelopmentLedger, request: PayRequest): Promise<Paid> {
  const checkout = await getCheckout(ctx, request.id)
  const choice = await readChoice(ctx, checkout, request.choice)
  const due = choice?.amountRaw ?? dueOf(checkout, request.plan)
  const amountRaw = request.way === 'partly' ? toRaw(due / 2n) : due
  const isOpen = ['pending', 'detected', 'partial'].includes(checkout.status)
  if (request.way === 'late' && isOpen) await endEarly(ctx, checkout.id)
  const hash = await ledger.fund(checkout.address, amountRaw)
  // Only the poller finds unconfirmed blocks; a developer should not wait for its next round.
  await lookSoon(ctx, checkout.address)
  return { checkout, hash, amountRaw }
}

function dueOf(checkout: Checkout, plan: number | undefined): Raw {
  const { plans, mode, paidRaw } = checkout
  const chosen = plan === undefined ? undefined : plans[plan]
  if (plan !== undefined && !chosen) throw badField('plan', 'This checkout has no such plan.')
  const asked = chosen ? chosen.amountRaw : amountToPay(checkout)
  // Where the payer decides the amount, the developer pays one nano.
  if (asked === undefined || asked === 0n) return RAW_PER_NANO
  const isRest = chosen !== undefined && mode !== 'unique_amount' && asked > paidRaw
  return toRaw(isRest ? asked - paidRaw : asked)
}

/** Cancels a checkout as its merchant would, without that merchant's key. */
export async function cancelCheckout(ctx: CheckoutContext, given: string): Promise<Checkout> {
  const { id, owner } = await getCheckout(ctx, given)
  return deleteCheckout(ctx, { id, owner, actor: actorOf.service('developer') })
}

/** Ends a checkout now, so that a developer need not wait until tomorrow. */
export async function expireCheckout(ctx: CheckoutContext, given: string): Promise<Checkout> {
  const { id } = await getCheckout(ctx, given)
  return endEarly(ctx, id)
}

/** Sends to an address from the account that holds all funds of the development ledger. */
export async function fundAddress(
  ctx: CheckoutContext,
  ledger: DevelopmentLedger,
  { address, amountRaw }: { address: string; amountRaw: Raw },
): Promise<string> {
  const hash = await ledger.fund(address, amountRaw)
  await lookSoon(ctx, address)
  return hash
}

type Fields = Readonly<Record<string, unknown>>

export function readWay({ way = 'exactly' }: Fields) {
  const known = WAYS_TO_PAY.find((name) => name === way)
  if (known === undefined) throw badField('way', `way must be one of ${WAYS_TO_PAY.join(', ')}.`)
  return known
}

export function readFunding({ address, amount }: Fields) {
  const key = typeof address === 'string' ? fromAddress(address.trim()) : undefined
  if (key === undefined) throw badField('address', 'Bad account number', 'invalid_account')
  const amountRaw = typeof amount === 'string' || typeof amount === 'number' ? parseNano(String(amount)) : undefined
  if (amountRaw === undefined || amountRaw === 0n) throw badField('amount', 'Invalid amount number', 'invalid_amount')
  return { address: toAddress(key), amountRaw }
}

export function readBlockHash({ hash }: Fields): string | undefined {
  if (hash === undefined || hash === '') return undefined
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/i.test(hash)) {
    throw badField('hash', 'Invalid block hash', 'invalid_hash')
  }
  return hash.toUpperCase()
}

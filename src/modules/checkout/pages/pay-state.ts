import type { Raw } from '../../../kernel/money.ts'

/** What pages show of a checkout. */
export interface ShownCheckout {
  id: string
  status: string
  additional: string
  mode: string
  title: string | null
  description: string | null
  image: string | null
  address: string
  amountRaw: Raw | undefined
  paidRaw: Raw
  /** The amount asked for, without what was paid beyond it. */
  askedRaw: Raw | undefined
  excessRaw: bigint
  refundedRaw: Raw
  currency: string
  price: string | null
  plans: readonly ShownPlan[]
  plan: number | null
  createdAt: number
  expiresAt: number
  paidAt: number | null
  payer: string | null
  /** Null without an invoice. */
  invoice: object | null
}

interface ShownPlan {
  title: string
  value: string
  discount: number | false
  amountRaw: Raw | undefined
}

export type PayState =
  | 'choose'
  | 'waiting'
  | 'partial'
  | 'seen'
  | 'complete'
  | 'closing'
  | 'expired'
  | 'cancelled'
  | 'late'
  | 'refunded'

/** The state as a payer needs to know it, slightly finer than the status. */
export function stateOf(checkout: ShownCheckout, now: number): PayState {
  const { status, additional, mode, amountRaw, plans, expiresAt } = checkout
  if (status === 'complete' || status === 'refunded') return status
  if (additional === 'paid_late') return 'late'
  if (status === 'expired' || status === 'cancelled') return status
  if (status === 'detected') return 'seen'
  // Its time is over but the last look at the ledger is still to come: the payer should not pay now.
  if (expiresAt <= now) return 'closing'
  if (status === 'partial') return 'partial'
  return mode === 'unique_amount' && amountRaw === undefined && plans.length === 0 ? 'choose' : 'waiting'
}

/** Whether the state may still change, so that the page should keep polling. */
export const isOpen = (state: PayState) =>
  state === 'choose' || state === 'waiting' || state === 'partial' || state === 'seen' || state === 'closing'

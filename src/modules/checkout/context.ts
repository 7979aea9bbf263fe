import { type StoreCtx, inNotifyingTx } from '../../kernel/in-tx.ts'
import type { CheckoutContext } from './ports.ts'
import { ANONYMOUS, type Checkout, SERVICE, isFromPos } from './record.ts'

export type { CheckoutContext } from './ports.ts'

/** Runs a function in a transaction that queues no jobs, so the job runner is not woken; most transactions only make a checkout. */
export function inQuietTx<T>(ctx: CheckoutContext, run: (ctx: CheckoutContext) => Promise<T>): Promise<T> {
  return inNotifyingTx(ctx, run)
}

/** Makes the merchant's open pages reload what a checkout concerns; cashiers' pages only for sales of points of sale. */
export function notifyOwner({ notifyAccount }: StoreCtx, { owner, keyId }: Pick<Checkout, 'owner' | 'keyId'>): void {
  if (owner === ANONYMOUS || owner === SERVICE) return
  notifyAccount(owner, ['checkout', 'reports', ...(isFromPos({ keyId }) ? (['pos'] as const) : [])])
}

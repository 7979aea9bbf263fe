import { type StoreCtx, inTellingTx } from '../../kernel/in-tx.ts'
import type { CheckoutRoom } from './ports.ts'
import { ANONYMOUS, type Checkout, SERVICE, isFromPos } from './record.ts'

export type { CheckoutRoom } from './ports.ts'

/** Runs a function in a transaction that queues no jobs, so the job runner is not woken; most transactions only make a checkout. */
export function inQuietTx<T>(ctx: CheckoutRoom, run: (ctx: CheckoutRoom) => Promise<T>): Promise<T> {
  return inTellingTx(ctx, run)
}

/** Makes the merchant's open pages reload what a checkout concerns; cashiers' pages only for sales of points of sale. */
export function tellOwner({ tellAccount }: StoreCtx, { owner, keyId }: Pick<Checkout, 'owner' | 'keyId'>): void {
  if (owner === ANONYMOUS || owner === SERVICE) return
  tellAccount(owner, ['checkout', 'reports', ...(isFromPos({ keyId }) ? (['pos'] as const) : [])])
}

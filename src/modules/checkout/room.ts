import { type StoreCtx, inTellingTx } from '../../kernel/in-tx.ts'
import type { CheckoutRoom } from './ports.ts'
import { ANONYMOUS, type Checkout, SERVICE, isFromPos } from './record.ts'

export type { CheckoutRoom } from './ports.ts'

/** Runs a verb in one transaction that adds no jobs: no job runner needs to be woken, and most checkouts are only made. */
export function inQuietTx<T>(ctx: CheckoutRoom, run: (ctx: CheckoutRoom) => Promise<T>): Promise<T> {
  return inTellingTx(ctx, run)
}

/** The open pages of a merchant look again at what a checkout has to do with; cashiers see sales of tills, and nothing else. */
export function tellOwner({ tellAccount }: StoreCtx, { owner, keyId }: Pick<Checkout, 'owner' | 'keyId'>): void {
  if (owner === ANONYMOUS || owner === SERVICE) return
  tellAccount(owner, ['checkout', 'reports', ...(isFromPos({ keyId }) ? (['pos'] as const) : [])])
}

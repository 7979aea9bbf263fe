import type { Ctx } from '../../kernel/ctx.ts'
import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Names } from '../../kernel/ports.ts'
import type { Till } from '../../kernel/till.ts'

/** What the verbs of checkouts work with. */
export interface CheckoutCtx extends StoreCtx {
  till: Till
  names: Names
}

/** The part of a request's context that checkouts need. */
export function toCheckoutCtx({ store, till, names }: Pick<Ctx, 'store' | 'till' | 'names'>): CheckoutCtx {
  return { ...store, till, names }
}

/** Runs a verb in one transaction that adds no jobs: nobody needs to be woken, and most checkouts are only made. */
export function inQuietTx<T>(ctx: CheckoutCtx, run: (ctx: CheckoutCtx) => Promise<T>): Promise<T> {
  return ctx.db.transaction().execute((tx) => run({ ...ctx, db: tx }))
}

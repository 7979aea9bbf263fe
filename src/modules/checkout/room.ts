import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Names } from '../../kernel/ports.ts'
import type { CheckoutPorts } from './ports.ts'

/** What the verbs of checkouts work with. */
export interface CheckoutRoom extends StoreCtx {
  ports: CheckoutPorts
  names: Names
}

/** Runs a verb in one transaction that adds no jobs: no job runner needs to be woken, and most checkouts are only made. */
export function inQuietTx<T>(ctx: CheckoutRoom, run: (ctx: CheckoutRoom) => Promise<T>): Promise<T> {
  return ctx.db.transaction().execute((tx) => run({ ...ctx, db: tx }))
}

import { together } from '../../../kernel/in-tx.ts'
import { type CheckoutChange, insertTimeline, markChanged } from '../changes-store.ts'
import { type Checkout, isFromLink } from '../record.ts'
import { type CheckoutContext, notifyOwner } from '../context.ts'

interface Move extends CheckoutChange {
  reason: string
  block?: string
}

/**
 * Changes a checkout that `lockCheckout` holds, and writes a timeline entry. The statement checks the previous state once more, so that
 * a programming error cannot move a checkout out of `complete`.
 */
export async function moveCheckout(
  ctx: CheckoutContext,
  checkout: Checkout,
  { reason, block, ...change }: Move,
): Promise<Checkout> {
  const { db, clock } = ctx
  const moved = afterChange(checkout, change)
  const { seq, status, additional } = moved
  const [isChanged] = await together([
    Object.keys(change).length > 0 ? markChanged(db, checkout, change) : Promise.resolve(true),
    insertTimeline(db, checkout.id, { seq, status, additional, reason, blockHash: block ?? null, at: clock.now() }),
  ])
  if (!isChanged) throw new Error(`Checkout ${checkout.id} changed while it was held.`)
  if (isFromLink(checkout)) await ctx.ports.linkSales.moved(ctx, checkout, moved)
  notifyOwner(ctx, moved)
  return moved
}

/** The checkout as a change leaves it. */
export function afterChange(checkout: Checkout, { detected, ...rest }: CheckoutChange): Checkout {
  return { ...checkout, ...dropUndefined(rest), ...(detected !== undefined && { detected: detected ?? undefined }) }
}

function dropUndefined(change: Omit<CheckoutChange, 'detected'>): Partial<Checkout> {
  const { plans, ...rest } = change
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return { ...known, ...(plans && { plans: [...plans] }) }
}

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
  if (Object.keys(change).length > 0 && !(await markChanged(db, checkout, change))) {
    throw new Error(`Checkout ${checkout.id} changed while it was held.`)
  }
  const { detected, ...rest } = change
  const moved: Checkout = {
    ...checkout,
    ...dropUndefined(rest),
    ...(detected !== undefined && { detected: detected ?? undefined }),
  }
  await insertTimeline(db, checkout.id, {
    seq: checkout.seq,
    status: moved.status,
    additional: moved.additional,
    reason,
    blockHash: block ?? null,
    at: clock.now(),
  })
  if (isFromLink(checkout)) await ctx.ports.linkSales.moved(ctx, checkout, moved)
  notifyOwner(ctx, moved)
  return moved
}

function dropUndefined(change: Omit<CheckoutChange, 'detected'>): Partial<Checkout> {
  const { plans, ...rest } = change
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return { ...known, ...(plans && { plans: [...plans] }) }
}

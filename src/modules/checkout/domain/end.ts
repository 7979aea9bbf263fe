import type { Actor } from '../../../kernel/actor.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { markHidden, updateExpiry } from '../changes-store.ts'
import { checkoutClosed, checkoutNotFound } from '../errors.ts'
import { type Checkout, OPEN_STATUSES } from '../record.ts'
import { type CheckoutContext, inQuietTx } from '../context.ts'
import { listOverdue, lockCheckout } from '../store.ts'
import { findScannedAt, hastenScans } from '../scans-store.ts'
import { enqueueSweep } from './credit.ts'
import { announce } from './events.ts'
import { audit } from './mark.ts'
import { moveCheckout } from './move.ts'

/** A node's answer may be slightly old, so a look counts only if it began this long after the end. */
export const CATCH_UP_MARGIN = 3_000
const BATCH_MAX = 1_000

/**
 * Expires the checkouts of an address whose time is over. That is safe only after a complete look at the ledger that began after their
 * end: by then, payments made in time are credited even if the gateway missed their events (contract 3, rule 5).
 */
export async function expireOverdue(ctx: CheckoutContext, address: string): Promise<number> {
  const scannedAt = await findScannedAt(ctx.db, address)
  if (scannedAt === undefined) return 0
  const expiresBefore = scannedAt - CATCH_UP_MARGIN
  let expired = 0
  for (const id of await listOverdue(ctx.db, { address, expiresBefore, limit: BATCH_MAX })) {
    const won = await inTx(ctx, async (tx) => {
      const held = await lockCheckout(tx.db, id)
      if (!held || held.expiresAt > expiresBefore) return false
      if (held.status !== 'pending' && held.status !== 'partial') return false
      const moved = await moveCheckout(tx, held, { reason: 'expired', status: 'expired' })
      await announce(tx, moved, { type: 'checkout.expired', dedupeKey: 'expired' })
      // Money that has come, or still comes, belongs to the merchant: the wallet sweeps all of it.
      await enqueueSweep(tx, moved)
      return true
    })
    if (!won) continue
    expired++
    ctx.ports.announce(id, 'checkout.expired')
  }
  return expired
}

/**
 * Cancels an open checkout, and hides a closed one from lists. The record stays: reports count it, and payments that still arrive are
 * recorded (contract 4.5, rule 8).
 */
export async function deleteCheckout(
  ctx: CheckoutContext,
  { id, owner, actor }: { id: string; owner: string; actor: Actor },
): Promise<Checkout> {
  const deleted = await inTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    if (!held || held.owner !== owner) throw checkoutNotFound()
    const isOpen = OPEN_STATUSES.some((status) => status === held.status)
    const moved = await moveCheckout(
      tx,
      held,
      isOpen ? { reason: 'cancelled', status: 'cancelled', detected: null, detectedAt: null } : { reason: 'hidden' },
    )
    if (isOpen) await enqueueSweep(tx, moved)
    if (!isOpen) await markHidden(tx.db, id, tx.clock.now())
    await audit(tx, { actor, owner, what: isOpen ? 'checkout.cancelled' : 'checkout.hidden', detail: { id } })
    return moved
  })
  ctx.ports.announce(id)
  return deleted
}

/** Nodes report whole seconds, so a block made now may carry an earlier time. */
const WHOLE_SECONDS = 2_000

/**
 * Moves the end of an open checkout into the past, so that a developer can test expiry:
 * the next look at the ledger ends it, and later payments are late.
 */
export async function endEarly(ctx: CheckoutContext, id: string): Promise<Checkout> {
  const now = ctx.clock.now()
  const ended = await inQuietTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    if (!held) throw checkoutNotFound()
    if (!OPEN_STATUSES.some((status) => status === held.status)) throw checkoutClosed(held.status)
    const expiresAt = Math.min(held.expiresAt, now - CATCH_UP_MARGIN - WHOLE_SECONDS)
    await updateExpiry(tx.db, id, expiresAt)
    return moveCheckout(tx, { ...held, expiresAt }, { reason: 'ended early by a developer' })
  })
  await lookSoon(ctx, ended.address)
  ctx.ports.announce(id)
  return ended
}

/** Makes the next look at an address due now, even if one was just requested. */
export async function lookSoon({ db, clock }: CheckoutContext, address: string): Promise<void> {
  await hastenScans(db, [address], clock.now())
}

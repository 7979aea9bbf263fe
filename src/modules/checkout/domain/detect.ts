import { inTx } from '../../../kernel/in-tx.ts'
import type { CheckoutRoom } from '../room.ts'
import type { Checkout, SeenBlock } from '../record.ts'
import { lockCheckout } from '../store.ts'
import { undetected } from './credit.ts'
import { type IncomingSend, timeOf } from './baseline.ts'
import { listClaims } from './claims.ts'
import { SMALLEST_PRICE } from './amounts.ts'
import { announce } from './events.ts'
import { moveCheckout } from './move.ts'

/** A matching send was seen and is not final: the payer is told, and nothing else happens (contract 3). */
export async function detectSend(ctx: CheckoutRoom, send: IncomingSend): Promise<void> {
  for (const { checkout, reservation } of (await listClaims(ctx, send)).claims) {
    if (!checkout || reservation?.superseded || !waits(checkout, send)) continue
    const block: SeenBlock = { hash: send.hash, account: send.from, amountRaw: send.amountRaw }
    const detected = await inTx(ctx, async (tx) => {
      const held = await lockCheckout(tx.db, checkout.id)
      if (!held || !waits(held, send)) return false
      const now = tx.clock.now()
      const moved = await moveCheckout(tx, held, {
        reason: 'seen',
        block: send.hash,
        status: 'detected',
        detected: block,
        detectedAt: now,
        ...(held.seenAt === null && { seenAt: now }),
      })
      await announce(tx, moved, { type: 'payment.detected', dedupeKey: send.hash, block, confirmed: false })
      return true
    })
    if (detected) ctx.ports.tell(checkout.id, 'payment.detected')
  }
}

/** Seen in time is enough; whether it counts is decided when it is final. */
function waits({ status, expiresAt, mode, amountRaw, plans }: Checkout, send: IncomingSend): boolean {
  if (status !== 'pending' && status !== 'partial') return false
  const isDust = mode !== 'unique_amount' && amountRaw === undefined && plans.length === 0
  return timeOf(send) <= expiresAt && !(isDust && send.amountRaw < SMALLEST_PRICE)
}

/** The block did not become final after all: the checkout waits again. */
export async function undetect(ctx: CheckoutRoom, checkoutId: string, hash: string): Promise<void> {
  const changed = await inTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, checkoutId)
    if (held?.status !== 'detected' || held.detected?.hash !== hash) return false
    await moveCheckout(tx, held, {
      reason: 'not confirmed',
      block: hash,
      status: undetected(held),
      detected: null,
      detectedAt: null,
    })
    return true
  })
  if (changed) ctx.ports.tell(checkoutId)
}

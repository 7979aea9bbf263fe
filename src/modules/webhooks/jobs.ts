import type { StoreCtx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { type DeliveryCtx, deliver, openBatches } from './domain/deliver.ts'
import { forgetOld } from './domain/forget-old.ts'
import { reviveStuck } from './domain/revive-stuck.ts'
import { DELIVER, type DeliverPayload } from './domain/wake-delivery.ts'

const MINUTE = 60_000
const LEASE = 60_000

/** Tries one delivery. Each has jobs of its own, so that no failing address delays another event. */
export function deliverWebhook(ctx: DeliveryCtx): Job<DeliverPayload> {
  const batches = openBatches(ctx)
  return {
    kind: DELIVER,
    money: true,
    attemptsMax: 50,
    // Mostly waiting for receivers; a few slow hosts must not take all the places.
    concurrencyMax: 128,
    leaseMilliseconds: LEASE,
    run: ({ deliveryId }) => deliver(batches, deliveryId),
  }
}

export const reviveDeliveries = (ctx: StoreCtx): Job => ({
  kind: 'webhooks.revive',
  money: true,
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: LEASE,
  everyMilliseconds: 10 * MINUTE,
  run: () => reviveStuck(ctx),
})

export const forgetEvents = (ctx: StoreCtx): Job => ({
  kind: 'webhooks.forget-old',
  attemptsMax: 3,
  concurrencyMax: 1,
  leaseMilliseconds: LEASE,
  everyMilliseconds: 60 * MINUTE,
  run: () => forgetOld(ctx),
})

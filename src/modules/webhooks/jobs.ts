import { type StoreCtx, inTx } from '../../kernel/in-tx.ts'
import type { Job } from '../../kernel/job.ts'
import { type DeliveryCtx, deliver, openBatches } from './domain/deliver.ts'
import { type EventsKept, forgetOld } from './domain/forget-old.ts'
import { PLACES } from './domain/host-concurrency.ts'
import { DELIVER, DELIVER_TO_ENDPOINT, type DeliverPayload, enqueueRevival } from './domain/wake-delivery.ts'
import { inSteps } from '../../kernel/retention.ts'
import { REPLAY, type ReplayPayload, replayStep, reviveReplays } from './endpoints/replay.ts'
import { FORGET_WATCHES, type ForgetPayload } from './watches/forget.ts'
import { deleteSomeOf } from './watches/store.ts'
import { listStuck } from './deliveries-store.ts'

/** Longer than an attempt, its lease and a busy host's queue together. */
const STUCK_AFTER = 15 * 60_000
const BATCH_MAX = 500

/** Queues jobs again for deliveries and replays whose job was lost, for instance because the process died at every attempt of it. */
export async function reviveStuck(ctx: StoreCtx): Promise<void> {
  await inTx(ctx, async (tx) => {
    const stuck = await listStuck(tx.db, tx.clock.now() - STUCK_AFTER, BATCH_MAX)
    for (const delivery of stuck) await enqueueRevival(tx, delivery)
    await reviveReplays(tx)
  })
}

const MINUTE = 60_000

/** Attempts one delivery. Each has jobs of its own, so that a failing URL delays no other event. */
export const deliverWebhook = (ctx: DeliveryCtx, batches = openBatches(ctx)): Job<DeliverPayload> => ({
  kind: DELIVER,
  money: true,
  // The jobs mostly wait for receivers; a few slow hosts must not take all the places.
  concurrencyMax: PLACES,
  run: (payload) => deliver(batches, payload),
})

/** The same for endpoints, which use separate places. */
export const deliverToEndpoint = (ctx: DeliveryCtx, batches = openBatches(ctx)): Job<DeliverPayload> => ({
  ...deliverWebhook(ctx, batches),
  kind: DELIVER_TO_ENDPOINT,
})

/** One step of a replay to an endpoint. */
export const replayEvents = (ctx: StoreCtx): Job<ReplayPayload> => ({
  kind: REPLAY,
  concurrencyMax: 2,
  run: ({ replayId }) => replayStep(ctx, replayId),
})

export const reviveDeliveries = (ctx: StoreCtx): Job => ({
  kind: 'webhooks.revive',
  money: true,
  everyMilliseconds: 10 * MINUTE,
  run: () => reviveStuck(ctx),
})

export const forgetEvents = (ctx: StoreCtx, kept: EventsKept): Job => ({
  kind: 'webhooks.forget-old',
  everyMilliseconds: 60 * MINUTE,
  run: (_payload, signal) => forgetOld(ctx, kept, signal),
})

/** Endpoints are removed at once, their watches a few at a time, because there may be a hundred thousand. */
export const forgetWatches = ({ db }: StoreCtx): Job<ForgetPayload> => ({
  kind: FORGET_WATCHES,
  run: (own, signal) => inSteps((limit) => deleteSomeOf(db, own, limit), signal),
})

import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'

export const DELIVER = 'webhooks.deliver'
/** Attempts of the job, not of the delivery: only a store that is away or a process that dies uses one up. */
const JOB_ATTEMPTS_MAX = 50

export interface DeliverPayload {
  deliveryId: string
}

/**
 * Looks at a delivery at a time. The delivery's own row says when it is due and how often it was tried, so that a job
 * too many does nothing.
 */
export function enqueueDelivery(tx: StoreCtx, deliveryId: string, runAt: number = tx.clock.now()): Promise<void> {
  const payload: DeliverPayload = { deliveryId }
  return enqueue(tx, { kind: DELIVER, payload, runAt, attemptsMax: JOB_ATTEMPTS_MAX })
}

/** The same for one that seems forgotten; while such a job waits, there is no second one. */
export function enqueueRevival(tx: StoreCtx, deliveryId: string): Promise<void> {
  const payload: DeliverPayload = { deliveryId }
  return enqueue(tx, { kind: DELIVER, payload, key: `revive:${deliveryId}`, attemptsMax: JOB_ATTEMPTS_MAX })
}

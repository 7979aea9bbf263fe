import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { type NewDelivery, insertDelivery } from '../deliveries-store.ts'

export const DELIVER = 'webhooks.deliver'
/** Endpoints have places of their own. A gateway of a version that knows none leaves these jobs alone. */
export const DELIVER_TO_ENDPOINT = 'webhooks.deliver-to-endpoint'
/** Attempts of the job, not of the delivery: only a store that is away or a process that dies uses one up. */
const JOB_ATTEMPTS_MAX = 50

export interface DeliverPayload {
  deliveryId: string
  /** When it was to run. A clock that is set back after that must not make the job believe that it came too early. */
  dueAt?: number
}

interface Woken {
  id: string
  endpointId: string | null
  /** The trace that its attempts belong to; unset, the one at hand. */
  trace?: string | undefined
}

const toJob = ({ id: deliveryId, endpointId, trace }: Woken, dueAt: number) => {
  const payload: DeliverPayload = { deliveryId, dueAt }
  return { kind: endpointId === null ? DELIVER : DELIVER_TO_ENDPOINT, payload, attemptsMax: JOB_ATTEMPTS_MAX, trace }
}

/**
 * Looks at a delivery at a time. The delivery's own row says when it is due and how often it was tried, so that a job
 * too many does nothing.
 */
export const enqueueDelivery = (tx: StoreCtx, woken: Woken, runAt: number): Promise<void> =>
  enqueue(tx, { ...toJob(woken, runAt), runAt })

/** A new delivery, and the job that makes its first attempt. */
export async function beginDelivery(tx: StoreCtx, delivery: Omit<NewDelivery, 'id'>): Promise<string> {
  const id = tx.ids.next('dlv')
  await insertDelivery(tx.db, { id, ...delivery })
  await enqueueDelivery(tx, { id, endpointId: delivery.endpointId }, delivery.nextAt)
  return id
}

/** The same for one that seems forgotten; while such a job waits, there is no second one. */
export const enqueueRevival = (tx: StoreCtx, woken: Woken): Promise<void> =>
  enqueue(tx, { ...toJob(woken, tx.clock.now()), key: `revive:${woken.id}` })

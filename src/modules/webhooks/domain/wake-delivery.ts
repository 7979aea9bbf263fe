import { type StoreCtx, together } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { type NewDelivery, insertDelivery } from '../deliveries-store.ts'

export const DELIVER = 'webhooks.deliver'
/** A job kind of its own, because endpoints have separate places. A gateway of an older version ignores these jobs. */
export const DELIVER_TO_ENDPOINT = 'webhooks.deliver-to-endpoint'
/** How often the job is attempted, not the delivery. An attempt of the job is used up only when the store is unreachable or the process dies. */
const JOB_ATTEMPTS_MAX = 50

export interface DeliverPayload {
  deliveryId: string
  /** When it was planned to run, so that a clock set back later does not make the job seem early. */
  dueAt?: number
}

interface Woken {
  id: string
  endpointId: string | null
  /** The trace of its attempts; undefined means the current trace. */
  trace?: string | undefined
}

const toJob = ({ id: deliveryId, endpointId, trace }: Woken, dueAt: number) => {
  const payload: DeliverPayload = { deliveryId, dueAt }
  return { kind: endpointId === null ? DELIVER : DELIVER_TO_ENDPOINT, payload, attemptsMax: JOB_ATTEMPTS_MAX, trace }
}

/**
 * Queues an attempt of a delivery at a time.
 * The delivery's own row says when it is due and how often it was tried, so a superfluous job does nothing.
 */
export const enqueueDelivery = (tx: StoreCtx, woken: Woken, runAt: number): Promise<void> =>
  enqueue(tx, { ...toJob(woken, runAt), runAt })

/** Adds a delivery and the job of its first attempt. */
export async function beginDelivery(tx: StoreCtx, delivery: Omit<NewDelivery, 'id'>): Promise<string> {
  const id = tx.ids.next('dlv')
  await together([
    insertDelivery(tx.db, { id, ...delivery }),
    enqueueDelivery(tx, { id, endpointId: delivery.endpointId }, delivery.nextAt),
  ])
  return id
}

/** The same for a delivery whose job seems lost; while such a job waits, no second one is queued. */
export const enqueueRevival = (tx: StoreCtx, woken: Woken): Promise<void> =>
  enqueue(tx, { ...toJob(woken, tx.clock.now()), key: `revive:${woken.id}` })

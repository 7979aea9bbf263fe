import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'

export const FORGET_WATCHES = 'webhooks.forget-watches'

export interface ForgetPayload {
  accountId: string
  endpointId: string
}

/** Queues the deletion of a removed endpoint's watches, in the transaction that removes it. */
export const forgetWatchesOf = (tx: StoreCtx, payload: ForgetPayload): Promise<void> =>
  enqueue(tx, { kind: FORGET_WATCHES, payload, attemptsMax: 50 })

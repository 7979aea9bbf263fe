import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'

export const FORGET_WATCHES = 'webhooks.forget-watches'

export interface ForgetPayload {
  accountId: string
  endpointId: string
}

/** What an endpoint was told about goes after it, in the transaction that takes it away. */
export const forgetWatchesOf = (tx: StoreCtx, payload: ForgetPayload): Promise<void> =>
  enqueue(tx, { kind: FORGET_WATCHES, payload, attemptsMax: 50 })

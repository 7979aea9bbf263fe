import type { Raw } from '../../../kernel/money.ts'
import type { Db } from '../../../kernel/tables/index.ts'
import { SERVICE, listUnmatched } from '../../checkout/index.ts'
import { listHeld, listSettledAmong } from '../store.ts'

/** Money that lies in the treasury and waits for the operator's word. */
export interface WaitingPayment {
  blockHash: string
  payer: string
  amountRaw: Raw
  /** `unmatched` fits no order; everything else could not be given, and came from an exchange. */
  reason: string
  at: number
}

/** What `releasePayment` can send back. Whatever else came to the treasury is among it: gifts, and the operator's own. */
export async function listWaiting(db: Db, limit: number): Promise<WaitingPayment[]> {
  const held = (await listHeld(db, limit)).map(({ blockHash, payer, amountRaw, reason, createdAt }) => ({
    blockHash,
    payer,
    amountRaw,
    reason: reason ?? 'unmatched',
    at: createdAt,
  }))
  const unmatched = await listUnmatched(db, SERVICE, limit)
  const settled = await listSettledAmong(
    db,
    unmatched.map(({ blockHash }) => blockHash),
  )
  const waiting = unmatched
    .filter(({ blockHash }) => !settled.has(blockHash))
    .map(({ blockHash, payer, amountRaw, createdAt }) => ({
      blockHash,
      payer,
      amountRaw,
      reason: 'unmatched',
      at: createdAt,
    }))
  return [...held, ...waiting].slice(0, limit)
}

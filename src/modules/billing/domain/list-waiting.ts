import type { Place } from '../../../kernel/cursor.ts'
import type { Raw } from '../../../kernel/money.ts'
import type { Db } from '../../../kernel/db.ts'
import { SERVICE, listUnmatched } from '../../checkout/index.ts'
import { listHeld, listSettledAmong } from '../store.ts'

type Unmatched = Awaited<ReturnType<typeof listUnmatched>>[number]

const PAGE = 500

/** Money that lies in the treasury and waits for the operator's word. */
interface WaitingPayment {
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
  const waiting = await listStillUnmatched(db, limit - held.length)
  return [...held, ...waiting]
}

/** Page by page: what has gone back already is among what fitted nothing, as much of it as payers like to send. */
async function listStillUnmatched(db: Db, limit: number): Promise<WaitingPayment[]> {
  const waiting: WaitingPayment[] = []
  for (let after: Place | undefined; waiting.length < limit;) {
    const page: Unmatched[] = await listUnmatched(db, { owner: SERVICE, ...(after && { after }), limit: PAGE })
    const settled = await listSettledAmong(
      db,
      page.map(({ blockHash }) => blockHash),
    )
    for (const { blockHash, payer, amountRaw, createdAt } of page) {
      if (!settled.has(blockHash)) waiting.push({ blockHash, payer, amountRaw, reason: 'unmatched', at: createdAt })
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    after = { createdAt: last.createdAt, id: last.blockHash }
  }
  return waiting.slice(0, limit)
}

import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { findOldestAsking, takeAsking } from '../store.ts'

interface Places {
  /** The caller, or the person who would get the mail; each has a separate limit. */
  who: string
  places: number
  /** The time after which a place is free again. */
  within: number
}

/** Takes one of a limited number of places, each of which is free again after a while. False if none is free. */
export async function takePlace({ db, clock }: StoreCtx, { who, places, within }: Places): Promise<boolean> {
  const now = clock.now()
  for (let place = 0; place < places; place++) {
    if (await takeAsking(db, { email: who, place, now, freeBefore: now - within })) return true
  }
  return false
}

/** Refuses a request if no place is free. */
export async function countAsking(
  ctx: StoreCtx,
  { refuse, ...asking }: Places & { refuse(retryAfterSeconds: number): Error },
): Promise<void> {
  if (await takePlace(ctx, asking)) return
  const now = ctx.clock.now()
  const oldest = (await findOldestAsking(ctx.db, asking.who, asking.places)) ?? now
  throw refuse(Math.max(1, Math.ceil((oldest - now + asking.within) / 1000)))
}

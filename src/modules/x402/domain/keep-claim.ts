import { type Claim, dropClaim, renewClaim } from '../store.ts'
import type { Facilitation } from './facilitation.ts'

/** Short, so that a payment whose process died is soon taken over; a living one renews its claim in time. */
export const LEASE_MILLISECONDS = 15_000

/** Keeps a claim alive until the returned function ends it. */
export function keepClaim(
  { store: { db, clock, failures } }: Pick<Facilitation, 'store'>,
  claim: Claim,
): () => Promise<void> {
  const lost = failures.lost('x402.lease')
  let ended = false
  let cancelTimer: () => void
  const wait = () => {
    cancelTimer = clock.after(LEASE_MILLISECONDS / 3, () => void renew())
  }
  const renew = async () => {
    // A store that fails for a moment gets two more chances before the claim lapses.
    const held = await renewClaim(db, claim, clock.now() + LEASE_MILLISECONDS).catch(lost)
    if (held !== false && !ended) wait()
  }
  wait()
  return async () => {
    ended = true
    cancelTimer()
    await dropClaim(db, claim).catch(lost)
  }
}

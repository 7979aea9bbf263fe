import { findFreeUse } from '../../accounts/index.ts'
import { findServiceWallet } from '../../wallets/index.ts'
import { type Claimant, DAY, METER, cooldownsOf } from './cooldowns.ts'
import type { FaucetRoom } from '../room.ts'
import { findRefusal } from './refuse-address.ts'

interface Eligibility {
  eligible: boolean
  /** Milliseconds: when a claim may succeed; now for those who may claim, and for those whom waiting does not help. */
  nextAt: number
  reason?: string
}

/** Whether a claim would succeed now. It promises nothing: another claim may be faster. */
export async function checkFaucet(ctx: FaucetRoom, claimant: Claimant): Promise<Eligibility> {
  const { store, faucet } = ctx
  const { db, clock } = store
  const now = clock.now()
  const refuse = (reason: string, nextAt = now): Eligibility => ({ eligible: false, nextAt, reason })
  if (faucet.amount === 0n) return refuse('The faucet is closed.')
  const refusal = await findRefusal(ctx, claimant.address)
  if (refusal !== undefined) return refuse(refusal)
  for (const { caller, max, reason } of cooldownsOf(faucet, claimant)) {
    if (max <= 0) return refuse(reason, now + DAY)
    const use = await findFreeUse(db, { caller, meter: METER, now })
    if (use && use.taken >= max) return refuse(reason, use.endsAt)
  }
  const wallet = await findServiceWallet(db, 'treasury')
  if (!wallet || wallet.balance < faucet.amount) return refuse('The faucet is empty at the moment.')
  return { eligible: true, nextAt: now }
}

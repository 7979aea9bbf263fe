import { AppError } from './errors.ts'
import type { AccountCaller } from './route.ts'

const FRESH_MILLISECONDS = 15 * 60_000

interface Moment {
  now: number
  /** Whether the ledger is for trying things out. */
  devnet: boolean
}

/**
 * Whether somebody has proved lately who they are; signing in is a proof. Programs prove it with each request. Who plays on the
 * development ledger with a key is left in peace: nothing there is worth anything.
 */
export function isFresh({ session }: AccountCaller, { now, devnet }: Moment): boolean {
  if (!session || (devnet && !session.member)) return true
  return now - session.provedAt <= FRESH_MILLISECONDS
}

export function requireFresh(caller: AccountCaller, moment: Moment): void {
  if (isFresh(caller, moment)) return
  throw new AppError('fresh_proof_required', 'Prove that it is you: sign in again, or confirm it in the dashboard.')
}

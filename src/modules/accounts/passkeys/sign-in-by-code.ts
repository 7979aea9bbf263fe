import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { countAsking } from '../domain/count-asking.ts'
import { letIn } from '../domain/let-in.ts'
import { signOutPerson } from '../people/members-store.ts'
import type { Place } from '../people/membership.ts'
import { useCode } from './codes.ts'
import { isBadCode, tooManyTries } from './errors.ts'

const HOUR = 3_600_000
const TRIES_AN_HOUR = 10

/**
 * Lets in who has a recovery code. Wrong tries are counted for every address alike, whether it has codes or not. A right code passes
 * whatever was tried before: strangers who guess lock nobody out.
 */
export async function signInByCode(ctx: StoreCtx, { email, code }: { email: string; code: string }): Promise<Place> {
  const address = email.toLowerCase()
  const who = `recovery ${address}`
  const entering = letIn(ctx, {
    by: 'recovery code',
    mayBeGuest: true,
    async whose(tx) {
      await useCode(tx, address, code)
      await signOutPerson(tx.db, { email: address, keep: null, now: tx.clock.now() })
      return address
    },
  })
  return entering.catch(async (error: unknown) => {
    if (!isBadCode(error)) throw error
    await countAsking(ctx, { who, places: TRIES_AN_HOUR, within: HOUR, refuse: tooManyTries })
    throw error
  })
}

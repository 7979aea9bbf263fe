import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { countAsking } from '../domain/count-asking.ts'
import { letIn } from '../domain/let-in.ts'
import type { Place } from '../people/membership.ts'
import { useCode } from './codes.ts'
import { tooManyTries } from './errors.ts'

const HOUR = 3_600_000
const TRIES_AN_HOUR = 10

/** Lets in who has a recovery code. Tries are counted for every address alike, whether it has codes or not. */
export async function signInByCode(ctx: StoreCtx, { email, code }: { email: string; code: string }): Promise<Place> {
  const address = email.toLowerCase()
  const who = `recovery ${address}`
  await countAsking(ctx, { who, places: TRIES_AN_HOUR, within: HOUR, refuse: tooManyTries })
  return letIn(ctx, {
    by: 'recovery code',
    mayBeGuest: true,
    async whose(tx) {
      await useCode(tx, address, code)
      return address
    },
  })
}

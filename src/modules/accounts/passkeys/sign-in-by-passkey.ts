import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { letIn } from '../domain/let-in.ts'
import type { Place } from '../people/membership.ts'
import type { RelyingParty } from './relying-party.ts'
import { countUse, takeSigned } from './take-signed.ts'

interface SignIn {
  response: AuthenticationResponseJSON
  party: RelyingParty
  /** What the browser was given with what it has signed. */
  browser: string
}

/** Lets in whose passkey has signed, wherever they belong. */
export async function signInByPasskey(ctx: StoreCtx, { response, party, browser }: SignIn): Promise<Place> {
  const used = await takeSigned(ctx, { response, party, by: { browser } })
  return letIn(ctx, {
    by: 'passkey',
    mayBeGuest: true,
    async whose(tx) {
      await countUse(tx, used)
      return used.passkey.email
    },
  })
}

import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { hashApiKey } from '../../../kernel/api-key.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { countAsking } from '../domain/count-asking.ts'
import { findAsked } from './challenge.ts'
import { badPasskey, tooManyTries } from './errors.ts'
import { type Passkey, findByCredential, markPasskeyUsed } from './passkeys-store.ts'
import type { RelyingParty } from './relying-party.ts'
import { verifySigned } from './verify.ts'

const HOUR = 3_600_000
const TRIES_AN_HOUR = 30

interface Signed {
  response: AuthenticationResponseJSON
  party: RelyingParty
  /** Who brings it: somebody who is signed in, or a browser. */
  by: { sessionId: string; email: string } | { browser: string }
}

/** A passkey that has signed what was asked, and what its device has counted. */
export interface Used {
  passkey: Passkey
  counter: number
}

/** Whose passkey has signed what was asked of this very session or browser. Everything else is refused in the same words. */
export async function takeSigned(ctx: StoreCtx, { response, party, by }: Signed): Promise<Used> {
  const isSession = 'sessionId' in by
  const { clientDataJSON, userHandle } = response.response
  const asked = await findAsked(ctx, clientDataJSON, {
    purpose: isSession ? 'prove' : 'sign-in',
    boundTo: isSession ? by.sessionId : hashApiKey(by.browser),
  })
  const passkey = asked && (await findByCredential(ctx.db, response.id))
  if (!passkey) throw badPasskey()
  // Who is not signed in is known by what their device says alone, so that it must say it.
  const isTheirs = isSession ? passkey.email === by.email : userHandle === passkey.userHandle
  if (!isTheirs) throw badPasskey()
  const { email } = passkey
  await countAsking(ctx, { who: `passkey ${email}`, places: TRIES_AN_HOUR, within: HOUR, refuse: tooManyTries })
  try {
    return { passkey, counter: await verifySigned(response, { passkey, challenge: asked.challenge, party }) }
  } catch (error) {
    throw badPasskey(error)
  }
}

/** Call it in the transaction of what it opens: of two who bring the same one wins. */
export async function countUse({ db, clock }: StoreCtx, { passkey: { id }, counter }: Used): Promise<void> {
  if (!(await markPasskeyUsed(db, { id, counter, now: clock.now() }))) throw badPasskey()
}

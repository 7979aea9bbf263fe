import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { tell } from '../people/mails.ts'
import { listMembershipsOf, lockPerson, signOutPerson } from '../people/members-store.ts'
import { findAsked } from './challenge.ts'
import { makeCodes } from './codes.ts'
import { notEnrolled, passkeyTaken, sessionOver, tooManyPasskeys } from './errors.ts'
import { type Passkey, insertPasskey, listPasskeys } from './passkeys-store.ts'
import { type Person, notePerson } from './person.ts'
import type { RelyingParty } from './relying-party.ts'
import { type Made, verifyMade } from './verify.ts'

const PASSKEYS_MAX = 10

interface Enrolment {
  person: Person
  party: RelyingParty
  name: string
  response: RegistrationResponseJSON
  idempotency?: Idempotency | undefined
}

/** A passkey, and with the first one the codes that stand in for it: they are never shown again. */
export interface Enrolled {
  passkey: Passkey
  codes: string[] | undefined
}

/** Adds a passkey of who is signed in. From the first one on a mail opens nothing for them, unless their accounts allow it. */
export async function enrolPasskey(ctx: StoreCtx, enrolment: Enrolment): Promise<Enrolled> {
  const { person, party, response } = enrolment
  const by = { purpose: 'enrol', boundTo: person.sessionId } as const
  const asked = await findAsked(ctx, response.response.clientDataJSON, by)
  if (!asked) throw notEnrolled('This took longer than five minutes, or was sent before. Try again.')
  let made: Made
  try {
    made = await verifyMade(response, { challenge: asked.challenge, party })
  } catch (error) {
    throw notEnrolled('The answer of your device does not hold. Try again, or use another.', error)
  }
  try {
    return await keep(ctx, enrolment, { ...made, userHandle: asked.userHandle! })
  } catch (error) {
    throw isUniqueViolation(error) ? passkeyTaken() : error
  }
}

function keep(
  ctx: StoreCtx,
  { person, name, idempotency }: Enrolment,
  made: Made & Pick<Passkey, 'userHandle'>,
): Promise<Enrolled> {
  const { email } = person
  return inTx(ctx, async (tx) => {
    await lockPerson(tx.db, email)
    // Removed from their last account a moment ago, when the passkeys that they had went too.
    if ((await listMembershipsOf(tx.db, email, tx.clock.now())).length === 0) throw sessionOver()
    const there = await listPasskeys(tx.db, email)
    if (there.length >= PASSKEYS_MAX) throw tooManyPasskeys(PASSKEYS_MAX)
    const times = { createdAt: tx.clock.now(), lastUsedAt: null }
    const passkey: Passkey = { id: tx.ids.next('psk'), email, ...made, name, ...times }
    await insertPasskey(tx.db, passkey)
    const codes = there.length === 0 ? await makeCodes(tx, email) : undefined
    // What a mail has opened before is not what their passkey opens.
    if (there.length === 0) await signOutPerson(tx.db, { email, keep: person.sessionId, now: tx.clock.now() })
    await notePerson(tx, person, 'passkey.added', { id: passkey.id, name })
    await idempotency?.record(tx.db, { id: passkey.id, codes: codes ?? [] })
    await tell(tx, person, 'A passkey was added', [
      `You can sign in as ${email} with the passkey “${name}” from now on.`,
      ...(codes
        ? ['Sign-in by email is now off for you, unless your accounts allow it. Keep your recovery codes.']
        : []),
      '',
      'If this was not you, sign in, remove it on the Security page and create new recovery codes.',
    ])
    return { passkey, codes }
  })
}

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Actor } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { type Place, letIn } from '../people/membership.ts'
import { mailPerson } from '../people/mails.ts'
import { listMembershipsOf, lockPerson, signOutPerson } from '../people/members-store.ts'
import { insertAudit } from '../store.ts'
import { type Made, type RelyingParty, countUse, findAsked, takeSigned, verifyMade } from './ceremony.ts'
import { lastPasskey, notEnrolled, passkeyNotFound, passkeyTaken, sessionOver, tooManyPasskeys } from './errors.ts'
import { type Person, type Required, mustHave, notePerson } from './policy.ts'
import { makeCodes } from './recovery-codes.ts'
import {
  type Passkey,
  deleteAllPasskeys,
  deleteCodes,
  deletePasskey,
  hasPasskey,
  insertPasskey,
  listPasskeys,
  updatePasskeyName,
} from './store.ts'

const PASSKEYS_MAX = 10

interface Enrolment {
  person: Person
  party: RelyingParty
  name: string
  response: RegistrationResponseJSON
  idempotency?: Idempotency | undefined
}

/** A new passkey, and with the first one the recovery codes, which are never shown again. */
interface Enrolled {
  passkey: Passkey
  codes: string[] | undefined
}

/** Adds a passkey for the signed-in user. From the first one on mail cannot sign them in, unless their accounts allow it. */
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
    // The user was removed from their last account a moment ago, and their passkeys were deleted with that.
    if ((await listMembershipsOf(tx.db, email, tx.clock.now())).length === 0) throw sessionOver()
    const there = await listPasskeys(tx.db, email)
    if (there.length >= PASSKEYS_MAX) throw tooManyPasskeys(PASSKEYS_MAX)
    const times = { createdAt: tx.clock.now(), lastUsedAt: null }
    const passkey: Passkey = { id: tx.ids.next('psk'), email, ...made, name, ...times }
    await insertPasskey(tx.db, passkey)
    const codes = there.length === 0 ? await makeCodes(tx, email) : undefined
    // Sessions opened by mail end, because from now on the passkey is required.
    if (there.length === 0) await signOutPerson(tx.db, { email, keep: person.sessionId, now: tx.clock.now() })
    await notePerson(tx, person, 'passkey.added', { id: passkey.id, name })
    await idempotency?.record(tx.db, { id: passkey.id, codes: codes ?? [] })
    await mailPerson(tx, person, 'A passkey was added', [
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

interface SignIn {
  response: AuthenticationResponseJSON
  party: RelyingParty
  /** The secret of the browser that requested the challenge. */
  browser: string
}

/** Signs in the owner of the passkey that has signed. */
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

interface Proof {
  person: Person
  party: RelyingParty
  response: AuthenticationResponseJSON
}

/** Confirms the signed-in user's identity with one of their passkeys, or refuses it. */
export async function proveByPasskey(ctx: StoreCtx, { person, party, response }: Proof): Promise<void> {
  const used = await takeSigned(ctx, { response, party, by: person })
  await inTx(ctx, async (tx) => {
    await countUse(tx, used)
    await notePerson(tx, person, 'account.proved', { by: 'passkey' })
  })
}

/** Renames a passkey of the signed-in user. */
export function renamePasskey(
  ctx: StoreCtx,
  { person, id, name }: { person: Person; id: string; name: string },
): Promise<Passkey> {
  return inTx(ctx, async (tx) => {
    const passkey = await updatePasskeyName(tx.db, { email: person.email, id }, name)
    if (!passkey) throw passkeyNotFound()
    await notePerson(tx, person, 'passkey.renamed', { id, name })
    return passkey
  })
}

/** Removes a passkey of the signed-in user. With the last one the recovery codes go, and mail can sign in again. */
export function removePasskey(
  ctx: StoreCtx,
  { person, id, required }: { person: Person; id: string; required: Required },
): Promise<void> {
  const { email } = person
  return inTx(ctx, async (tx) => {
    await lockPerson(tx.db, email)
    const removed = await deletePasskey(tx.db, { email, id })
    if (!removed) throw passkeyNotFound()
    const isLast = !(await hasPasskey(tx.db, email))
    if (isLast && (await mustHave(tx, email, required))) throw lastPasskey()
    if (isLast) await deleteCodes(tx.db, email)
    // Someone may be signed in with the removed passkey, so all other sessions end.
    await signOutPerson(tx.db, { email, keep: person.sessionId, now: tx.clock.now() })
    await notePerson(tx, person, 'passkey.removed', { id, name: removed.name })
    await mailPerson(tx, person, 'A passkey was removed', [
      `The passkey “${removed.name}” of ${email} no longer works.`,
      ...(isLast ? ['It was the last one: from now on you sign in by email.'] : []),
      '',
      'If this was not you, sign in and check your passkeys, keys and people.',
    ])
  })
}

/** For the operator, when someone has lost every passkey: mail can sign them in again. Each of their accounts records it in its activity. */
export function forgetPasskeys(ctx: StoreCtx, { email, actor }: { email: string; actor: Actor }): Promise<void> {
  const address = email.toLowerCase()
  return inTx(ctx, async (tx) => {
    await lockPerson(tx.db, address)
    if (!(await hasPasskey(tx.db, address))) throw new AppError('not_found', 'This address has no passkeys.')
    await deleteAllPasskeys(tx.db, address)
    await deleteCodes(tx.db, address)
    await signOutPerson(tx.db, { email: address, keep: null, now: tx.clock.now() })
    for (const { accountId, joinedAt } of await listMembershipsOf(tx.db, address, tx.clock.now())) {
      if (joinedAt === null) continue
      await insertAudit(tx, { actor, accountId, what: 'passkey.forgotten', detail: { email: address } })
    }
    await mailPerson(tx, { email: address }, 'Your passkeys were removed', [
      `The operator of the service has removed all passkeys and recovery codes of ${address}. You sign in by email again.`,
      '',
      'If you did not request this, contact the operator and add a passkey again.',
    ])
  })
}

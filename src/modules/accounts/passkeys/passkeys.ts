import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Actor } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { type Place, letIn } from '../people/membership.ts'
import { tell } from '../people/mails.ts'
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

/** A passkey, and with the first one the codes that stand in for it: they are never shown again. */
interface Enrolled {
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

interface Proof {
  person: Person
  party: RelyingParty
  response: AuthenticationResponseJSON
}

/** Takes a passkey of who is signed in as the proof that it is them, or refuses it. */
export async function proveByPasskey(ctx: StoreCtx, { person, party, response }: Proof): Promise<void> {
  const used = await takeSigned(ctx, { response, party, by: person })
  await inTx(ctx, async (tx) => {
    await countUse(tx, used)
    await notePerson(tx, person, 'account.proved', { by: 'passkey' })
  })
}

/** Gives a passkey of who is signed in another name. */
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

/** Removes a passkey of who is signed in. With the last one the recovery codes go, and mail opens again. */
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
    // Whoever had it may be signed in with it.
    await signOutPerson(tx.db, { email, keep: person.sessionId, now: tx.clock.now() })
    await notePerson(tx, person, 'passkey.removed', { id, name: removed.name })
    await tell(tx, person, 'A passkey was removed', [
      `The passkey “${removed.name}” of ${email} no longer works.`,
      ...(isLast ? ['It was the last one: from now on you sign in by email.'] : []),
      '',
      'If this was not you, sign in and check your passkeys, keys and people.',
    ])
  })
}

/** For the operator, who knows that somebody has lost all they had: mail opens for them again. Every account of theirs reads of it. */
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
    await tell(tx, { email: address }, 'Your passkeys were removed', [
      `The operator of the service has removed all passkeys and recovery codes of ${address}. You sign in by email again.`,
      '',
      'If you did not request this, contact the operator and add a passkey again.',
    ])
  })
}

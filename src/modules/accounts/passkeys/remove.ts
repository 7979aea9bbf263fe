import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { tell } from '../people/mails.ts'
import { lockPerson, signOutPerson } from '../people/members-store.ts'
import { deleteCodes } from './codes-store.ts'
import { lastPasskey, passkeyNotFound } from './errors.ts'
import { deletePasskey, hasPasskey } from './passkeys-store.ts'
import { type Person, notePerson } from './person.ts'
import { type Required, mustHave } from './policy.ts'

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

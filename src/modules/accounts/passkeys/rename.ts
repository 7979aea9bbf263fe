import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { passkeyNotFound } from './errors.ts'
import { type Passkey, updatePasskeyName } from './passkeys-store.ts'
import { type Person, notePerson } from './person.ts'

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

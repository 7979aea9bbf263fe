import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { tell } from '../people/mails.ts'
import { lockPerson } from '../people/members-store.ts'
import { makeCodes } from './codes.ts'
import { noCodesWithout } from './errors.ts'
import { hasPasskey } from './passkeys-store.ts'
import { type Person, notePerson } from './person.ts'

/** New recovery codes for who has a passkey; those before open nothing any more. */
export function newCodes(ctx: StoreCtx, person: Person, idempotency?: Idempotency): Promise<string[]> {
  return inTx(ctx, async (tx) => {
    await lockPerson(tx.db, person.email)
    if (!(await hasPasskey(tx.db, person.email))) throw noCodesWithout()
    const codes = await makeCodes(tx, person.email)
    await notePerson(tx, person, 'passkey.codes-made', {})
    await idempotency?.record(tx.db, { codes })
    await tell(tx, person, 'New recovery codes', [
      `New recovery codes were created for ${person.email}. The old ones no longer work.`,
      '',
      'If this was not you, sign in, check your passkeys and create new codes.',
    ])
    return codes
  })
}

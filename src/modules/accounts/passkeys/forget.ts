import { type Actor } from '../../../kernel/actor.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { tell } from '../people/mails.ts'
import { listMembershipsOf, lockPerson, signOutPerson } from '../people/members-store.ts'
import { insertAudit } from '../store.ts'
import { deleteCodes } from './codes-store.ts'
import { deleteAllPasskeys, hasPasskey } from './passkeys-store.ts'

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

import { actorOf } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { findAdministrator } from '../store.ts'
import { createAccountIn } from './create-account.ts'
import { UNLIMITED, issueKeyIn } from './issue-key.ts'

/** The same on every instance, so that of two that start at once only one makes an administrator. */
const FIRST_ID = 'acc_administrator'

/**
 * Makes the administrator of a new store and their first key; undefined when there is one already. The key is kept before it
 * counts, so that no gateway can die between making it and showing it: of those who keep one at the same time, the one whose
 * key counts was the last.
 */
export async function createFirstAdministrator(
  ctx: StoreCtx,
  keep: (key: string) => void = () => {},
): Promise<string | undefined> {
  try {
    return await inTx(ctx, async (tx) => {
      if (await findAdministrator(tx.db)) return undefined
      const account = await createAccountIn(tx, {
        id: FIRST_ID,
        email: null,
        role: 'admin',
        actor: actorOf.service('system'),
      })
      const made = { id: tx.ids.next('key'), kind: 'secret' as const, granted: UNLIMITED }
      const named = { accountId: account.id, name: 'First administrator key', actor: actorOf.service('system') }
      const { text } = await issueKeyIn(tx, { ...made, ...named })
      keep(text)
      return text
    })
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}

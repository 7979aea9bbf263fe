import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { findAdministrator } from '../store.ts'
import { createAccountIn } from './create-account.ts'
import { issueKeyIn } from './issue-key.ts'

/** The same on every instance, so that of two that start at once only one makes an administrator. */
const FIRST_ID = 'acc_administrator'

/** Makes the administrator of a new store and their first key; undefined when there is one already. */
export async function createFirstAdministrator(ctx: StoreCtx): Promise<string | undefined> {
  try {
    return await inTx(ctx, async (tx) => {
      if (await findAdministrator(tx.db)) return undefined
      const account = await createAccountIn(tx, { id: FIRST_ID, email: null, role: 'admin', actor: 'system' })
      const key = { accountId: account.id, kind: 'secret' as const, name: 'First administrator key', actor: 'system' }
      return (await issueKeyIn(tx, key)).text
    })
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}

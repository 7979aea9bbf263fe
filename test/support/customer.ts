import { OPERATOR } from '../../src/kernel/actor.ts'
import type { KeyKind } from '../../src/kernel/api-key.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { createAccount, issueKey } from '../../src/modules/accounts/index.ts'
import { type Account } from '../../src/modules/accounts/store.ts'
import { grantCredits } from '../../src/modules/accounts/domain/credits.ts'

export interface NewCustomer {
  email?: string | null
  role?: Account['role']
  /** The kind of the key, and the origins of a public one. */
  kind?: KeyKind
  origins?: string[]
  name?: string
}

/** An account with its own key. */
export interface Customer {
  accountId: string
  key: string
  keyId: string
  headers: { authorization: string }
  /** Makes another key of the same account. */
  issue(kind: KeyKind, origins?: string[]): Promise<string>
  grant(credits: number): Promise<void>
}

export async function openCustomer(
  ctx: StoreCtx,
  { email = null, role = 'user', kind = 'secret', origins = [], name = 'test' }: NewCustomer = {},
): Promise<Customer> {
  const { id: accountId } = await createAccount(ctx, { email, role, actor: OPERATOR })
  const issue = (kind: KeyKind, origins: string[] = []) =>
    issueKey(ctx, { accountId, kind, name, origins, actor: OPERATOR })
  const { text: key, key: first } = await issue(kind, origins)
  let grants = 0
  return {
    accountId,
    key,
    keyId: first.id,
    headers: { authorization: `Bearer ${key}` },
    issue: async (kind, origins) => (await issue(kind, origins)).text,
    grant: async (amount) => {
      const reference = `test:${accountId}:${grants++}`
      await grantCredits(ctx, { accountId, amount, reason: 'test', reference, actor: OPERATOR })
    },
  }
}

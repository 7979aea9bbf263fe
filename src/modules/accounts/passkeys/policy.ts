import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { listMembershipsOf } from '../people/members-store.ts'
import { type Account, findAccount } from '../store.ts'
import { hasPasskey } from './passkeys-store.ts'

/** Whom the operator wants to have a passkey. */
export type Required = 'none' | 'administrators' | 'members'

/** Whether the people of an account must have one. */
export const isRequired = (required: Required, { role }: Pick<Account, 'role'>): boolean =>
  required === 'members' || (required === 'administrators' && role === 'admin')

async function accountsOf({ db, clock }: StoreCtx, email: string): Promise<Account[]> {
  const accounts: Account[] = []
  for (const { accountId, joinedAt } of await listMembershipsOf(db, email, clock.now())) {
    if (joinedAt !== null) accounts.push((await findAccount(db, accountId))!)
  }
  return accounts
}

/** Whether an address belongs to an account whose people must have a passkey. */
export async function mustHave(ctx: StoreCtx, email: string, required: Required): Promise<boolean> {
  if (required !== 'administrators') return required === 'members'
  return (await accountsOf(ctx, email)).some((account) => isRequired(required, account))
}

/**
 * Whether a mail opens for an address: as long as it has no passkey, or where every account that it belongs to allows it. One that does
 * not is enough: who is in one account is a click away from the others.
 */
export async function isMailOpen(ctx: StoreCtx, email: string, required: Required): Promise<boolean> {
  if (!(await hasPasskey(ctx.db, email))) return true
  const accounts = await accountsOf(ctx, email)
  return accounts.length > 0 && accounts.every((account) => account.mailLinks && !isRequired(required, account))
}

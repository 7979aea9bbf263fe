import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { updateAddress } from '../address-store.ts'
import { updateSignedOut } from '../standing-store.ts'
import { findAccount, findAccountByEmail } from '../store.ts'
import { listMembers } from './members-store.ts'

/**
 * What the account is known by, and written to, is the address of an owner: where it is that of nobody who owns it any more, it goes to
 * another owner; one whose address is that of another account keeps that. Sessions that say no more than the account would follow the
 * address to another person, so that all of them end. Call it with the account locked.
 */
export async function settleAddress(tx: StoreCtx, accountId: string): Promise<void> {
  const known = (await findAccount(tx.db, accountId))?.email
  if (known === undefined || known === null) return
  const owners = (await listMembers(tx.db, accountId)).filter(
    ({ role, joinedAt }) => role === 'owner' && joinedAt !== null,
  )
  if (owners.length === 0 || owners.some(({ email }) => email === known)) return
  let next: string | null = null
  for (const { email } of owners) if (next === null && !(await findAccountByEmail(tx.db, email))) next = email
  await updateAddress(tx.db, accountId, next)
  await updateSignedOut(tx.db, accountId, tx.clock.now())
}

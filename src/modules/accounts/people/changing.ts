import { type Actor } from '../../../kernel/actor.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { type MemberRole, type Role, roleMay } from '../../../kernel/roles.ts'
import type { AccountCaller } from '../../../kernel/route.ts'
import { lockAccount } from '../store.ts'
import { memberNotFound, notPeople, ownersOnly } from './errors.ts'
import { type Member, findMember, hasOwner } from './members-store.ts'

/** Who changes people, and in which account. */
export interface Changer {
  accountId: string
  actor: Actor
  /** Of the key that does it, where it is less than the account. */
  makerRole?: MemberRole | undefined
}

export const changerOf = ({ accountId, actor, rights }: AccountCaller): Changer => ({
  accountId,
  actor,
  makerRole: rights?.makerRole,
})

/**
 * Holds the account, so that two changes cannot pass each other, and looks who changes it now: somebody who was removed a moment
 * ago changes nothing. Owners are changed by owners; a key that none but the account bounds stands in for them as long as there is none.
 */
export async function enterPeople(tx: StoreCtx, by: Changer, touched: readonly Role[]): Promise<void> {
  await lockAccount(tx.db, by.accountId)
  const isPerson = by.actor.kind === 'person'
  const changer = isPerson ? await findMember(tx.db, { ...by, id: by.actor.id }) : undefined
  if (isPerson) {
    const may = changer !== undefined && changer.joinedAt !== null && roleMay(changer.role, 'people', 'all')
    if (!may) throw notPeople()
  }
  if (!touched.includes('owner')) return
  const role = changer?.role ?? by.makerRole
  const mayOwners = role === undefined ? !(await hasOwner(tx.db, by.accountId)) : roleMay(role, 'owners', 'all')
  if (!mayOwners) throw ownersOnly()
}

/** Somebody of the account, with what changing them touches. */
export async function enterAt(tx: StoreCtx, by: Changer, id: string, touched: readonly Role[] = []): Promise<Member> {
  await lockAccount(tx.db, by.accountId)
  const member = await findMember(tx.db, { accountId: by.accountId, id })
  if (!member) throw memberNotFound()
  await enterPeople(tx, by, [member.role, ...touched])
  return member
}

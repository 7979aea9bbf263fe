import { type Actor, actorOf } from '../../../kernel/actor.ts'
import type { Db } from '../../../kernel/db.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { type MemberRole, type Role, roleMay } from '../../../kernel/rights.ts'
import type { AccountCaller } from '../../../kernel/route.ts'
import { takePlace } from '../domain/count-asking.ts'
import { deleteAllPasskeys, deleteCodes } from '../passkeys/store.ts'
import { updateSignedOut } from '../standing.ts'
import { findAccount, findAccountByEmail, insertAudit, lockAccount, markRevokedOf } from '../store.ts'
import { lastOwner, memberNotFound, notJoined, notPeople, ownersOnly } from './errors.ts'
import { labelOf, mailPerson } from './mails.ts'
import {
  endInvitationsBy,
  findMember,
  hasOwner,
  listMembers,
  listMembershipsOf,
  lockPerson,
  markEnded,
  updateRole,
} from './members-store.ts'
import type { Member } from './member.ts'

const DAY = 86_400_000
const MAILS_A_DAY = 5

/** Changes a role, effective at once on every instance. */
export function changeRole(ctx: StoreCtx, { id, role, by }: { id: string; role: Role; by: Changer }): Promise<Member> {
  return inTx(ctx, async (tx) => {
    const member = await enterAt(tx, by, id, [role])
    if (member.role === role) return member
    await give(tx, by.actor, member, role)
    return { ...member, role }
  })
}

/** Transfers the account: another member becomes an owner, and the previous owner a manager. */
export function handOver(ctx: StoreCtx, { id, by }: { id: string; by: Changer }): Promise<Member> {
  return inTx(ctx, async (tx) => {
    const member = await enterAt(tx, by, id, ['owner'])
    if (member.joinedAt === null) throw notJoined()
    if (member.role !== 'owner') await give(tx, by.actor, member, 'owner')
    if (by.actor.kind === 'person' && by.actor.id !== id) {
      await give(tx, by.actor, await enterAt(tx, by, by.actor.id), 'manager')
    }
    return { ...member, role: 'owner' }
  })
}

async function give(tx: StoreCtx, actor: Actor, member: Member, role: Role): Promise<void> {
  if (!(await updateRole(tx.db, member, role))) throw lastOwner()
  if (role !== 'owner') await endInvitationsBy(tx.db, member, tx.clock.now())
  await settleAddress(tx, member.accountId)
  await noteRole(tx, actor, member, role)
}

async function noteRole(
  tx: StoreCtx,
  actor: Actor,
  { id: memberId, accountId, email, joinedAt, role: was }: Member,
  role: Role,
) {
  await insertAudit(tx, { actor, accountId, what: 'member.role-changed', detail: { memberId, was, role } })
  const mailed = { who: `told ${memberId}`, places: MAILS_A_DAY, within: DAY }
  if (joinedAt === null || !(await takePlace(tx, mailed))) return
  await mailPerson(tx, { email }, 'Your role has changed', [
    `In the account “${await labelOf(tx, accountId)}” your role was ${was}; it is now ${role}.`,
  ])
}

/** Removes a member, or withdraws an invitation. Their sessions in this account and the keys that they made end with it. */
export function removeMember(ctx: StoreCtx, { id, by }: { id: string; by: Changer }): Promise<Member> {
  return inTx(ctx, async (tx) => {
    const member = await enterAt(tx, by, id)
    await end(tx, member, by.actor)
    const what = member.joinedAt === null ? 'member.invitation-withdrawn' : 'member.removed'
    await insertAudit(tx, { actor: by.actor, accountId: by.accountId, what, detail: { memberId: id } })
    if (member.joinedAt === null || by.actor.id === id) return member
    await mailPerson(tx, member, 'You were removed from an account', [
      `You are no longer a member of “${await labelOf(tx, by.accountId)}” and have been signed out.`,
    ])
    return member
  })
}

/** Declines an invitation, or leaves. Everyone may, except the last owner. */
export function leaveAccount(
  ctx: StoreCtx,
  { id, email, accountId }: Pick<Member, 'id' | 'email' | 'accountId'>,
): Promise<void> {
  return inTx(ctx, async (tx) => {
    await lockAccount(tx.db, accountId)
    const member = await findMember(tx.db, { accountId, id })
    if (!member || member.email !== email) throw memberNotFound()
    await end(tx, member, actorOf.person(id))
    const what = member.joinedAt === null ? 'member.declined' : 'member.left'
    await insertAudit(tx, { actor: actorOf.person(id), accountId, what, detail: { memberId: id } })
  })
}

/**
 * Deletes the passkeys of someone who belongs to no account any more: the address may belong to another person when it is invited again, and
 * the device of the previous one must not accept for them.
 */
async function forgetDevices({ db, clock }: StoreCtx, email: string): Promise<void> {
  const left = await listMembershipsOf(db, email, clock.now())
  if (left.some(({ joinedAt }) => joinedAt !== null)) return
  await deleteAllPasskeys(db, email)
  await deleteCodes(db, email)
}

/** Call it with the account locked. */
async function end(tx: StoreCtx, member: Member, actor: Actor): Promise<void> {
  const { id, accountId } = member
  const now = tx.clock.now()
  // Two accounts that remove a person at once would each see the other's membership, and keep the passkeys.
  await lockPerson(tx.db, member.email)
  if (!(await markEnded(tx.db, member, now))) throw lastOwner()
  await endInvitationsBy(tx.db, member, now)
  for (const keyId of await markRevokedOf(tx.db, member, now)) {
    await insertAudit(tx, { actor, accountId, what: 'key.revoked', detail: { keyId, memberId: id } })
  }
  await forgetDevices(tx, member.email)
  await settleAddress(tx, accountId)
}

/** Who changes people, and in which account. */
export interface Changer {
  accountId: string
  actor: Actor
  /** The role behind the key that acts, where it has fewer rights than the account. */
  makerRole?: MemberRole | undefined
}

export const changerOf = ({ accountId, actor, rights }: AccountCaller): Changer => ({
  accountId,
  actor,
  makerRole: rights?.makerRole,
})

/**
 * Locks the account, so that changes run one after another, and checks the caller's current role: someone removed a moment ago changes nothing. Only
 * owners may change owners. While an account has no owner, a key that is not limited by anyone's role may change them, too.
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

/** A member for the caller to change, after checking that the caller may. */
async function enterAt(tx: StoreCtx, by: Changer, id: string, touched: readonly Role[] = []): Promise<Member> {
  await lockAccount(tx.db, by.accountId)
  const member = await findMember(tx.db, { accountId: by.accountId, id })
  if (!member) throw memberNotFound()
  await enterPeople(tx, by, [member.role, ...touched])
  return member
}

/**
 * The account's address, which identifies it and receives its mail, is that of an owner. When nobody with that address owns the account any
 * more, it becomes another owner's, unless that one's address belongs to another account. Sessions bound to the account alone would
 * follow the address to another person, so all of them end. Call it with the account locked.
 */
async function settleAddress(tx: StoreCtx, accountId: string): Promise<void> {
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

/** Sets the address that identifies an account and receives its mail. */
export async function updateAddress(db: Db, accountId: string, email: string | null): Promise<void> {
  await db.updateTable('accounts').set({ email }).where('id', '=', accountId).execute()
}

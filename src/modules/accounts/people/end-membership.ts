import { type Actor, actorOf } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { insertAudit, lockAccount, markRevokedOf } from '../store.ts'
import { type Changer, enterAt } from './changing.ts'
import { lastOwner, memberNotFound } from './errors.ts'
import { labelOf, tell } from './mails.ts'
import { deleteAllPasskeys, deleteCodes } from '../passkeys/store.ts'
import { type Member, endInvitationsBy, findMember, listMembershipsOf, lockPerson, markEnded } from './members-store.ts'
import { settleAddress } from './settle-address.ts'

/** Removes somebody, or takes an invitation back. Their sessions in this account and the keys that they made end with it. */
export function removeMember(ctx: StoreCtx, { id, by }: { id: string; by: Changer }): Promise<Member> {
  return inTx(ctx, async (tx) => {
    const member = await enterAt(tx, by, id)
    await end(tx, member, by.actor)
    const what = member.joinedAt === null ? 'member.invitation-withdrawn' : 'member.removed'
    await insertAudit(tx, { actor: by.actor, accountId: by.accountId, what, detail: { memberId: id } })
    if (member.joinedAt === null || by.actor.id === id) return member
    await tell(tx, member, 'You were removed from an account', [
      `You are no longer a member of “${await labelOf(tx, by.accountId)}” and have been signed out.`,
    ])
    return member
  })
}

/** Says no to an invitation, or leaves. Everybody may, but not the last owner. */
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
 * Who is nowhere any more keeps no passkeys: an address may be somebody else's the next time it is invited, and the device of
 * who had it before must not say yes for them.
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
  // Two accounts that let go of somebody at once would each find the other's membership, and leave the passkeys.
  await lockPerson(tx.db, member.email)
  if (!(await markEnded(tx.db, member, now))) throw lastOwner()
  await endInvitationsBy(tx.db, member, now)
  for (const keyId of await markRevokedOf(tx.db, member, now)) {
    await insertAudit(tx, { actor, accountId, what: 'key.revoked', detail: { keyId, memberId: id } })
  }
  await forgetDevices(tx, member.email)
  await settleAddress(tx, accountId)
}

import { type Actor } from '../../../kernel/actor.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import type { Role } from '../../../kernel/roles.ts'
import { takePlace } from '../domain/count-asking.ts'
import { insertAudit } from '../store.ts'
import { type Changer, enterAt } from './changing.ts'
import { lastOwner, notJoined } from './errors.ts'
import { labelOf, tell } from './mails.ts'
import { type Member, endInvitationsBy, updateRole } from './members-store.ts'
import { settleAddress } from './settle-address.ts'

const DAY = 86_400_000
const MAILS_A_DAY = 5

/** Gives somebody another role. It holds for what they do next, on every instance. */
export function changeRole(ctx: StoreCtx, { id, role, by }: { id: string; role: Role; by: Changer }): Promise<Member> {
  return inTx(ctx, async (tx) => {
    const member = await enterAt(tx, by, id, [role])
    if (member.role === role) return member
    await give(tx, by.actor, member, role)
    return { ...member, role }
  })
}

/** Hands the account over: somebody else becomes an owner, and who does it a manager. */
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
  await tell(tx, { email }, 'Your role has changed', [
    `In the account “${await labelOf(tx, accountId)}” your role was ${was}; it is now ${role}.`,
  ])
}

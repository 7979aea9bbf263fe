import { actorOf } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { createAccountIn } from '../domain/create-account.ts'
import { type Account, findAccountByEmail, insertAudit, lockAccount } from '../store.ts'
import { invitationOver } from './errors.ts'
import { type Member, findMemberByEmail, listMembershipsOf, markJoined } from './members-store.ts'
import { type Place, placesOf } from './membership.ts'

interface Person {
  /** Of the session: whoever is signed in as this address. */
  email: string
}

/** Where somebody is, and where they are invited. */
export const listPlaces = (ctx: StoreCtx, { email }: Person): Promise<Place[]> => inTx(ctx, (tx) => placesOf(tx, email))

/** One of these, by the id of its membership; what belongs to another address does not exist. */
export async function findPlace(ctx: StoreCtx, { email, id }: Person & { id: string }): Promise<Place> {
  const place = (await listPlaces(ctx, { email })).find(({ member }) => member.id === id)
  if (!place) throw invitationOver()
  return place
}

/** Says yes to an invitation, once and in time. */
export function acceptInvitation(ctx: StoreCtx, { email, id }: Person & { id: string }): Promise<Member> {
  return inTx(ctx, async (tx) => {
    const now = tx.clock.now()
    const invited = (await listMembershipsOf(tx.db, email, now)).find((member) => member.id === id)
    if (!invited) throw invitationOver()
    await lockAccount(tx.db, invited.accountId)
    if (!(await markJoined(tx.db, invited, now))) throw invitationOver()
    const { accountId, role } = invited
    await insertAudit(tx, {
      actor: actorOf.person(id),
      accountId,
      what: 'member.joined',
      detail: { memberId: id, role },
    })
    return { ...invited, joinedAt: now, expiresAt: null }
  })
}

/** An account of one's own, for who has only been invited to others. */
export async function openOwnAccount(ctx: StoreCtx, { email }: Person): Promise<Member> {
  const open = () =>
    inTx(ctx, async (tx) => {
      const account: Account =
        (await findAccountByEmail(tx.db, email)) ??
        (await createAccountIn(tx, { email, role: 'user', actor: actorOf.service('sign-in') }))
      return findMemberByEmail(tx.db, { accountId: account.id, email })
    })
  const member = await open().catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error
    return open()
  })
  if (!member) throw invitationOver()
  return member
}

import { actorOf } from '../../../kernel/actor.ts'
import { isUniqueViolation } from '../../../kernel/dialect.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import type { Role } from '../../../kernel/rights.ts'
import { textOf } from '../../../kernel/shape.ts'
import { countAsking, takePlace } from '../domain/count-asking.ts'
import { createAccountIn } from '../domain/create-account.ts'
import { type Account, findAccountByEmail, insertAudit, lockAccount } from '../store.ts'
import { invitationOver, memberThere, tooManyInvitations, tooManyMembers } from './errors.ts'
import { type AskedInvitation, MAIL_INVITATION } from './mails.ts'
import {
  findMember,
  findMemberByEmail,
  insertMember,
  listMembers,
  listMembershipsOf,
  markEnded,
  markJoined,
} from './members-store.ts'
import type { Member } from './member.ts'
import { type Changer, enterPeople } from './members.ts'
import { type Place, placesOf } from './membership.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const INVITED_MILLISECONDS = 7 * DAY
const MEMBERS_MAX = 100
const AN_ACCOUNT_A_DAY = 30
const AN_ADDRESS_A_DAY = 5
const AN_ADDRESS_OF_ALL_A_DAY = 10

interface Invitation {
  email: string
  role: Role
  by: Changer
  baseUrl: string
  idempotency?: Idempotency | undefined
}

/** Invites an address, without revealing whether it belongs to a user: only the mail, sent later, depends on that. */
export function inviteMember(ctx: StoreCtx, { email, role, by, baseUrl, idempotency }: Invitation): Promise<Member> {
  return inTx(ctx, async (tx) => {
    const { accountId } = by
    const address = email.toLowerCase()
    const now = tx.clock.now()
    await lockAccount(tx.db, accountId)
    const there = await findMemberByEmail(tx.db, { accountId, email: address })
    await enterPeople(tx, by, there ? [role, there.role] : [role])
    const made = idempotency?.made && (await findMember(tx.db, { accountId, id: textOf(idempotency.made.id) }))
    if (made) return made
    if (there && there.joinedAt !== null) throw memberThere()
    // A repeated invitation replaces the earlier one.
    if (there) await markEnded(tx.db, there, now)
    if ((await listMembers(tx.db, accountId)).length >= MEMBERS_MAX) throw tooManyMembers(MEMBERS_MAX)
    await countInvitation(tx, accountId, address)
    const member: Member = {
      id: tx.ids.next('mem'),
      accountId,
      email: address,
      role,
      invitedBy: by.actor.kind === 'person' ? by.actor.id : null,
      invitedAt: now,
      expiresAt: now + INVITED_MILLISECONDS,
      joinedAt: null,
      endedAt: null,
      signedOutAt: null,
      keptSession: null,
    }
    await insertMember(tx.db, member)
    await insertAudit(tx, { actor: by.actor, accountId, what: 'member.invited', detail: { memberId: member.id, role } })
    await idempotency?.record(tx.db, { id: member.id })
    // Beyond this limit the invitation is stored without a mail: accounts cost nothing, and many of them must not flood one person.
    if (!(await takePlace(tx, { who: `invited ${address}`, places: AN_ADDRESS_OF_ALL_A_DAY, within: DAY })))
      return member
    const payload: AskedInvitation = { mailId: tx.ids.next('mail'), accountId, memberId: member.id, baseUrl }
    await enqueue(tx, { kind: MAIL_INVITATION, payload, key: payload.mailId })
    return member
  })
}

/** Limits invitations, so that the gateway cannot be used to bother people. */
async function countInvitation(tx: StoreCtx, accountId: string, email: string): Promise<void> {
  await countAsking(tx, {
    who: `inviting ${accountId}`,
    places: AN_ACCOUNT_A_DAY,
    within: DAY,
    refuse: (seconds) => tooManyInvitations(seconds, `An account sends ${AN_ACCOUNT_A_DAY} invitations a day.`),
  })
  await countAsking(tx, {
    who: `invited ${accountId} ${email}`,
    places: AN_ADDRESS_A_DAY,
    within: DAY,
    refuse: (seconds) =>
      tooManyInvitations(seconds, `An address gets ${AN_ADDRESS_A_DAY} invitations of an account a day.`),
  })
}

interface Person {
  /** The address of the signed-in user. */
  email: string
}

/** The user's accounts and invitations. */
export const listPlaces = (ctx: StoreCtx, { email }: Person): Promise<Place[]> => inTx(ctx, (tx) => placesOf(tx, email))

/** One of these by its membership id; a membership of another address counts as missing. */
export async function findPlace(ctx: StoreCtx, { email, id }: Person & { id: string }): Promise<Place> {
  const place = (await listPlaces(ctx, { email })).find(({ member }) => member.id === id)
  if (!place) throw invitationOver()
  return place
}

/** Accepts an invitation, once and in time. */
export const acceptInvitation = (ctx: StoreCtx, person: Person & { id: string }): Promise<Member> =>
  inTx(ctx, (tx) => acceptIn(tx, person))

/** The same within a transaction. */
export async function acceptIn(tx: StoreCtx, { email, id }: Person & { id: string }): Promise<Member> {
  const now = tx.clock.now()
  const invited = (await listMembershipsOf(tx.db, email, now)).find((member) => member.id === id)
  if (!invited) throw invitationOver()
  await lockAccount(tx.db, invited.accountId)
  if (!(await markJoined(tx.db, invited, now))) throw invitationOver()
  const { accountId, role } = invited
  await insertAudit(tx, { actor: actorOf.person(id), accountId, what: 'member.joined', detail: { memberId: id, role } })
  return { ...invited, joinedAt: now, expiresAt: null }
}

/** Makes an own account for someone who has only been invited to others. */
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

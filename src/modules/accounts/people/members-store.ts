import type { Selectable } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Role } from '../../../kernel/rights.ts'
import type { MembersTable } from '../tables.ts'

/** Somebody of an account; without `joinedAt` only invited. */
export interface Member {
  id: string
  accountId: string
  email: string
  role: Role
  invitedBy: string | null
  invitedAt: number
  expiresAt: number | null
  joinedAt: number | null
  /** Sessions that began before are over, but for the one that is kept. */
  signedOutAt?: number | null
  keptSession?: string | null
}

const toMember = (row: Selectable<MembersTable>): Member => ({
  id: row.id,
  accountId: row.account_id,
  email: row.email,
  role: row.role,
  invitedBy: row.invited_by,
  invitedAt: row.invited_at,
  expiresAt: row.expires_at,
  joinedAt: row.joined_at,
  signedOutAt: row.signed_out_at,
  keptSession: row.kept_session,
})

const live = (db: Db) => db.selectFrom('members').selectAll().where('ended_at', 'is', null)

export async function insertMember(db: Db, member: Member): Promise<void> {
  await db
    .insertInto('members')
    .values({
      id: member.id,
      account_id: member.accountId,
      email: member.email,
      role: member.role,
      invited_by: member.invitedBy,
      invited_at: member.invitedAt,
      expires_at: member.expiresAt,
      joined_at: member.joinedAt,
      ended_at: null,
    })
    .execute()
}

interface OfAccount {
  accountId: string
  id: string
}

export async function findMember(db: Db, { accountId, id }: OfAccount): Promise<Member | undefined> {
  const row = await live(db).where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst()
  return row && toMember(row)
}

export async function findMemberByEmail(
  db: Db,
  { accountId, email }: { accountId: string; email: string },
): Promise<Member | undefined> {
  const row = await live(db).where('account_id', '=', accountId).where('email', '=', email).executeTakeFirst()
  return row && toMember(row)
}

/** Everybody of an account, those who are there before those who are invited. */
export async function listMembers(db: Db, accountId: string): Promise<Member[]> {
  const rows = await live(db).where('account_id', '=', accountId).orderBy('invited_at').orderBy('id').execute()
  return rows.map(toMember).sort((one, other) => Number(one.joinedAt === null) - Number(other.joinedAt === null))
}

/** Names of those who were ever there, for the list of what was done. */
export async function listNames(db: Db, accountId: string): Promise<{ id: string; email: string }[]> {
  return db
    .selectFrom('members')
    .select(['id', 'email'])
    .where('account_id', '=', accountId)
    .orderBy('invited_at')
    .execute()
}

/** Who hears of what is technical: the developers who are there; where there are none, the owners. */
export async function listDevelopers(db: Db, accountId: string): Promise<Member[]> {
  const there = (await listMembers(db, accountId)).filter(({ joinedAt }) => joinedAt !== null)
  const developers = there.filter(({ role }) => role === 'developer')
  return developers.length > 0 ? developers : there.filter(({ role }) => role === 'owner')
}

/** Ends every session of a person but one, wherever they are a member. */
export async function signOutPerson(
  db: Db,
  { email, keep, now }: { email: string; keep: string | null; now: number },
): Promise<void> {
  await db.updateTable('members').set({ signed_out_at: now, kept_session: keep }).where('email', '=', email).execute()
}

/** Holds a person until the transaction ends, so that what they may have is counted by one at a time. */
export async function lockPerson(db: Db, email: string): Promise<void> {
  await db
    .updateTable('members')
    .set(({ ref }) => ({ email: ref('email') }))
    .where('email', '=', email)
    .execute()
}

/** Where an address is, or is invited to and can still say yes. */
export async function listMembershipsOf(db: Db, email: string, now: number): Promise<Member[]> {
  const rows = await live(db)
    .where('email', '=', email)
    .where((where) => where.or([where('joined_at', 'is not', null), where('expires_at', '>', now)]))
    .orderBy('invited_at')
    .orderBy('id')
    .execute()
  return rows.map(toMember)
}

export async function hasOwner(db: Db, accountId: string): Promise<boolean> {
  const row = await live(db)
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .where('joined_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Invited → there; false when it is too late, or no invitation any more. */
export async function markJoined(db: Db, { accountId, id }: OfAccount, now: number): Promise<boolean> {
  const row = await db
    .updateTable('members')
    .set({ joined_at: now, expires_at: null })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('ended_at', 'is', null)
    .where('joined_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Somebody else owns the account, too. Call it with the account locked: two owners may leave at once. */
function anotherOwner(db: Db, { accountId, id }: OfAccount) {
  return db
    .selectFrom('members as others')
    .select('others.id')
    .where('others.account_id', '=', accountId)
    .where('others.role', '=', 'owner')
    .where('others.joined_at', 'is not', null)
    .where('others.ended_at', 'is', null)
    .where('others.id', '!=', id)
}

/** Gives a member another role; false when nobody would own the account any more. */
export async function updateRole(db: Db, of: OfAccount, role: Role): Promise<boolean> {
  let update = db
    .updateTable('members')
    .set({ role })
    .where('id', '=', of.id)
    .where('account_id', '=', of.accountId)
    .where('ended_at', 'is', null)
  if (role !== 'owner') {
    update = update.where(({ or, eb, exists }) =>
      or([eb('role', '!=', 'owner'), eb('joined_at', 'is', null), exists(anotherOwner(db, of))]),
    )
  }
  return (await update.returning('id').executeTakeFirst()) !== undefined
}

/** There or invited → gone; false when nobody would own the account any more. */
export async function markEnded(db: Db, of: OfAccount, now: number): Promise<boolean> {
  const row = await db
    .updateTable('members')
    .set({ ended_at: now })
    .where('id', '=', of.id)
    .where('account_id', '=', of.accountId)
    .where('ended_at', 'is', null)
    .where(({ or, eb, exists }) =>
      or([eb('role', '!=', 'owner'), eb('joined_at', 'is', null), exists(anotherOwner(db, of))]),
    )
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Invitations are worth as much as who has sent them: what they have open ends with them. */
export async function endInvitationsBy(db: Db, { accountId, id }: OfAccount, now: number): Promise<void> {
  await db
    .updateTable('members')
    .set({ ended_at: now })
    .where('account_id', '=', accountId)
    .where('invited_by', '=', id)
    .where('joined_at', 'is', null)
    .where('ended_at', 'is', null)
    .execute()
}

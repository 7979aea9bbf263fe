import type { Db } from '../../../kernel/db.ts'
import type { Role } from '../../../kernel/rights.ts'
import { rowsOf } from '../../../kernel/resource/records.ts'
import { type Member, member } from './member.ts'

const { toRecord, toRow } = rowsOf(member)

const live = (db: Db) => db.selectFrom('members').selectAll().where('ended_at', 'is', null)

const STAYS = { endedAt: null, signedOutAt: null, keptSession: null }

export async function insertMember(db: Db, person: Omit<Member, keyof typeof STAYS>): Promise<void> {
  const row = toRow({ ...STAYS, ...person })
  await db.insertInto('members').values(row).execute()
}

interface OfAccount {
  accountId: string
  id: string
}

export async function findMember(db: Db, { accountId, id }: OfAccount): Promise<Member | undefined> {
  const row = await live(db).where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst()
  return row && toRecord(row)
}

export async function findMemberByEmail(
  db: Db,
  { accountId, email }: { accountId: string; email: string },
): Promise<Member | undefined> {
  const row = await live(db).where('account_id', '=', accountId).where('email', '=', email).executeTakeFirst()
  return row && toRecord(row)
}

/** The people of an account, members before invited ones. */
export async function listMembers(db: Db, accountId: string): Promise<Member[]> {
  const rows = await live(db).where('account_id', '=', accountId).orderBy('invited_at').orderBy('id').execute()
  return rows.map(toRecord).sort((one, other) => Number(one.joinedAt === null) - Number(other.joinedAt === null))
}

/** Addresses of all present and former members, for the list of activity. */
export async function listNames(db: Db, accountId: string): Promise<{ id: string; email: string }[]> {
  return db
    .selectFrom('members')
    .select(['id', 'email'])
    .where('account_id', '=', accountId)
    .orderBy('invited_at')
    .execute()
}

/** The recipients of technical notices: the developers, or the owners where there are none. */
export async function listDevelopers(db: Db, accountId: string): Promise<Member[]> {
  const there = (await listMembers(db, accountId)).filter(({ joinedAt }) => joinedAt !== null)
  const developers = there.filter(({ role }) => role === 'developer')
  return developers.length > 0 ? developers : there.filter(({ role }) => role === 'owner')
}

/** Ends every session of a person except one, in all their accounts. */
export async function signOutPerson(
  db: Db,
  { email, keep, now }: { email: string; keep: string | null; now: number },
): Promise<void> {
  await db.updateTable('members').set({ signed_out_at: now, kept_session: keep }).where('email', '=', email).execute()
}

/** Locks a person until the transaction ends, so that concurrent checks of their limits run one after another. */
export async function lockPerson(db: Db, email: string): Promise<void> {
  await db
    .updateTable('members')
    .set(({ ref }) => ({ email: ref('email') }))
    .where('email', '=', email)
    .execute()
}

/** The accounts of an address, and its invitations that can still be accepted. */
export async function listMembershipsOf(db: Db, email: string, now: number): Promise<Member[]> {
  const rows = await live(db)
    .where('email', '=', email)
    .where((where) => where.or([where('joined_at', 'is not', null), where('expires_at', '>', now)]))
    .orderBy('invited_at')
    .orderBy('id')
    .execute()
  return rows.map(toRecord)
}

export async function hasOwner(db: Db, accountId: string): Promise<boolean> {
  const row = await live(db)
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .where('joined_at', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Turns an invited person into a member; false when the invitation has expired or ended. */
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

/** Requires another owner. Call it with the account locked, because two owners may leave at once. */
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

/** Changes a member's role; false when the account would have no owner left. */
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

/** Ends a membership or an invitation; false when the account would have no owner left. */
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

/** Ends the open invitations sent by somebody who leaves. */
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

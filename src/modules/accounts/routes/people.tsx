import { AppError } from '../../../kernel/errors.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { ROLES, type Role } from '../../../kernel/rights.ts'
import type { Route } from '../../../kernel/route.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { PeoplePage } from '../pages/people-page.tsx'
import { inviteMember } from '../people/invitation.ts'
import { type Member, hasOwner, listMembers } from '../people/members-store.ts'
import { changeRole, changerOf, handOver, removeMember } from '../people/members.ts'
import { readEmail } from '../wire-fields.ts'

const DONE = {
  invited: 'Invitation sent.',
  changed: 'Role changed.',
  removed: 'Removed and signed out.',
  withdrawn: 'Invitation withdrawn.',
  handed: 'Ownership transferred.',
}

interface PeoplePorts {
  store: StoreCtx
  /** Notifies every instance, because a role bounds the keys its member made. */
  tellStanding(accountId: string): void
  baseUrl(): string
}

/** Pages that invite and remove people and change their roles. */
export function peoplePages({ store, tellStanding, baseUrl }: PeoplePorts): readonly (Page | Form)[] {
  const list = async ({ frame, accountId, caller, may }: PageRequest, filled: FormState) => {
    const now = store.clock.now()
    // A key may act as an owner while there is none.
    const mayOwners = may('owners') && (frame.member !== undefined || !(await hasOwner(store.db, accountId)))
    const people = (await listMembers(store.db, accountId)).map((member) => ({
      ...member,
      status: statusOf(member, now),
      isSelf: member.id === caller.session?.member?.id,
      mayChange: mayOwners || member.role !== 'owner',
    }))
    const roles = ROLES.filter((role) => mayOwners || role !== 'owner')
    return <PeoplePage frame={frame} filled={filled} people={people} roles={roles} mayOwners={mayOwners} />
  }
  const placed = { section: '/people', permission: 'people', proof: true, again: list, done: DONE } as const
  const back = (word: keyof typeof DONE) => ({ to: `/dashboard/people?done=${word}` })
  return [
    {
      path: '/people',
      permission: 'people',
      done: DONE,
      menu: { title: 'People', group: 'settings', order: 68, guide: 'people' },
      render: (request) => list(request, EMPTY),
    },
    {
      ...placed,
      path: '/people',
      async run({ caller }, fields, idempotency) {
        const [email, role] = [readEmail({ email: fields.get('email') }), readRole({ role: fields.get('role') })]
        await inviteMember(store, { email, role, by: changerOf(caller), baseUrl: baseUrl(), idempotency })
        return back('invited')
      },
    },
    {
      ...placed,
      path: '/people/:id/role',
      async run({ caller, params }, fields) {
        const id = params.id!
        await changeRole(store, { id, role: readRole({ role: fields.get(`role-${id}`) }), by: changerOf(caller) })
        tellStanding(caller.accountId)
        return back('changed')
      },
    },
    {
      ...placed,
      path: '/people/:id/remove',
      async run({ caller, params }) {
        const { joinedAt } = await removeMember(store, { id: params.id!, by: changerOf(caller) })
        tellStanding(caller.accountId)
        return back(joinedAt === null ? 'withdrawn' : 'removed')
      },
    },
    {
      ...placed,
      path: '/people/:id/owner',
      async run({ caller, params }) {
        await handOver(store, { id: params.id!, by: changerOf(caller) })
        tellStanding(caller.accountId)
        return back('handed')
      },
    },
  ]
}

interface MemberPorts {
  store: StoreCtx
  /** Notifies every instance, because a role bounds the keys its member made. */
  tellStanding(accountId: string): void
  baseUrl(): string
}

/** The people of an account, under `/api/members`. */
export function memberRoutes({ store, tellStanding, baseUrl }: MemberPorts): readonly Route[] {
  const path = '/api/members'
  const show = (member: Member) => ({ member: showMember(member, store.clock.now()) })
  return [
    {
      door: 'account',
      scope: 'keys',
      permission: 'people',
      method: 'GET',
      path,
      async run({ caller }) {
        const members = await listMembers(store.db, caller.accountId)
        return { json: { members: members.map((member) => showMember(member, store.clock.now())) } }
      },
    },
    {
      door: 'account',
      scope: 'keys',
      permission: 'people',
      proof: true,
      method: 'POST',
      path,
      async run({ caller, body, once }) {
        const given = { email: readEmail(body()), role: readRole(body()), by: changerOf(caller), baseUrl: baseUrl() }
        const json = await once('members.invite', async (idempotency) =>
          show(await inviteMember(store, { ...given, idempotency })),
        )
        return { status: 201, json }
      },
    },
    {
      door: 'account',
      scope: 'keys',
      permission: 'people',
      proof: true,
      method: 'PUT',
      path: `${path}/:id`,
      async run({ caller, params, body }) {
        const role = readRole(body())
        const member = await changeRole(store, { id: params.id!, role, by: changerOf(caller) })
        tellStanding(caller.accountId)
        return { json: show(member) }
      },
    },
    {
      door: 'account',
      scope: 'keys',
      permission: 'people',
      proof: true,
      method: 'DELETE',
      path: `${path}/:id`,
      async run({ caller, params }) {
        await removeMember(store, { id: params.id!, by: changerOf(caller) })
        tellStanding(caller.accountId)
        return { json: { success: true, id: params.id! } }
      },
    },
    {
      door: 'account',
      scope: 'keys',
      permission: 'people',
      proof: true,
      method: 'POST',
      path: `${path}/:id/owner`,
      async run({ caller, params }) {
        const member = await handOver(store, { id: params.id!, by: changerOf(caller) })
        tellStanding(caller.accountId)
        return { json: show(member) }
      },
    },
  ]
}

function readRole({ role }: Readonly<Record<string, unknown>>): Role {
  const known = ROLES.find((one) => one === role)
  if (known === undefined) {
    throw new AppError('invalid_request', `role must be one of ${ROLES.join(', ')}.`, { body: { field: 'role' } })
  }
  return known
}

const toTime = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds).toISOString())

const statusOf = ({ joinedAt, expiresAt }: Member, now: number): 'active' | 'invited' | 'expired' =>
  joinedAt !== null ? 'active' : expiresAt! > now ? 'invited' : 'expired'

function showMember(member: Member, now: number): JsonObject {
  const { id, email, role, invitedAt, expiresAt, joinedAt } = member
  return {
    id,
    email,
    role,
    status: statusOf(member, now),
    invited_at: toTime(invitedAt),
    expires_at: toTime(expiresAt),
    joined_at: toTime(joinedAt),
  }
}

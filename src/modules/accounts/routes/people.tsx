import { answer } from '../../../kernel/answers.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { ROLES, type Role } from '../../../kernel/rights.ts'
import { readChange, readNew, refuseUnknown } from '../../../kernel/resource/read.ts'
import { exampleOf, show, shownSchema, takenSchema } from '../../../kernel/resource/resource.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { AccountCaller, Fields } from '../../../kernel/route.ts'
import { formBody } from '../../../web/dashboard/resource-form.tsx'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { PeoplePage } from '../pages/people-page.tsx'
import { inviteMember } from '../people/invitation.ts'
import { findMember, hasOwner, listMembers } from '../people/members-store.ts'
import { type Member, member, statusOf } from '../people/member.ts'
import { memberNotFound } from '../people/errors.ts'
import { changeRole, changerOf, handOver, removeMember } from '../people/members.ts'

const { text, bool, list, record } = answer
const DONE = {
  invited: 'Invitation sent.',
  kept: 'Invitation made, but not sent: this gateway has no mail server.',
  changed: 'Role changed.',
  removed: 'Removed and signed out.',
  withdrawn: 'Invitation withdrawn.',
  handed: 'Ownership transferred.',
}

interface PeoplePorts {
  store: StoreCtx
  /** Notifies every instance, because the role limits the keys that the member made. */
  announceStanding(accountId: string): void
  baseUrl(): string
}

interface PeoplePagePorts extends PeoplePorts {
  /** Whether there is no mail server: invitations are kept and not sent. */
  keepsMail: boolean
}

/** Pages that invite and remove people and change their roles. */
export function peoplePages({
  store,
  announceStanding,
  baseUrl,
  keepsMail,
}: PeoplePagePorts): readonly (Page | Form)[] {
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
    return <PeoplePage {...{ frame, filled, people, rules: { roles }, mayOwners, keepsMail }} />
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
        const invited = readNew(member, contextOf(store), formBody(member, contextOf(store), 'create', fields))
        await inviteMember(store, { ...invited, by: changerOf(caller), baseUrl: baseUrl(), idempotency })
        return back(keepsMail ? 'kept' : 'invited')
      },
    },
    {
      ...placed,
      path: '/people/:id/role',
      async run({ caller, params }, fields) {
        const id = params.id!
        await changeRole(store, {
          id,
          role: await readRole(store, caller, id, { role: fields.get(`role-${id}`) }),
          by: changerOf(caller),
        })
        announceStanding(caller.accountId)
        return back('changed')
      },
    },
    {
      ...placed,
      path: '/people/:id/remove',
      async run({ caller, params }) {
        const { joinedAt } = await removeMember(store, { id: params.id!, by: changerOf(caller) })
        announceStanding(caller.accountId)
        return back(joinedAt === null ? 'withdrawn' : 'removed')
      },
    },
    {
      ...placed,
      path: '/people/:id/owner',
      async run({ caller, params }) {
        await handOver(store, { id: params.id!, by: changerOf(caller) })
        announceStanding(caller.accountId)
        return back('handed')
      },
    },
  ]
}

const place = { tag: 'accounts', who: 'account', scope: 'keys', permission: 'people' } as const
const MEMBER = shownSchema(member)

const routes: readonly ApiRoute<PeoplePorts>[] = [
  {
    ...place,
    method: 'get',
    path: '/api/members',
    id: 'listMembers',
    summary: 'People of the account, and open invitations.',
    answer: record({ members: list(MEMBER) }),
    async run({ store }, { caller }) {
      const members = await listMembers(store.db, caller.accountId)
      return { json: { members: members.map((one) => show(member, contextOf(store), one)) } }
    },
  },
  {
    ...place,
    method: 'post',
    path: '/api/members',
    id: 'inviteMember',
    summary:
      'Invite an email address; its owner accepts within seven days on the page that the email links to, signed in with that address.',
    body: { schema: takenSchema(member, 'create'), example: exampleOf(member), isOfResource: true },
    status: 201,
    answer: record({ member: MEMBER }),
    refuses: [403, 409],
    proof: true,
    async run({ store, baseUrl }, { caller, body, once }) {
      const given = { ...readNew(member, contextOf(store), body()), by: changerOf(caller), baseUrl: baseUrl() }
      const json = await once('members.invite', async (idempotency) =>
        showMember(store, await inviteMember(store, { ...given, idempotency })),
      )
      return { status: 201, json }
    },
  },
  {
    ...place,
    method: 'put',
    path: '/api/members/{id}',
    id: 'changeMember',
    summary: 'Change the role of a member. There is always an owner.',
    body: { schema: takenSchema(member, 'change'), example: { role: 'manager' }, isOfResource: true },
    answer: record({ member: MEMBER }),
    refuses: [403, 409],
    proof: true,
    async run({ store, announceStanding }, { caller, params, body }) {
      refuseUnknown(member, body())
      const id = params.id!
      const role = await readRole(store, caller, id, body())
      const changed = await changeRole(store, { id, role, by: changerOf(caller) })
      announceStanding(caller.accountId)
      return { json: showMember(store, changed) }
    },
  },
  {
    ...place,
    method: 'delete',
    path: '/api/members/{id}',
    id: 'removeMember',
    summary: 'Remove a member, whose sessions end at once, or withdraw an invitation.',
    answer: record({ success: bool, id: text }),
    refuses: [403, 409],
    proof: true,
    async run({ store, announceStanding }, { caller, params }) {
      await removeMember(store, { id: params.id!, by: changerOf(caller) })
      announceStanding(caller.accountId)
      return { json: { success: true, id: params.id! } }
    },
  },
  {
    ...place,
    method: 'post',
    path: '/api/members/{id}/owner',
    id: 'handOver',
    summary: 'Hand the account over: this member becomes an owner, and the caller a manager.',
    answer: record({ member: MEMBER }),
    refuses: [403, 409],
    proof: true,
    async run({ store, announceStanding }, { caller, params }) {
      const member = await handOver(store, { id: params.id!, by: changerOf(caller) })
      announceStanding(caller.accountId)
      return { json: showMember(store, member) }
    },
  },
]

/** The people of an account, under `/api/members`. */
export const memberRoutes = (ports: PeoplePorts) => routesOf(routes, ports)
export const describedMemberRoutes = describedOf(routes)

async function readRole(store: StoreCtx, { accountId }: AccountCaller, id: string, body: Fields): Promise<Role> {
  const held = await findMember(store.db, { accountId, id })
  if (!held) throw memberNotFound()
  return readChange(member, contextOf(store), body, held).role ?? held.role
}

const contextOf = ({ clock }: StoreCtx) => ({ now: clock.now() })
const showMember = (store: StoreCtx, one: Member) => ({ member: show(member, contextOf(store), one) })

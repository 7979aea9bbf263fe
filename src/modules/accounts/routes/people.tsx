import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { ROLES } from '../../../kernel/roles.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { PeoplePage } from '../pages/people-page.tsx'
import { changeRole, handOver } from '../people/change-role.ts'
import { changerOf } from '../people/changing.ts'
import { removeMember } from '../people/end-membership.ts'
import { inviteMember } from '../people/invite.ts'
import { hasOwner, listMembers } from '../people/members-store.ts'
import { readRole, statusOf } from '../people/wire-fields.ts'
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
  /** What people may do bounds the keys they made: every instance looks again. */
  tellStanding(accountId: string): void
  baseUrl(): string
}

/** The people of an account: invited, given a role, removed. */
export function peoplePages({ store, tellStanding, baseUrl }: PeoplePorts): readonly (Page | Form)[] {
  const list = async ({ frame, accountId, caller, may }: PageRequest, filled: FormState) => {
    const now = store.clock.now()
    // A key stands in for owners as long as there is none.
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
      menu: { title: 'People', order: 68, guide: 'people' },
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

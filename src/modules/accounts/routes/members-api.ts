import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Route } from '../../../kernel/route.ts'
import { changeRole, handOver } from '../people/change-role.ts'
import { changerOf } from '../people/changing.ts'
import { removeMember } from '../people/end-membership.ts'
import { inviteMember } from '../people/invite.ts'
import { type Member, listMembers } from '../people/members-store.ts'
import { readRole, showMember } from '../people/wire-fields.ts'
import { readEmail } from '../wire-fields.ts'

interface MemberPorts {
  store: StoreCtx
  /** What people may do bounds the keys they made: every instance looks again. */
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

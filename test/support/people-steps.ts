import type { TestContext } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { acceptInvitation } from '../../src/modules/accounts/people/accept.ts'
import { inviteMember } from '../../src/modules/accounts/people/invite.ts'
import { findMemberByEmail } from '../../src/modules/accounts/people/members-store.ts'
import { openRoutes } from './mounted-routes.ts'

type Role = Parameters<typeof inviteMember>[1]['role']

/** An account whose owner invites others. */
export async function openPeople(t: TestContext, engine: StoreEngine) {
  const world = await openRoutes(t, { engine })
  const { ctx } = world
  const shop = await world.join('owner@example.com')
  const { accountId } = shop
  const owner = (await findMemberByEmail(ctx.db, { accountId, email: 'owner@example.com' }))!
  const by = (id: string | undefined) => ({ accountId, actor: id ?? accountId, memberId: id })
  const invite = (email: string, role: Role, memberId = owner.id) =>
    inviteMember(ctx, { email, role, by: by(memberId), baseUrl: 'https://pay.example' })
  const bring = async (email: string, role: Role) =>
    acceptInvitation(ctx, { email, id: (await invite(email, role)).id })
  return { world, ctx, shop, accountId, owner, by, invite, bring }
}

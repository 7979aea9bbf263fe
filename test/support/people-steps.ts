import { actorOf } from '../../src/kernel/actor.ts'
import type { TestContext } from 'node:test'
import type { StoreEngine } from '../../src/kernel/dialect.ts'
import { acceptInvitation, inviteMember } from '../../src/modules/accounts/people/invitation.ts'
import { findMemberByEmail } from '../../src/modules/accounts/people/members-store.ts'
import { insertMember } from '../../src/modules/accounts/people/members-store.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { Sessions } from '../../src/modules/accounts/index.ts'
import { openRoutes } from './mounted-routes.ts'
import { testRandom } from './random.ts'
import { openWorld } from './world.ts'

type Role = Parameters<typeof inviteMember>[1]['role']

/** An account whose owner invites others. */
export async function openPeople(t: TestContext, engine: StoreEngine) {
  const world = await openRoutes(t, { engine })
  const { ctx } = world
  const shop = await world.join('owner@example.com')
  const { accountId } = shop
  const owner = (await findMemberByEmail(ctx.db, { accountId, email: 'owner@example.com' }))!
  const by = (id: string | undefined) => ({
    accountId,
    actor: id === undefined ? actorOf.key('key_none') : actorOf.person(id),
  })
  const invite = (email: string, role: Role, memberId = owner.id) =>
    inviteMember(ctx, { email, role, by: by(memberId), baseUrl: 'https://pay.example' })
  const bring = async (email: string, role: Role) =>
    acceptInvitation(ctx, { email, id: (await invite(email, role)).id })
  return { world, ctx, shop, accountId, owner, by, invite, bring }
}

/** An account with people in every role, at one or several gateways on one store. All requests use HTTP. */
export async function openStaff(t: TestContext, engine: StoreEngine, env: Record<string, string> = {}) {
  const world = await openWorld(t, engine)
  const secretKey = testRandom.bytes(32)
  const start = () => world.start({ SECRET_KEY: Buffer.from(secretKey).toString('base64'), ...env })
  const gateway = await start()
  const { ctx } = gateway
  const { accountId, key } = await gateway.join({ email: 'owner@example.com' })
  const sessions = new Sessions({ ...ctx, secrets: openSecretBox(secretKey, testRandom) })
  const owner = await sessions.create(accountId)
  const bring = async (name: string, role: Role) => {
    const id = ctx.ids.next('mem')
    const joined = { invitedBy: null, invitedAt: 1, expiresAt: null, joinedAt: 1 }
    await insertMember(ctx.db, { id, accountId, email: `${name}@example.com`, role, ...joined })
    return { id, token: await sessions.create(accountId, { memberId: id }) }
  }
  return { world, start, gateway, ctx, accountId, key, sessions, owner, bring }
}

import { actorOf } from '../../src/kernel/actor.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import { Sessions } from '../../src/modules/accounts/index.ts'
import { acceptInvitation, inviteMember } from '../../src/modules/accounts/people/invitation.ts'
import { findMemberByEmail } from '../../src/modules/accounts/people/members-store.ts'
import { testRandom } from '../support/random.ts'

/** Members of the account that owns the wallets. */
export interface Staff {
  /** A new manager, with a session as fresh as after signing in. */
  hire(): Promise<{ id: string; token: string }>
}

export const OWNER = 'owner@chaos.example'

export async function openStaff(
  ctx: StoreCtx,
  { accountId, secretKey }: { accountId: string; secretKey: string },
): Promise<Staff> {
  const secrets = openSecretBox(new Uint8Array(Buffer.from(secretKey, 'base64')), testRandom)
  const sessions = new Sessions({ ...ctx, secrets })
  const owner = (await findMemberByEmail(ctx.db, { accountId, email: OWNER }))!
  const by = { accountId, actor: actorOf.person(owner.id) }
  let hired = 0
  return {
    async hire() {
      const email = `manager-${hired++}@chaos.example`
      const { id } = await inviteMember(ctx, { email, role: 'manager', by, baseUrl: 'https://chaos.example' })
      await acceptInvitation(ctx, { email, id })
      return { id, token: await sessions.create(accountId, { memberId: id }) }
    },
  }
}

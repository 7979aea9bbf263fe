import { systemClock } from '../../src/infra/clock.ts'
import { openIds } from '../../src/infra/ids.ts'
import { systemRandom } from '../../src/infra/random.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { createAccount, issueKey } from '../../src/modules/accounts/index.ts'
import type { Gateway } from '../support/gateway.ts'

/** The secret key of a new account without any right of an administrator. */
export async function openCustomer(
  { app: { store } }: Pick<Gateway, 'app'>,
  clock: Clock = systemClock,
): Promise<string> {
  const wakeJobs = () => store.notices.publish('jobs', '')
  const ctx = { db: store.db, clock, random: systemRandom, ids: openIds(systemRandom), wakeJobs }
  const { id: accountId } = await createAccount(ctx, { email: null, role: 'user', actor: 'test' })
  return (await issueKey(ctx, { accountId, kind: 'secret', name: 'Customer', actor: 'test' })).text
}

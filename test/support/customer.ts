import { openIds } from '../../src/infra/ids.ts'
import { systemClock } from '../../src/infra/clock.ts'
import { systemRandom } from '../../src/infra/random.ts'
import type { KeyKind } from '../../src/kernel/api-key.ts'
import type { StoreCtx } from '../../src/kernel/in-tx.ts'
import type { Clock } from '../../src/kernel/ports.ts'
import { createAccount, grantCredits, issueKey } from '../../src/modules/accounts/index.ts'
import type { Gateway } from './gateway.ts'
import { hearFailures } from './failures.ts'

/** An account of a gateway, with a key of its own. */
export interface Customer {
  accountId: string
  key: string
  headers: { authorization: string }
  /** Another key of the same account. */
  issue(kind: KeyKind, origins?: string[]): Promise<string>
  grant(credits: number): Promise<void>
}

export async function openCustomer({ app }: Pick<Gateway, 'app'>, clock: Clock = systemClock): Promise<Customer> {
  const { db, notices } = app.store
  const wakeJobs = () => notices.publish('jobs', '')
  const ctx: StoreCtx = {
    db,
    clock,
    random: systemRandom,
    ids: openIds(systemRandom),
    wakeJobs,
    failures: hearFailures(),
  }
  const { id: accountId } = await createAccount(ctx, { email: null, role: 'user', actor: 'test' })
  const issue: Customer['issue'] = async (kind, origins = []) =>
    (await issueKey(ctx, { accountId, kind, name: 'test', origins, actor: 'test' })).text
  const key = await issue('secret')
  let grants = 0
  return {
    accountId,
    key,
    headers: { authorization: `Bearer ${key}` },
    issue,
    grant: async (amount) => {
      const reference = `test:${accountId}:${grants++}`
      await grantCredits(ctx, { accountId, amount, reason: 'test', reference, actor: 'test' })
    },
  }
}

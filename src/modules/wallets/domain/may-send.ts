import type { Db } from '../../../kernel/db.ts'
import { hasFeature } from '../../accounts/index.ts'
import { sendsDisabled, sendsFrozen } from '../errors.ts'
import { areSendsFrozen } from '../freezes-store.ts'
import type { WalletContext } from '../context.ts'

/** Whether an account's wallets, or those of the service, may send now: by the settings, and by freezes that an operator has set since. */
export const maySend = async ({ rules, store }: Pick<WalletContext, 'rules' | 'store'>, accountId: string | null) =>
  rules.sendsAllowed && !(await areSendsFrozen(store.db, accountId))

/** Refuses a send while its account may not send. Sends queued before wait, and are cancelled at their deadline. */
export async function requireSends(
  db: Db,
  { rules }: Pick<WalletContext, 'rules'>,
  accountId: string | null,
): Promise<void> {
  if (!rules.sendsAllowed) throw sendsDisabled()
  const [isOn, isFrozen] = await Promise.all([
    accountId === null || hasFeature(db, accountId, 'wallet_sends', true),
    areSendsFrozen(db, accountId),
  ])
  if (!isOn) throw sendsDisabled()
  if (isFrozen) throw sendsFrozen()
}

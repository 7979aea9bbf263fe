import type { Config } from './config.ts'
import type { Job } from './kernel/job.ts'
import type { Notices } from './kernel/ports.ts'
import type { Sales } from './kernel/sales.ts'
import { whenOver } from './kernel/when-over.ts'
import type { StoredKeys } from './modules/accounts/index.ts'
import {
  CREDITS,
  type Learn,
  type Settlement,
  describeOrder,
  giveCredits,
  refundUnauthorized,
  resumeOrder,
  settlePayment,
} from './modules/billing/index.ts'
import type { NameBook } from './modules/names/index.ts'
import { NAME, NAME_UPDATE, changeName, leaseName } from './modules/usernames/index.ts'
import { type WalletCtx, treasury } from './modules/wallets/index.ts'

/** The notice by which instances learn that a name has changed. */
export const NAME_NOTICE = 'name'
/** The notice by which instances learn that an account has credits. */
const CREDITS_NOTICE = 'credits'

interface SalesNeeds {
  wallets: WalletCtx
  notices: Notices
  names: NameBook
  keys: StoredKeys
  /** Addresses to which nothing can be sent back. */
  exchanges: ReadonlySet<string>
}

/** What the service sells on its own account, and who gives it. */
export function openSales(
  config: Pick<Config, 'namePlans' | 'nameUpdatePrice' | 'creditPlans' | 'offersPerDayMax'>,
  { wallets, notices, names, keys, exchanges }: SalesNeeds,
): Sales & { jobs: Job[] } {
  const { namePlans, nameUpdatePrice, creditPlans, offersPerDayMax } = config
  const onChange = (key: string) => notices.publish(NAME_NOTICE, key)
  notices.subscribe(CREDITS_NOTICE, (accountId) => keys.forgetAccount(accountId))
  // A notice may be late or lost; who is told here that something was given must be able to use it here.
  const learn: Learn = ({ kind, subject, accountId }) => {
    if (kind === CREDITS && accountId !== null) keys.forgetAccount(accountId)
    return kind === NAME || kind === NAME_UPDATE ? names.learn(subject) : undefined
  }
  const settlement: Settlement = {
    fulfil: {
      [CREDITS]: giveCredits((accountId) => notices.publish(CREDITS_NOTICE, accountId)),
      [NAME]: leaseName(onChange),
      [NAME_UPDATE]: changeName(onChange),
    },
    isExchange: (address) => exchanges.has(address),
    onRefund: (walletId) => {
      // What fails here is taken up by the jobs of wallets.
      void whenOver(wallets.custody.advance(walletId))
    },
  }
  return {
    rules: { namePlans, nameUpdatePrice, creditPlans, offersPerDayMax },
    treasuryAddress: async () => (await treasury(wallets)).address,
    settle: (tx, payment) => settlePayment(settlement, tx, payment),
    resume: (tx, checkoutId) => resumeOrder(settlement, tx, checkoutId),
    describe: (db, checkoutId) => describeOrder(db, checkoutId, learn),
    jobs: [refundUnauthorized(settlement, wallets.store)],
  }
}

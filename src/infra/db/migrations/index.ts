import type { Kysely } from 'kysely'
import type { Engine } from '../../../kernel/dialect.ts'
import { up as accounts } from './0001-accounts.ts'
import { up as credits } from './0002-credits.ts'
import { up as jobs } from './0003-jobs.ts'
import { up as freeUses } from './0004-free-uses.ts'
import { up as works } from './0005-works.ts'
import { up as wallets } from './0006-wallets.ts'
import { up as webhooks } from './0007-webhooks.ts'
import { up as checkouts } from './0008-checkouts.ts'
import { up as x402 } from './0009-x402.ts'
import { up as reps } from './0010-reps.ts'
import { up as swaps } from './0011-swaps.ts'
import { up as walletThaw } from './0012-wallet-thaw.ts'
import { up as walletBlockOrder } from './0013-wallet-block-order.ts'
import { up as names } from './0014-names.ts'
import { up as emailPayments } from './0015-email-payments.ts'
import { up as faucet } from './0016-faucet.ts'
import { up as endedSessions } from './0017-ended-sessions.ts'
import { up as storeFacts } from './0018-store-facts.ts'
import { up as deeds } from './0019-deeds.ts'
import { up as checkoutLooks } from './0020-checkout-looks.ts'
import { up as unauthorizedOrders } from './0021-unauthorized-orders.ts'
import { up as preparedWorks } from './0022-prepared-works.ts'

/** The one list of migrations, for both engines, in order. Names are for ever. */
export const MIGRATIONS: Record<string, (db: Kysely<unknown>, engine: Engine) => Promise<void>> = {
  '0001-accounts': accounts,
  '0002-credits': credits,
  '0003-jobs': jobs,
  '0004-free-uses': freeUses,
  '0005-works': works,
  '0006-wallets': wallets,
  '0007-webhooks': webhooks,
  '0008-checkouts': checkouts,
  '0009-x402': x402,
  '0010-reps': reps,
  '0011-swaps': swaps,
  '0012-wallet-thaw': walletThaw,
  '0013-wallet-block-order': walletBlockOrder,
  '0014-names': names,
  '0015-email-payments': emailPayments,
  '0016-faucet': faucet,
  '0017-ended-sessions': endedSessions,
  '0018-store-facts': storeFacts,
  '0019-deeds': deeds,
  '0020-checkout-looks': checkoutLooks,
  '0021-unauthorized-orders': unauthorizedOrders,
  '0022-prepared-works': preparedWorks,
}

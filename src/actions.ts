import type { Action } from './kernel/action.ts'
import type { Offered } from './kernel/module.ts'
import { ACCOUNT_ACTIONS } from './modules/accounts/index.ts'
import { BILLING_ACTIONS } from './modules/billing/index.ts'
import { CHECKOUT_ACTIONS } from './modules/checkout/index.ts'
import { EMAIL_ACTIONS } from './modules/email/index.ts'
import { FAUCET_ACTIONS } from './modules/faucet/index.ts'
import { LEDGER_ACTIONS } from './modules/ledger/index.ts'
import { MARKET_ACTIONS } from './modules/market/index.ts'
import { NAME_ACTIONS } from './modules/names/index.ts'
import { REP_ACTIONS } from './modules/reps/index.ts'
import { SWAP_ACTIONS } from './modules/swap/index.ts'
import { USERNAME_ACTIONS } from './modules/usernames/index.ts'
import { WALLET_ACTIONS } from './modules/wallets/index.ts'
import { WORK_ACTIONS } from './modules/work/index.ts'

/** What each room offers, for those who look before anything is opened: at settings, or at the description of the API. */
export const OFFERED: readonly Offered[] = [
  { name: 'names', actions: NAME_ACTIONS },
  { name: 'ledger', actions: LEDGER_ACTIONS },
  { name: 'accounts', actions: ACCOUNT_ACTIONS },
  { name: 'market', actions: MARKET_ACTIONS },
  { name: 'reps', actions: REP_ACTIONS },
  { name: 'work', actions: WORK_ACTIONS },
  { name: 'wallets', actions: WALLET_ACTIONS },
  { name: 'checkout', actions: CHECKOUT_ACTIONS },
  { name: 'billing', actions: BILLING_ACTIONS },
  { name: 'usernames', actions: USERNAME_ACTIONS },
  { name: 'email', actions: EMAIL_ACTIONS },
  { name: 'faucet', actions: FAUCET_ACTIONS },
  { name: 'swap', actions: SWAP_ACTIONS },
]

export const ACTIONS: readonly Action[] = OFFERED.flatMap(({ actions }) => actions)

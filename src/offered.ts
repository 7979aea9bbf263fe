import type { Action } from './kernel/action.ts'
import type { Offered } from './kernel/module.ts'
import { ACCOUNT_ACTIONS } from './modules/accounts/open.ts'
import { BILLING_ACTIONS } from './modules/billing/open.ts'
import { CHECKOUT_ACTIONS } from './modules/checkout/open.ts'
import { EMAIL_ACTIONS } from './modules/email/open.ts'
import { FAUCET_ACTIONS } from './modules/faucet/open.ts'
import { LEDGER_ACTIONS } from './modules/ledger/open.ts'
import { LINK_ACTIONS } from './modules/links/open.ts'
import { MARKET_ACTIONS } from './modules/market/open.ts'
import { NAME_ACTIONS } from './modules/names/open.ts'
import { REP_ACTIONS } from './modules/reps/open.ts'
import { SWAP_ACTIONS } from './modules/swap/open.ts'
import { USERNAME_ACTIONS } from './modules/usernames/open.ts'
import { WALLET_ACTIONS } from './modules/wallets/open.ts'
import { describedPayoutRoutes } from './modules/wallets/routes/api.ts'
import { WEBHOOK_ACTIONS } from './modules/webhooks/open.ts'
import { WORK_ACTIONS } from './modules/work/open.ts'
import { describedAccountRoutes } from './modules/accounts/routes/described.ts'
import { describedAdminRoutes } from './modules/admin/routes/api.ts'
import { describedCheckoutRoutes } from './modules/checkout/routes/api.ts'
import { describedEmailRoutes } from './modules/email/routes/api.ts'
import { describedLinkRoutes } from './modules/links/routes/api.ts'
import { describedNameRoutes } from './modules/names/routes.ts'
import { describedPosRoutes } from './modules/pos/routes/api.ts'
import { describedRepRoutes } from './modules/reps/routes.ts'
import { describedStatusRoutes } from './modules/status/routes.tsx'
import { describedSwapRoutes } from './modules/swap/routes.ts'
import { describedUsernameRoutes } from './modules/usernames/routes/api.ts'
import { describedWebhookRoutes } from './modules/webhooks/routes/api.ts'
import { describedX402Routes } from './modules/x402/routes.tsx'

/** What each module offers, known before anything is opened: used for configured prices and the description of the API. */
export const OFFERED: readonly Offered[] = [
  { name: 'names', actions: NAME_ACTIONS, described: describedNameRoutes },
  { name: 'ledger', actions: LEDGER_ACTIONS },
  { name: 'accounts', actions: ACCOUNT_ACTIONS, described: describedAccountRoutes },
  { name: 'market', actions: MARKET_ACTIONS },
  { name: 'reps', actions: REP_ACTIONS, described: describedRepRoutes },
  { name: 'webhooks', actions: WEBHOOK_ACTIONS, described: describedWebhookRoutes },
  { name: 'work', actions: WORK_ACTIONS },
  { name: 'x402', actions: [], described: describedX402Routes },
  { name: 'wallets', actions: WALLET_ACTIONS, described: describedPayoutRoutes },
  { name: 'email', actions: EMAIL_ACTIONS, described: describedEmailRoutes },
  { name: 'checkout', actions: CHECKOUT_ACTIONS, described: describedCheckoutRoutes },
  { name: 'links', actions: LINK_ACTIONS, described: describedLinkRoutes },
  { name: 'pos', actions: [], described: describedPosRoutes },
  { name: 'billing', actions: BILLING_ACTIONS },
  { name: 'usernames', actions: USERNAME_ACTIONS, described: describedUsernameRoutes },
  { name: 'faucet', actions: FAUCET_ACTIONS },
  { name: 'swap', actions: SWAP_ACTIONS, described: describedSwapRoutes },
  { name: 'status', actions: [], described: describedStatusRoutes },
  { name: 'admin', actions: [], described: describedAdminRoutes },
]

export const ACTIONS: readonly Action[] = OFFERED.flatMap(({ actions }) => actions)

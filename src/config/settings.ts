import { RETENTION_SETTINGS } from '../kernel/retention.ts'
import { SERVER_SETTINGS } from './server-settings.ts'
import { INFRA_SETTINGS } from '../infra/settings.ts'
import { TRACE_SETTINGS } from '../infra/traces/settings.ts'
import { DEVNET_SETTINGS } from '../devnet/settings.ts'
import { LIMIT_SETTINGS } from '../guard/settings.ts'
import { NAME_SETTINGS } from '../modules/names/settings.ts'
import { ACCOUNT_SETTINGS } from '../modules/accounts/settings.ts'
import { LEDGER_SETTINGS } from '../modules/ledger/settings.ts'
import { MARKET_SETTINGS } from '../modules/market/settings.ts'
import { REPRESENTATIVE_SETTINGS } from '../modules/reps/settings.ts'
import { WEBHOOK_SETTINGS } from '../modules/webhooks/settings.ts'
import { WORK_SETTINGS } from '../modules/work/settings.ts'
import { X402_SETTINGS } from '../modules/x402/settings.ts'
import { WALLET_SETTINGS } from '../modules/wallets/settings.ts'
import { CHECKOUT_SETTINGS } from '../modules/checkout/settings.ts'
import { BILLING_SETTINGS } from '../modules/billing/settings.ts'
import { USERNAME_SETTINGS } from '../modules/usernames/settings.ts'
import { EMAIL_SETTINGS } from '../modules/email/settings.ts'
import { FAUCET_SETTINGS } from '../modules/faucet/settings.ts'
import { SWAP_SETTINGS } from '../modules/swap/settings.ts'

/**
 * All settings. Each is declared by the module that uses it, with a default that works on a laptop. The printed table
 * and the documents are generated from this list.
 */
export const SETTINGS = {
  ...SERVER_SETTINGS,
  ...INFRA_SETTINGS,
  ...TRACE_SETTINGS,
  ...DEVNET_SETTINGS,
  ...LIMIT_SETTINGS,
  ...NAME_SETTINGS,
  ...ACCOUNT_SETTINGS,
  ...LEDGER_SETTINGS,
  ...MARKET_SETTINGS,
  ...REPRESENTATIVE_SETTINGS,
  ...WEBHOOK_SETTINGS,
  ...WORK_SETTINGS,
  ...X402_SETTINGS,
  ...WALLET_SETTINGS,
  ...CHECKOUT_SETTINGS,
  ...BILLING_SETTINGS,
  ...USERNAME_SETTINGS,
  ...EMAIL_SETTINGS,
  ...FAUCET_SETTINGS,
  ...SWAP_SETTINGS,
  ...RETENTION_SETTINGS,
} as const

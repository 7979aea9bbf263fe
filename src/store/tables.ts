import type { AccountTables } from '../modules/accounts/tables.ts'
import type { InfraTables } from '../infra/db/tables.ts'
import type { WorkTables } from '../modules/work/tables.ts'
import type { RepresentativeTables } from '../modules/reps/tables.ts'
import type { SwapTables } from '../modules/swap/tables.ts'
import type { WalletTables } from '../modules/wallets/tables.ts'
import type { WebhookTables } from '../modules/webhooks/tables.ts'
import type { CheckoutTables } from '../modules/checkout/tables.ts'
import type { LinkTables } from '../modules/links/tables.ts'
import type { PosTables } from '../modules/pos/tables.ts'
import type { NameTables } from '../modules/names/tables.ts'
import type { BillingTables } from '../modules/billing/tables.ts'
import type { X402Tables } from '../modules/x402/tables.ts'
import type { EmailTables } from '../modules/email/tables.ts'
import type { FaucetTables } from '../modules/faucet/tables.ts'
import type { StatusTables } from '../modules/status/tables.ts'

/** Every table, each declared by the room that owns it. Times are milliseconds, amounts of raw are text, JSON is text. */
export interface Tables
  extends
    AccountTables,
    InfraTables,
    WorkTables,
    RepresentativeTables,
    SwapTables,
    WalletTables,
    WebhookTables,
    CheckoutTables,
    LinkTables,
    PosTables,
    NameTables,
    BillingTables,
    X402Tables,
    EmailTables,
    FaucetTables,
    StatusTables {}

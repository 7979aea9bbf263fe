import { type OpenOptions, type Store, openStore as open } from '../infra/db/open.ts'
import type { Migrations, Tables } from '../kernel/db.ts'
import type { Clock } from '../kernel/ports.ts'
import { INFRA_MIGRATIONS } from '../infra/db/migrations/index.ts'
import { NAME_MIGRATIONS } from '../modules/names/migrations/index.ts'
import { ACCOUNT_MIGRATIONS } from '../modules/accounts/migrations/index.ts'
import { REPRESENTATIVE_MIGRATIONS } from '../modules/reps/migrations/index.ts'
import { WEBHOOK_MIGRATIONS } from '../modules/webhooks/migrations/index.ts'
import { WORK_MIGRATIONS } from '../modules/work/migrations/index.ts'
import { X402_MIGRATIONS } from '../modules/x402/migrations/index.ts'
import { WALLET_MIGRATIONS } from '../modules/wallets/migrations/index.ts'
import { CHECKOUT_MIGRATIONS } from '../modules/checkout/migrations/index.ts'
import { LINK_MIGRATIONS } from '../modules/links/migrations/index.ts'
import { POS_MIGRATIONS } from '../modules/pos/migrations/index.ts'
import { BILLING_MIGRATIONS } from '../modules/billing/migrations/index.ts'
import { EMAIL_MIGRATIONS } from '../modules/email/migrations/index.ts'
import { FAUCET_MIGRATIONS } from '../modules/faucet/migrations/index.ts'
import { STATUS_MIGRATIONS } from '../modules/status/migrations/index.ts'
import { SWAP_MIGRATIONS } from '../modules/swap/migrations/index.ts'
import { ACCOUNT_TABLES } from '../modules/accounts/tables.ts'
import { INFRA_TABLES } from '../infra/db/tables.ts'
import { WORK_TABLES } from '../modules/work/tables.ts'
import { REPRESENTATIVE_TABLES } from '../modules/reps/tables.ts'
import { SWAP_TABLES } from '../modules/swap/tables.ts'
import { WALLET_TABLES } from '../modules/wallets/tables.ts'
import { WEBHOOK_TABLES } from '../modules/webhooks/tables.ts'
import { CHECKOUT_TABLES } from '../modules/checkout/tables.ts'
import { LINK_TABLES } from '../modules/links/tables.ts'
import { POS_TABLES } from '../modules/pos/tables.ts'
import { NAME_TABLES } from '../modules/names/tables.ts'
import { BILLING_TABLES } from '../modules/billing/tables.ts'
import { X402_TABLES } from '../modules/x402/tables.ts'
import { EMAIL_TABLES } from '../modules/email/tables.ts'
import { FAUCET_TABLES } from '../modules/faucet/tables.ts'
import { STATUS_TABLES } from '../modules/status/tables.ts'

/** Changes of all modules in the order of their numbers, of which there is one sequence. */
export const MIGRATIONS: Migrations = inOrder(
  INFRA_MIGRATIONS,
  NAME_MIGRATIONS,
  ACCOUNT_MIGRATIONS,
  REPRESENTATIVE_MIGRATIONS,
  WEBHOOK_MIGRATIONS,
  WORK_MIGRATIONS,
  X402_MIGRATIONS,
  WALLET_MIGRATIONS,
  CHECKOUT_MIGRATIONS,
  LINK_MIGRATIONS,
  POS_MIGRATIONS,
  BILLING_MIGRATIONS,
  EMAIL_MIGRATIONS,
  FAUCET_MIGRATIONS,
  SWAP_MIGRATIONS,
  STATUS_MIGRATIONS,
)

/** Every table, ordered so that rows are copied after the rows that they refer to. */
export const TABLES = [
  ...ACCOUNT_TABLES,
  ...INFRA_TABLES,
  ...WORK_TABLES,
  ...REPRESENTATIVE_TABLES,
  ...SWAP_TABLES,
  ...WALLET_TABLES,
  ...WEBHOOK_TABLES,
  ...CHECKOUT_TABLES,
  ...LINK_TABLES,
  ...POS_TABLES,
  ...NAME_TABLES,
  ...BILLING_TABLES,
  ...X402_TABLES,
  ...EMAIL_TABLES,
  ...FAUCET_TABLES,
  ...STATUS_TABLES,
] as const satisfies readonly (keyof Tables)[]

/** Opens the store at an address and brings its schema up to date. */
export const openStore = (url: string, clock: Clock, options: Omit<OpenOptions, 'migrations'> = {}): Promise<Store> =>
  open(url, clock, { ...options, migrations: MIGRATIONS })

function inOrder(...modules: Migrations[]): Migrations {
  const all = modules.flatMap((module) => Object.entries(module)).sort(([a], [b]) => (a < b ? -1 : 1))
  all.forEach(([name], at) => {
    if (all[at - 1]?.[0].slice(0, 4) === name.slice(0, 4)) throw new Error(`Two migrations have the number of ${name}.`)
  })
  return Object.fromEntries(all)
}

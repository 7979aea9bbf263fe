import type { Kysely } from 'kysely'
import type {
  AccountsTable,
  ApiKeysTable,
  AuditEntriesTable,
  EndedSessionsTable,
  SessionSecretsTable,
  SignInLinksTable,
} from './accounts.ts'
import type {
  CheckoutPaymentsTable,
  CheckoutQuotesTable,
  CheckoutReservationsTable,
  CheckoutTimelineTable,
  CheckoutSightingsTable,
  CheckoutWatchersTable,
  CheckoutsTable,
  WatchedAddressesTable,
} from './checkouts.ts'
import type {
  CreditBalancesTable,
  CreditEntriesTable,
  CreditReservationsTable,
  FreeUsesTable,
  UsageBatchesTable,
  UsageDaysTable,
} from './credits.ts'
import type { EmailPaymentsTable, EmailRecipientsTable, EmailSuppressionsTable, EmailTokensTable } from './email.ts'
import type { FaucetClaimsTable } from './faucet.ts'
import type { IdempotencyTable, JobsTable, MailsTable } from './jobs.ts'
import type { RepDaysTable } from './reps.ts'
import type {
  DeliveriesTable,
  DeliveryAttemptsTable,
  DisabledWebhooksTable,
  EventPositionsTable,
  EventsTable,
  WebhookSecretsTable,
} from './webhooks.ts'
import type { UsernamesTable } from './names.ts'
import type { ServiceOrdersTable, ServicePaymentsTable } from './sales.ts'
import type { StoreFactsTable } from './store-facts.ts'
import type { SwapsTable } from './swaps.ts'
import type { WorksTable } from './works.ts'
import type {
  WalletBlocksTable,
  WalletCanariesTable,
  WalletKeysTable,
  WalletPlansTable,
  WalletsTable,
} from './wallets.ts'
import type { X402OffersTable, X402PaymentsTable } from './x402.ts'

/** Every table. Times are milliseconds, amounts of raw are text, JSON is text. */
export interface Tables {
  accounts: AccountsTable
  api_keys: ApiKeysTable
  sign_in_links: SignInLinksTable
  session_secrets: SessionSecretsTable
  ended_sessions: EndedSessionsTable
  audit_entries: AuditEntriesTable
  credit_balances: CreditBalancesTable
  credit_entries: CreditEntriesTable
  credit_reservations: CreditReservationsTable
  free_uses: FreeUsesTable
  usage_days: UsageDaysTable
  usage_batches: UsageBatchesTable
  jobs: JobsTable
  mails: MailsTable
  idempotency: IdempotencyTable
  works: WorksTable
  rep_days: RepDaysTable
  swaps: SwapsTable
  wallets: WalletsTable
  wallet_keys: WalletKeysTable
  wallet_canaries: WalletCanariesTable
  wallet_plans: WalletPlansTable
  wallet_blocks: WalletBlocksTable
  events: EventsTable
  event_positions: EventPositionsTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
  webhook_secrets: WebhookSecretsTable
  disabled_webhooks: DisabledWebhooksTable
  checkouts: CheckoutsTable
  checkout_reservations: CheckoutReservationsTable
  checkout_quotes: CheckoutQuotesTable
  checkout_payments: CheckoutPaymentsTable
  checkout_timeline: CheckoutTimelineTable
  checkout_sightings: CheckoutSightingsTable
  checkout_watchers: CheckoutWatchersTable
  watched_addresses: WatchedAddressesTable
  usernames: UsernamesTable
  service_orders: ServiceOrdersTable
  service_payments: ServicePaymentsTable
  x402_payments: X402PaymentsTable
  x402_offers: X402OffersTable
  email_payments: EmailPaymentsTable
  email_recipients: EmailRecipientsTable
  email_tokens: EmailTokensTable
  email_suppressions: EmailSuppressionsTable
  faucet_claims: FaucetClaimsTable
  store_facts: StoreFactsTable
}

/** A database or a transaction on one; store functions take it first. */
export type Db = Kysely<Tables>

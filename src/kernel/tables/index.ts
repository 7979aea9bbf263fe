import type { Kysely } from 'kysely'
import type {
  AccountsTable,
  ApiKeysTable,
  AuditEntriesTable,
  SessionSecretsTable,
  SignInLinksTable,
} from './accounts.ts'
import type {
  CreditBalancesTable,
  CreditEntriesTable,
  CreditReservationsTable,
  FreeUsesTable,
  UsageBatchesTable,
  UsageDaysTable,
} from './credits.ts'
import type { IdempotencyTable, JobsTable, MailsTable } from './jobs.ts'
import type { WorksTable } from './works.ts'
import type { X402OffersTable, X402PaymentsTable } from './x402.ts'

/** Every table. Times are milliseconds, amounts of raw are text, JSON is text. */
export interface Tables {
  accounts: AccountsTable
  api_keys: ApiKeysTable
  sign_in_links: SignInLinksTable
  session_secrets: SessionSecretsTable
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
  x402_payments: X402PaymentsTable
  x402_offers: X402OffersTable
}

/** A database or a transaction on one; store functions take it first. */
export type Db = Kysely<Tables>

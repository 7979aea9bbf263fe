import type { EmailPaymentsTable } from './store.ts'
import type { EmailRecipientsTable } from './recipients-store.ts'
import { encryptedIn } from '../../kernel/encrypted.ts'
/** The hash of a token that opens a share, in two halves: one to find it by and one to compare. */
interface EmailTokensTable {
  selector: string
  verifier: string
  recipient_id: string
  created_at: number
}

/** Addresses that want no mail about payments. */
interface EmailSuppressionsTable {
  email_hash: string
  created_at: number
}

export interface EmailTables {
  email_payments: EmailPaymentsTable
  email_recipients: EmailRecipientsTable
  email_tokens: EmailTokensTable
  email_suppressions: EmailSuppressionsTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const EMAIL_TABLES = [
  'email_payments',
  'email_recipients',
  'email_tokens',
  'email_suppressions',
] as const satisfies readonly (keyof EmailTables)[]

/** Binds an encrypted address to its row, so that it cannot be decrypted for another one. */
export const receiptContext = encryptedIn(
  { table: 'email_payments', columns: ['receipt'], key: ['id'] },
  (id) => `email-receipt:${id}`,
)
export const recipientContext = encryptedIn(
  { table: 'email_recipients', columns: ['email'], key: ['id'] },
  (id) => `email-recipient:${id}`,
)

export const EMAIL_ENCRYPTED = [receiptContext, recipientContext]

declare module '../../kernel/db.ts' {
  interface Tables extends EmailTables {}
}

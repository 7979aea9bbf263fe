import type { EmailPaymentsTable } from './store.ts'
import type { EmailRecipientsTable } from './recipients-store.ts'
import { encryptedIn } from '../../kernel/encrypted.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    email_payments: EmailPaymentsTable
    email_recipients: EmailRecipientsTable
    /** The hash of a token that opens a share, in two halves: one to find it by and one to compare. */
    email_tokens: {
      selector: string
      verifier: string
      recipient_id: string
      created_at: number
    }
    /** Addresses that want no mail about payments. */
    email_suppressions: {
      email_hash: string
      created_at: number
    }
  }
}

/** Ordered so that every table comes after the tables that it refers to. */
export const EMAIL_TABLES = ['email_payments', 'email_recipients', 'email_tokens', 'email_suppressions'] as const

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

import type { EmailRecipientsTable } from './recipients-store.ts'
import { encryptedIn } from '../../kernel/encrypted.ts'
/** Nano sent to email addresses. A wallet of its own takes the funding; unclaimed shares go to the refund address. */
export interface EmailPaymentsTable {
  id: string
  account_id: string
  wallet_id: string
  address: string
  refund_address: string
  status: 'waiting' | 'funded' | 'completed' | 'expired'
  /** The sum of the shares; the fee is added to it. */
  subtotal_raw: string
  fee_raw: string
  recipients: number
  /** The sender's name and message, as the sender wrote them. */
  sender: string | null
  message: string | null
  /** Encrypted email address for receipts. */
  receipt: string | null
  /** How long shares can be claimed, in milliseconds from the funding. */
  lifetime: number
  /** How many returns of surplus there were. */
  returns: number
  created_at: number
  fund_by: number
  funded_at: number | null
  expires_at: number | null
  /** When its owner asked to end it. */
  cancelled_at: number | null
  ended_at: number | null
  /** When names and addresses were deleted. */
  forgotten_at: number | null
  /** When the job must look at it again; null once it is over. */
  due_at: number | null
  /** The refund that is claimed by its link alone: no mail is sent, and lists of email payments leave it out. */
  link_for: string | null
}

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

/** In an order in which every reference exists already. */
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

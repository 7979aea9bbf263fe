/** Nano sent to mail addresses. A wallet of its own takes the funding; unclaimed shares go to the refund address. */
export interface EmailPaymentsTable {
  id: string
  account_id: string
  wallet_id: string
  address: string
  refund_address: string
  status: 'waiting' | 'funded' | 'completed' | 'expired'
  /** What the recipients get together; the fee comes on top. */
  subtotal_raw: string
  fee_raw: string
  recipients: number
  /** What the sender calls themselves, and says. */
  sender: string | null
  message: string | null
  /** Sealed mail address that gets receipts. */
  receipt: string | null
  /** How long shares can be claimed, in milliseconds from the funding. */
  lifetime: number
  /** How often something beyond the payment went back. */
  returns: number
  created_at: number
  fund_by: number
  funded_at: number | null
  expires_at: number | null
  /** When its owner wanted it to end. */
  cancelled_at: number | null
  ended_at: number | null
  /** When names and addresses were erased. */
  forgotten_at: number | null
  /** When the job has to look at it again; none once it is over. */
  due_at: number | null
  /** A refund that is fetched by its link alone: no mail is sent, and lists of payments by mail leave it out. */
  link_for: string | null
}

export interface EmailRecipientsTable {
  id: string
  payment_id: string
  position: number
  /** Sealed; none once it is forgotten. */
  email: string | null
  /** Keyed hash, so that mails to one address can be counted. */
  email_hash: string | null
  amount_raw: string
  status: 'queued' | 'sent' | 'claimed' | 'refunded'
  claim_address: string | null
  sent_at: number | null
  /** When its mail server refused the mail for good. */
  bounced_at: number | null
  ended_at: number | null
}

/** What opens a share: the hash of a token in two halves, one to find it by and one to compare. */
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

/** In an order in which references are already there. */
export const EMAIL_TABLES = [
  'email_payments',
  'email_recipients',
  'email_tokens',
  'email_suppressions',
] as const satisfies readonly (keyof EmailTables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends EmailTables {}
}

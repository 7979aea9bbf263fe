import type { Names } from '../../kernel/ports.ts'
import type { WalletRoom } from '../wallets/index.ts'
import type { EmailPorts } from './ports.ts'

/** What the verbs of payments by mail work with: a request has it, and so have jobs and pages. */
export interface EmailRoom extends WalletRoom {
  ports: EmailPorts
  names: Names
}

/** A sealed address opens in the row it was sealed for and in no other. */
export const receiptContext = (paymentId: string) => `email-receipt:${paymentId}`
export const recipientContext = (recipientId: string) => `email-recipient:${recipientId}`

/** Mailboxes are compared across all payments. */
export const fingerprintOf = ({ ports: { secrets } }: { ports: Pick<EmailPorts, 'secrets'> }, email: string) =>
  secrets.fingerprint('email', toMailbox(email))

/** Every spelling that reaches the same person, who should not get a mail for each: case, `+tag`, dots where they mean nothing. */
function toMailbox(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  const untagged = local.replace(/(?<=.)\+.*$/, '')
  const isGoogle = domain === 'gmail.com' || domain === 'googlemail.com'
  return isGoogle ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`
}

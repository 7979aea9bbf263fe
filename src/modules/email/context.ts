import type { Names } from '../../kernel/ports.ts'
import type { WalletContext } from '../wallets/index.ts'
import type { EmailPorts } from './ports.ts'

/** The context of every function of this module: requests, jobs and pages have one. */
export interface EmailContext extends WalletContext {
  ports: EmailPorts
  names: Names
}

/** A keyed hash by which mailboxes are compared across all payments. */
export const fingerprintOf = ({ ports: { secrets } }: { ports: Pick<EmailPorts, 'secrets'> }, email: string) =>
  secrets.fingerprint('email', toMailbox(email))

/** Reduces every spelling to the same mailbox (case, `+tag`, meaningless dots), so that spellings do not get around the limits. */
function toMailbox(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  const untagged = local.replace(/(?<=.)\+.*$/, '')
  const isGoogle = domain === 'gmail.com' || domain === 'googlemail.com'
  return isGoogle ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`
}

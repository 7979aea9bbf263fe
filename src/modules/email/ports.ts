import type { Raw } from '../../kernel/money.ts'
import type { SecretBox } from '../../kernel/ports.ts'

/** What payments by mail may do, from configuration; 0 means no limit. */
interface EmailRules {
  /** What every recipient after the first costs. */
  feeEach: Raw
  /** Recipients of an account in 24 hours. */
  recipientsPerDayMax: number
  /** Mails to one address in 24 hours, from all senders together. */
  mailsPerAddressMax: number
  /** How long after its end it is known who a payment went to; undefined is for ever. */
  addressesKept: number | undefined
}

/** Everything that payments by mail need beside store, wallets and names. */
export interface EmailPorts {
  rules: EmailRules
  links: {
    page(id: string): string
    check(id: string): string
    /** The token stands behind the `#`, which browsers keep to themselves. */
    claim(token: string): string
    decline(token: string): string
    claimPage(): string
    block(hash: string): string
  }
  secrets: SecretBox
}

import type { Raw } from '../../kernel/money.ts'
import type { SecretBox } from '../../kernel/ports.ts'

/** Rules for email payments, from the configuration; 0 means no limit. */
interface EmailRules {
  /** The fee for every recipient after the first. */
  feeEach: Raw
  /** Maximum of recipients of an account in 24 hours. */
  recipientsPerDayMax: number
  /** Maximum of mails to one address in 24 hours, from all senders together. */
  mailsPerAddressMax: number
  /** How long recipients are stored after the end of a payment; undefined means for ever. */
  addressesKept: number | undefined
}

/** What email payments need beside the store, wallets and names. */
export interface EmailPorts {
  rules: EmailRules
  links: {
    page(id: string): string
    check(id: string): string
    /** The token stands after the `#`, because browsers send that part of a URL to no server. */
    claim(token: string): string
    decline(token: string): string
    claimPage(): string
    block(hash: string): string
  }
  secrets: SecretBox
}

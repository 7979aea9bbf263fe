/** Who bought, as the merchant or the payer said; each is personal data. */
export interface BuyersTable {
  checkout_id: string
  owner: string
  name: string | null
  /** The address for the receipt. */
  email: string | null
  /** The language of mails. */
  language: string
  /** Whoever has the link to a paid checkout may still leave an address, and gets its receipt only. */
  given_by: 'merchant' | 'payer' | 'afterwards'
  /** How often the address was set. */
  changes: number
  created_at: number
  /** When the receipt was mailed. */
  receipt_at: number | null
}

/** Buyers, as the merchant or the payer has named them; each row is personal data. */
export interface BuyersTable {
  checkout_id: string
  owner: string
  name: string | null
  /** The address for the receipt. */
  email: string | null
  /** The language of mails. */
  language: string
  /** `afterwards`: every holder of the link to a paid checkout may leave an address, which gets only its receipt. */
  given_by: 'merchant' | 'payer' | 'afterwards'
  /** How often the address was set. */
  changes: number
  created_at: number
  /** When the receipt was mailed. */
  receipt_at: number | null
}

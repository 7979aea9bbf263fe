/** A gift of the faucet, written down before it is sent. The block is the payment `faucet:<id>` of the treasury. */
export interface FaucetClaimsTable {
  id: string
  account_id: string
  address: string
  amount_raw: string
  /** What the client calls its request, so that a repeated one is the same claim. */
  idempotency_key: string | null
  created_at: number
}

/** A payment by request, stored before it is sent and identified by the hash of its block. */
export interface X402PaymentsTable {
  block_hash: string
  /** The signed block in the node's form; every repetition sends exactly this. */
  block_json: string
  network: string
  payer: string
  previous: string
  amount_raw: string
  pay_to: string
  action: string
  /** The request with which it was first presented; it pays for no other. */
  body_fingerprint: string
  state: 'claimed' | 'pending' | 'settled' | 'action_failed' | 'served' | 'rejected'
  /** Changes with every claim, so that a process that has lost its claim cannot change the state. */
  fence: number
  /** When the claim expires. After that another process may claim the payment. */
  lease_until: number | null
  answer: string | null
  created_at: number
  updated_at: number
}

/** Recently offered terms, so that a change of price does not break a payment in progress. */
interface X402OffersTable {
  action: string
  pay_to: string
  amount_raw: string
  expires_at: number
}

export interface X402Tables {
  x402_payments: X402PaymentsTable
  x402_offers: X402OffersTable
}

/** Ordered so that every table comes after the tables that it refers to. */
export const X402_TABLES = ['x402_payments', 'x402_offers'] as const satisfies readonly (keyof X402Tables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends X402Tables {}
}

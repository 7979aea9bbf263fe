/** A payment by request, from the moment before it is sent. The hash is its only identity. */
export interface X402PaymentsTable {
  block_hash: string
  /** The signed block in the node's form; whatever is sent again is this. */
  block_json: string
  network: string
  payer: string
  previous: string
  amount_raw: string
  pay_to: string
  action: string
  /** The request that the payment was first presented with; it pays for no other. */
  body_fingerprint: string
  state: 'claimed' | 'pending' | 'settled' | 'action_failed' | 'served' | 'rejected'
  /** Changes with every claim, so that a process that lost it cannot move the state. */
  fence: number
  /** Until when a process works on it; one that died loses it. */
  lease_until: number | null
  answer: string | null
  created_at: number
  updated_at: number
}

/** Terms that were offered lately: a price that changes does not break a payment under way. */
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

/** In an order in which references are already there. */
export const X402_TABLES = ['x402_payments', 'x402_offers'] as const satisfies readonly (keyof X402Tables)[]

declare module '../../kernel/db.ts' {
  interface Tables extends X402Tables {}
}

/** What an account can spend now; never below zero. Always the sum of its entries less its open reservations. */
export interface CreditBalancesTable {
  account_id: string
  available: number
}

/** The ledger of credits: every change once, by its reference. */
export interface CreditEntriesTable {
  id: string
  account_id: string
  amount: number
  reason: string
  reference: string
  created_at: number
}

export interface CreditReservationsTable {
  id: string
  account_id: string
  amount: number
  status: 'open' | 'committed' | 'released'
  created_at: number
  expires_at: number
}

export interface UsageDaysTable {
  account_id: string
  day: string
  action: string
  count: number
}

/** Batches of usage that are counted already, so that a repeated flush changes nothing. */
export interface UsageBatchesTable {
  id: string
  created_at: number
}

/** What a caller has had for nothing, in a stretch of time that began with its first use. */
export interface FreeUsesTable {
  caller: string
  meter: string
  ends_at: number
  taken: number
}

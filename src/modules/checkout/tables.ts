import type { CheckoutTimelineTable } from './changes-store.ts'
import type { WatchedAddressesTable } from './watch-store.ts'
import type { CheckoutRefundsTable } from './refunds/store.ts'
import type { CheckoutPaymentsTable } from './payments-store.ts'
import type { CheckoutQuotesTable } from './reservations-store.ts'
import type { CheckoutReservationsTable } from './reservations-store.ts'
import type { BuyersTable } from './buyers/store.ts'
import type { CheckoutStatus, CheckoutsTable } from './record.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    checkouts: CheckoutsTable
    checkout_buyers: BuyersTable
    checkout_reservations: CheckoutReservationsTable
    checkout_quotes: CheckoutQuotesTable
    checkout_payments: CheckoutPaymentsTable
    /** The proof that the network has confirmed a payment. */
    checkout_proofs: {
      checkout_id: string
      block_hash: string
      proof: string
      created_at: number
    }
    checkout_refunds: CheckoutRefundsTable
    checkout_timeline: CheckoutTimelineTable
    /** An owner who waits for payments at an address. */
    checkout_watchers: {
      address: string
      owner: string
      since: number
      watched_until: number
      /** The look at the address from which the owner waits there; null in a store of 0.1. */
      look: number | null
      look_height: number | null
    }
    watched_addresses: WatchedAddressesTable
    /** A send that lay on an address before later checkouts were made there, so it cannot pay those. */
    checkout_sightings: {
      address: string
      hash: string
      /** The first look that saw it; 0 for sends that a node's own time proved old. */
      look: number
    }
    /** Totals of an account's checkouts by the day they were made, split into parts that are added up. */
    checkout_sums: {
      owner: string
      /** Empty for checkouts without a key. */
      key_id: string
      /** Whole days since 1970, in UTC. */
      day: number
      status: CheckoutStatus
      currency: string
      part: number
      count: number
      raw: string
      e8: string
    }
    /** Totals of complete checkouts by the day they were paid. */
    checkout_paid_sums: {
      owner: string
      day: number
      currency: string
      part: number
      count: number
      raw: string
      e8: string
    }
    /** The last invoice number of an account. */
    invoice_counters: {
      owner: string
      last: number
    }
  }
}

/** Ordered so that every table comes after the tables that it refers to. Sums are left out, because each store computes its own. */
export const CHECKOUT_TABLES = [
  'checkouts',
  'checkout_buyers',
  'checkout_reservations',
  'checkout_quotes',
  'checkout_payments',
  'checkout_proofs',
  'checkout_refunds',
  'checkout_timeline',
  'checkout_watchers',
  'watched_addresses',
  'checkout_sightings',
  'invoice_counters',
] as const

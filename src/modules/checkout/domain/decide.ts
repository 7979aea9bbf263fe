import type { EventKind } from '../event-kinds.ts'
import type { AdditionalStatus, CheckoutStatus } from '../tables.ts'
import type { Raw } from '../../../kernel/money.ts'
import { SMALLEST_PRICE } from './amounts.ts'

/** What completes a checkout that sums: from `enoughRaw` on it is paid, beyond `fullRaw` it is paid too much. */
export interface Due {
  /** Index of the plan; undefined without plans. */
  plan: number | undefined
  enoughRaw: bigint
  fullRaw: Raw
}

/** What a checkout is like when a confirmed send arrives for it. */
export interface Standing {
  /** Whether payments are summed, or one must be exact. */
  sums: boolean
  status: CheckoutStatus
  additional: AdditionalStatus
  paidRaw: bigint
  /** What would complete it, smallest first; one for each plan, none for a donation. */
  dues: readonly Due[]
  expiresAt: number
  /** Whether its merchant takes what comes too late as if it were in time. */
  takesLate: boolean
}

interface Arrival {
  amountRaw: bigint
  /** When it was first known, here or to the node. */
  at: number
  /** Whether the amount is what a price in the money of a state was converted to, and still worth it. */
  worthIt: boolean
}

/** What a payment does to a checkout. */
export interface Decision {
  kind: 'counted' | 'late' | 'unmatched'
  status: CheckoutStatus
  additional: AdditionalStatus
  event: Extract<EventKind, 'payment.completed' | 'payment.partial' | 'payment.late'> | undefined
  /** The plan that was bought, where payments are summed, and what it cost. */
  plan: number | undefined
  fullRaw?: Raw | undefined
}

/**
 * The state table (contract 3) for one confirmed send. Pure, so that every row of it can be tried. `complete` is never
 * left, and nothing that is late, too little or meant for another price completes a checkout by itself.
 */
export function decide(standing: Standing, arrival: Arrival): Decision {
  return standing.sums ? decideSum(standing, arrival) : decideExact(standing, arrival)
}

const isClosed = (status: CheckoutStatus) => status === 'expired' || status === 'cancelled'

/** Paid again: the merchant hears of it, and can give it back. */
const paidAgain = ({ additional }: Standing): Decision => ({
  kind: 'counted',
  status: 'complete',
  additional: additional === 'marked' ? additional : 'overpaid',
  event: 'payment.late',
  plan: undefined,
})

function decideExact(standing: Standing, { at, worthIt }: Arrival): Decision {
  const { status, additional, expiresAt, takesLate } = standing
  const unchanged = { status, additional, plan: undefined }
  const completes = { kind: 'counted', status: 'complete', event: 'payment.completed', plan: undefined } as const
  if (status === 'complete') {
    // The service settles each block by itself: what it has sold once goes back without anybody's word.
    return takesLate ? { ...unchanged, kind: 'unmatched', event: undefined } : paidAgain(standing)
  }
  if (isClosed(status) || at > expiresAt || !worthIt) {
    if (takesLate) return { ...completes, additional: 'marked' }
    return { ...unchanged, kind: 'late', additional: 'paid_late', event: 'payment.late' }
  }
  return { ...completes, additional: 'none' }
}

function decideSum(standing: Standing, { amountRaw, at }: Arrival): Decision {
  const { status, additional, expiresAt, dues, paidRaw } = standing
  const unchanged = { status, additional, plan: undefined }
  const sum = paidRaw + amountRaw
  const met = dues.findLast(({ enoughRaw }) => sum >= enoughRaw)
  // A payer who gives what they like gives something; less than can be typed is noise.
  const isDonation = dues.length === 0
  const isEnough = isDonation ? amountRaw >= SMALLEST_PRICE : met !== undefined
  if (status === 'complete') {
    return isDonation ? { ...unchanged, kind: 'counted', event: undefined } : paidAgain(standing)
  }
  if (isClosed(status) || at > expiresAt) {
    const late = { ...unchanged, kind: 'late' } as const
    return isEnough ? { ...late, additional: 'paid_late', event: 'payment.late' } : { ...late, event: undefined }
  }
  if (isEnough) {
    const over = met !== undefined && sum > met.fullRaw
    return {
      kind: 'counted',
      status: 'complete',
      additional: over ? 'overpaid' : 'none',
      event: 'payment.completed',
      plan: met?.plan,
      fullRaw: met?.fullRaw,
    }
  }
  if (isDonation) return { ...unchanged, kind: 'unmatched', event: undefined }
  return { kind: 'counted', status: 'partial', additional, event: 'payment.partial', plan: undefined }
}

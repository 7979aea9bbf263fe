import type { EventKind } from '../event-kinds.ts'
import type { AdditionalStatus, CheckoutStatus } from '../record.ts'
import type { Raw } from '../../../kernel/money.ts'
import { SMALLEST_PRICE } from './amounts.ts'

/** A sum that completes a checkout: from `enoughRaw` on it is paid, beyond `fullRaw` it is overpaid. */
export interface Due {
  /** Index of the plan; undefined without plans. */
  plan: number | undefined
  enoughRaw: bigint
  fullRaw: Raw
}

/** The state of a checkout at the moment when a confirmed send arrives for it. */
export interface Standing {
  /** Whether payments are summed; otherwise one send must have the exact amount. */
  sums: boolean
  status: CheckoutStatus
  additional: AdditionalStatus
  paidRaw: bigint
  /** The sums that would complete it, smallest first; one for each plan, none for a donation. */
  dues: readonly Due[]
  expiresAt: number
  /** Whether late payments are accepted as if they had come in time. */
  takesLate: boolean
}

interface Arrival {
  amountRaw: bigint
  /** When the send was first known, to us or to the node. */
  at: number
  /** Whether a fiat price was converted to this amount and the amount is still worth that price. */
  worthIt: boolean
}

/** The effect of a payment on a checkout. */
export interface Decision {
  kind: 'counted' | 'late' | 'unmatched'
  status: CheckoutStatus
  additional: AdditionalStatus
  event: Extract<EventKind, 'payment.completed' | 'payment.partial' | 'payment.late'> | undefined
  /** Where payments are summed: the plan that was bought, and its price. */
  plan: number | undefined
  fullRaw?: Raw | undefined
}

/**
 * The state table (contract 3) for one confirmed send, as a pure function so that every row can be tested. A `complete` checkout keeps
 * its status, and a payment that is late, too small or meant for another price never completes a checkout automatically.
 */
export function decide(standing: Standing, arrival: Arrival): Decision {
  return standing.sums ? decideSum(standing, arrival) : decideExact(standing, arrival)
}

const isClosed = (status: CheckoutStatus) => status === 'expired' || status === 'cancelled'

/** A second payment of a paid checkout: the merchant gets an event and can refund it. */
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
    // The service settles each block separately: a second payment for something already sold is refunded automatically.
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
  // Where the payer decides the amount, any amount that people can type pays; smaller ones are noise.
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

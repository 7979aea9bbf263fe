import type { PaymentLink } from '../payment-link.ts'

export type LinkStatus = 'active' | 'paused' | 'sold_out' | 'ended'

/** The pieces left; undefined without a limit. Pieces in open checkouts may become available again. */
export function leftOf({ soldMax, sold, held }: PaymentLink): number | undefined {
  return soldMax === null ? undefined : Math.max(0, soldMax - sold - held)
}

export function statusOf(link: PaymentLink, now: number): LinkStatus {
  const left = leftOf(link)
  if (link.isPaused) return 'paused'
  if (link.endsAt !== null && link.endsAt <= now) return 'ended'
  return left !== undefined && left < link.quantityMin ? 'sold_out' : 'active'
}

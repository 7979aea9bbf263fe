import { together } from '../../../kernel/in-tx.ts'
import { findPayees } from '../../wallets/index.ts'
import { findPresented } from '../../x402/index.ts'
import type { CheckoutContext } from '../context.ts'
import { listReserved, listSumming, listWaiting } from '../claims-store.ts'
import type { Reservation } from '../reservations-store.ts'
import { BEFORE_LOOKS } from '../sightings-store.ts'
import { ANONYMOUS, type Checkout } from '../record.ts'
import { SMALLEST_PRICE } from './amounts.ts'
import { type Baseline, type IncomingSend, cameAfter } from './baseline.ts'

/** What a send means to one owner. */
export interface Claim {
  owner: string
  /** Undefined for a payment that fits no checkout. */
  checkout: Checkout | undefined
  reservation: Reservation | undefined
}

export interface Claims {
  claims: Claim[]
  /** The first look that saw the send on its address. */
  sightedAt: number | undefined
  /** True if only a node's time or the row of an x402 payment shows that the send pays no checkout; both may be different later. */
  isPassing: boolean
}

/**
 * At most one claim per owner, in the same order on every instance. An exact amount takes precedence over a sum. Sends
 * of the service itself and payments by request pay no checkout; both are recorded before their block is published, so
 * they are checked first. Anybody can present a payer's block to the facilitator, so a block presented there still pays
 * the checkout that alone has its amount or its address.
 */
export async function listClaims({ db, clock }: CheckoutContext, send: IncomingSend): Promise<Claims> {
  const { to, amountRaw, hash } = send
  const now = clock.now()
  const [{ watchers, sightedAt }, payees, presented, reserved, sums] = await together([
    listWaiting(db, to, hash),
    findPayees(db, hash),
    findPresented(db, hash),
    listReserved(db, to, amountRaw),
    listSumming(db, { address: to, now }),
  ])
  const isRequest = presented !== undefined && watchers.length > 0
  if (payees === 'nobody' || presented === 'here') return { claims: [], sightedAt, isPassing: isRequest }
  const claims = new Map<string, Claim>()
  let oldByTime = false
  const isNewFor = (baseline: Baseline) => {
    const isNew = cameAfter(send, sightedAt, baseline)
    oldByTime ||= !isNew && baseline.look === null && sightedAt !== BEFORE_LOOKS
    return isNew
  }
  const baselineOf = ({ owner, createdAt, look, lookHeight }: Checkout): Baseline => {
    // A checkout without its own look may have been moved to this address after it was made.
    const moved = look === null ? watchers.find((watcher) => watcher.owner === owner)?.since : undefined
    return { since: Math.max(createdAt, moved ?? 0), look, lookHeight }
  }
  for (const { reservation, checkout } of reserved) {
    const { owner } = reservation
    if (!isNewFor(baselineOf(checkout))) continue
    // A service may ask the same bare price at this address: the merchant knows which of the two was paid.
    const unmatched = owner === ANONYMOUS ? undefined : { owner, checkout: undefined, reservation: undefined }
    const claim = presented && checkout.barePrice ? unmatched : { owner, checkout, reservation }
    if (claim) claims.set(owner, claim)
  }
  const summing = sums.filter((one) => isNewFor(baselineOf(one)))
  const isOpen = ({ status }: Checkout) => status !== 'expired' && status !== 'cancelled' && status !== 'complete'
  for (const checkout of [...summing.filter(isOpen), ...summing.filter((one) => !isOpen(one))]) {
    const { owner } = checkout
    if (!claims.has(owner)) claims.set(owner, { owner, checkout, reservation: undefined })
  }
  // A send below the smallest price cannot have been meant to pay one.
  const mayBeMeant = amountRaw >= SMALLEST_PRICE && !presented
  for (const { owner, ...baseline } of mayBeMeant ? watchers : []) {
    if (owner !== ANONYMOUS && !claims.has(owner) && isNewFor(baseline)) {
      claims.set(owner, { owner, checkout: undefined, reservation: undefined })
    }
  }
  if (payees !== 'everybody') claims.delete(payees.everybodyBut)
  const inOrder = [...claims.values()].sort((a, b) => (a.owner < b.owner ? -1 : 1))
  return { claims: inOrder, sightedAt, isPassing: oldByTime || isRequest }
}

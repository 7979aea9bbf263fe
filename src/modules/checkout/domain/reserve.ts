import type { Raw } from '../../../kernel/money.ts'
import type { CheckoutRoom } from '../room.ts'
import { amountSpaceExhausted } from '../errors.ts'
import { countReservations, takeAmount } from '../reservations-store.ts'
import type { Checkout } from '../record.ts'
import { NEIGHBOURS_COUNTED_MAX, SMALLEST_PRICE, amountSpaces, fillWildcards, pickAmount } from './amounts.ts'

const TRIES_MAX = 32

interface ReservedFor {
  plan: number
  quote: number | null
  /** What a payer typed, and a fingerprint of who. */
  chosen?: string
  chosenBy?: string
}

type Place = Pick<Checkout, 'id' | 'owner' | 'address' | 'watchedUntil'>

/** Takes a free amount near a price. It stays taken until it cannot be paid late any more. */
export async function reserveNear(
  ctx: CheckoutRoom,
  checkout: Place,
  { price, ...what }: ReservedFor & { price: Raw },
): Promise<Raw> {
  const { address, owner } = checkout
  const neighbours = await countReservations(ctx.db, { address, owner, max: NEIGHBOURS_COUNTED_MAX })
  for (const space of amountSpaces(price, neighbours)) {
    const taken = await tryAmounts(ctx, checkout, what, () => pickAmount(ctx.random, space))
    if (taken !== undefined) return taken
  }
  throw amountSpaceExhausted()
}

/** Fills the digits that a price leaves open, and takes what comes out. */
export async function reserveFilled(ctx: CheckoutRoom, checkout: Place, text: string, plan: number): Promise<Raw> {
  const fill = () => {
    const amount = fillWildcards(ctx.random, text)
    return amount !== undefined && amount >= SMALLEST_PRICE ? amount : undefined
  }
  const taken = await tryAmounts(ctx, checkout, { plan, quote: null }, fill)
  if (taken === undefined) throw amountSpaceExhausted()
  return taken
}

async function tryAmounts(
  { db, clock }: CheckoutRoom,
  { id: checkoutId, owner, address, watchedUntil: releaseAt }: Place,
  { plan, quote, chosen, chosenBy }: ReservedFor,
  next: () => Raw | undefined,
): Promise<Raw | undefined> {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const amountRaw = next()
    if (amountRaw === undefined) continue
    const reservation = {
      address,
      amountRaw,
      owner,
      checkoutId,
      plan,
      quote,
      chosen: chosen ?? null,
      chosenBy: chosenBy ?? null,
    }
    if (await takeAmount(db, reservation, { now: clock.now(), releaseAt })) return amountRaw
  }
  return undefined
}

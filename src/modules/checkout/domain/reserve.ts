import type { Raw } from '../../../kernel/money.ts'
import { findWalletByAddress } from '../../wallets/index.ts'
import { addressInUse, addressKnown, amountSpaceExhausted } from '../errors.ts'
import type { AddressLook } from '../ports.ts'
import { type Checkout, NO_PLAN } from '../record.ts'
import { countReservations, takeAmount } from '../reservations-store.ts'
import type { CheckoutContext } from '../context.ts'
import { hasOrders, isAddressKnown } from '../watch-store.ts'
import {
  NEIGHBOURS_COUNTED_MAX,
  SMALLEST_PRICE,
  amountSpaces,
  endsInTail,
  fillWildcards,
  pickAmount,
} from './amounts.ts'

const TRIES_MAX = 32

interface ReservedFor {
  plan: number
  quote: number | null
  /** What a payer typed, and a fingerprint of that payer. */
  chosen?: string
  chosenBy?: string
}

type Place = Pick<Checkout, 'id' | 'owner' | 'address' | 'watchedUntil' | 'barePrice'>

/**
 * Reserves a free amount near a price, or the bare price if that was asked for, until it can no longer be paid late. An
 * amount that a payer types is never reserved without a tail, because another customer could pay it by mistake.
 */
export async function reserveNear(
  ctx: CheckoutContext,
  checkout: Place,
  { price, ...what }: ReservedFor & { price: Raw },
): Promise<Raw> {
  const { address, owner, barePrice } = checkout
  if (barePrice && what.chosen === undefined && (await tryAmounts(ctx, checkout, what, () => price, 1))) return price
  const neighbours = await countReservations(ctx.db, { address, owner, max: NEIGHBOURS_COUNTED_MAX })
  for (const space of amountSpaces(price, neighbours)) {
    const taken = await tryAmounts(ctx, checkout, what, () => pickAmount(ctx.random, space))
    if (taken !== undefined) return taken
  }
  throw amountSpaceExhausted()
}

/**
 * Fills the digits that a price leaves open, and reserves the result. Without a secret key, only digits small enough to be a tail are used
 * as they are: filling larger ones would be a way to reserve a bare price, and so to receive what another customer pays by mistake.
 * Where such digits are used up, the amount gets a tail.
 */
export async function reserveFilled(
  ctx: CheckoutContext,
  checkout: Place,
  { text, plan, namedBy }: { text: string; plan: number; namedBy: NamedBy },
): Promise<Raw> {
  const fill = () => {
    const amount = fillWildcards(ctx.random, text)
    return amount !== undefined && amount >= SMALLEST_PRICE ? amount : undefined
  }
  const isTail = endsInTail(text)
  if (namedBy === 'secret-key' || isTail) {
    const taken = await tryAmounts(ctx, checkout, { plan, quote: null }, fill)
    if (taken !== undefined) return taken
    // Larger digits belong to the account's secret keys, so they are not replaced by a tail.
    if (!isTail) throw amountSpaceExhausted()
  }
  return reserveNear(ctx, checkout, { price: fill() ?? SMALLEST_PRICE, plan, quote: null })
}

async function tryAmounts(
  { db, clock }: CheckoutContext,
  { id: checkoutId, owner, address, watchedUntil: releaseAt }: Place,
  { plan, quote, chosen, chosenBy }: ReservedFor,
  next: () => Raw | undefined,
  triesMax = TRIES_MAX,
): Promise<Raw | undefined> {
  for (let tries = 0; tries < triesMax; tries++) {
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

/** A price in nano, and how many amounts the owner has reserved at the address. */
export interface Near {
  price: Raw
  neighbours: number
}

/** An amount for a price that is most likely free. */
export function likelyAmount(
  { random }: CheckoutContext,
  { barePrice }: Pick<Checkout, 'barePrice'>,
  { price, neighbours }: Near,
): Raw | undefined {
  if (barePrice) return price
  const [space] = amountSpaces(price, neighbours)
  return space && pickAmount(random, space)
}

/** Thrown if another checkout has the amount that the transaction began with. */
export class AmountTaken extends Error {}

export async function takeLikely(ctx: CheckoutContext, checkout: Place, amount: Raw): Promise<void> {
  const taken = await tryAmounts(ctx, checkout, { plan: NO_PLAN, quote: null }, () => amount, 1)
  if (taken === undefined) throw new AmountTaken('The amount is taken.')
}

/** Who chose the address: a secret key, a public key through a template that a secret key made, or a caller without an account. */
export type NamedBy = 'secret-key' | 'public-key' | 'anonymous'

/**
 * A checkout that sums has its address to itself (contract 2, rule 25). Checked in the transaction that stores it, which must hold the
 * address already: of two at once, the second sees the first.
 */
export async function requireOwnAddress(
  { db, clock }: CheckoutContext,
  { id, address, owner, mode }: Checkout,
  { namedBy, seen }: { namedBy: NamedBy; seen: AddressLook | undefined },
): Promise<void> {
  if (mode !== 'unique_address') return
  if (namedBy === 'anonymous') {
    const isOnLedger = seen !== undefined && (seen.height > 0 || seen.waiting.length > 0)
    const isKnown = isOnLedger || (await isAddressKnown(db, { address, id }))
    if (isKnown || (await findWalletByAddress(db, address))) throw addressKnown()
    return
  }
  // Anybody can use a public key or a link of the account: checkouts made with these do not keep a secret key from an address.
  const alsoOfOthers = namedBy !== 'secret-key'
  if (await hasOrders(db, { address, owner, id, now: clock.now(), alsoOfOthers })) throw addressInUse()
}

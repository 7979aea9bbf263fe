import { overLimit } from '../../../kernel/errors.ts'
import { type Raw, formatNano } from '../../../kernel/money.ts'
import type { Rate } from '../../../kernel/ports.ts'
import { type CheckoutContext, inQuietTx } from '../context.ts'
import { badField, checkoutClosed, checkoutNotFound } from '../errors.ts'
import { type Reservation, countChoices, findChoice, findChosen, listQuotes } from '../reservations-store.ts'
import { type Checkout, NO_PLAN, OPEN_STATUSES } from '../record.ts'
import { findCheckout, lockCheckout } from '../store.ts'
import { readPrice } from '../price-fields.ts'
import { formatFiat } from './fiat.ts'
import { quoteChosen, rateNow } from './quote.ts'
import { reserveNear } from './reserve.ts'

/** How often one visitor may choose another amount; each choice keeps an amount reserved. */
const CHOICES_MAX = 20

/** The amount that one visitor of a page chose. No other visitor's page shows it, and the checkout stays open. */
export interface Choice {
  amountRaw: Raw
  /** In the currency of the checkout. */
  chosen: string
  /** Until when the amount is valid for a price that is not in nano. */
  quotedUntil: number | undefined
}

interface Choosing {
  amount: unknown
  /** The visitor's network address as text: limits apply to it. */
  visitor: string
}

/** Whether the payer decides the amount. */
export const isOpenAmount = ({ mode, price, plans }: Checkout) =>
  mode === 'unique_amount' && price === null && plans.length === 0

/**
 * Records the amount a payer chose where the merchant has set none: a unique amount near it is reserved from then on. A payer who
 * types the same price again gets the same amount.
 */
export async function chooseAmount(ctx: CheckoutContext, id: string, { amount, visitor }: Choosing): Promise<Choice> {
  const checkout = await findCheckout(ctx.db, id)
  if (!checkout) throw checkoutNotFound()
  const price = readPrice('amount', amount, checkout.currency)
  if (!price || price.kind === 'wildcards') throw badField('amount', 'Invalid amount number', 'invalid_amount')
  const chosen = price.kind === 'nano' ? formatNano(price.raw) : formatFiat(price.e8)
  const rate = price.kind === 'fiat' ? await rateNow(ctx, checkout.currency) : undefined
  const chosenBy = ctx.ports.secrets.fingerprint('checkout visitor', visitor)
  return inQuietTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    if (!held) throw checkoutNotFound()
    if (!OPEN_STATUSES.some((status) => status === held.status)) throw checkoutClosed(held.status)
    if (!isOpenAmount(held)) throw badField('amount', 'This checkout has a fixed price.', 'invalid_amount')
    const known = await findChosen(tx.db, id, chosen)
    const live = known && (await toChoice(tx, known))
    if (live && (live.quotedUntil === undefined || live.quotedUntil > tx.clock.now())) return live
    if ((await countChoices(tx.db, id, chosenBy)) >= CHOICES_MAX) throw tooManyChoices()
    return reserveChoice(tx, held, { chosen, chosenBy, rate, raw: price.kind === 'nano' ? price.raw : undefined })
  })
}

const tooManyChoices = () =>
  overLimit(`You can choose an amount up to ${CHOICES_MAX} times. Amounts you chose before can still be paid.`, 3_600, {
    field: 'amount',
  })

async function reserveChoice(
  tx: CheckoutContext,
  held: Checkout,
  { chosen, chosenBy, rate, raw }: { chosen: string; chosenBy: string; rate: Rate | undefined; raw: Raw | undefined },
): Promise<Choice> {
  const who = { chosen, chosenBy }
  if (rate) return { ...(await quoteChosen(tx, held, { rate, ...who })), chosen }
  const amountRaw = await reserveNear(tx, held, { price: raw!, plan: NO_PLAN, quote: null, ...who })
  return { amountRaw, chosen, quotedUntil: undefined }
}

/** Finds the choice that a visitor's page carries in its address; undefined when it does not exist. */
export async function readChoice(
  ctx: CheckoutContext,
  checkout: Checkout,
  given: unknown,
): Promise<Choice | undefined> {
  if (typeof given !== 'string' || !/^[0-9]{1,39}$/.test(given) || !isOpenAmount(checkout)) return undefined
  // Once paid, the page shows what was paid, whatever this visitor had chosen.
  if (!OPEN_STATUSES.some((status) => status === checkout.status)) return undefined
  const place = { checkoutId: checkout.id, address: checkout.address, amountRaw: BigInt(given) as Raw }
  const found = await findChoice(ctx.db, place)
  return found && toChoice(ctx, found)
}

async function toChoice({ db }: CheckoutContext, reservation: Reservation): Promise<Choice> {
  const { amountRaw, chosen, quote, checkoutId } = reservation
  const quotes = quote === null ? [] : await listQuotes(db, checkoutId)
  return { amountRaw, chosen: chosen!, quotedUntil: quotes.find(({ seq }) => seq === quote)?.expiresAt }
}

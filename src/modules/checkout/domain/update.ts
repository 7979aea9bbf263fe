import { type Actor } from '../../../kernel/actor.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import type { Rate } from '../../../kernel/ports.ts'
import type { AddressLook } from '../ports.ts'
import type { CheckoutMode } from '../record.ts'
import type { CheckoutContext } from '../context.ts'
import { badField, checkoutClosed, checkoutNotFound, fieldFixed, walletFixed } from '../errors.ts'
import { requireSameTotal } from '../invoices/invoice.ts'
import { requireFreeNumber } from '../invoices/numbers.ts'
import { listLatestQuotes, markSuperseded } from '../reservations-store.ts'
import { secretContext } from '../secret-context.ts'
import { updatePresentation, updateTerms } from '../changes-store.ts'
import type { Checkout } from '../record.ts'
import { findCheckout, findOwnCheckout, lockCheckout } from '../store.ts'
import {
  type PlanRequest,
  type PresentationRequest,
  readAddress,
  readBarePrice,
  readCurrency,
  readMode,
  readPlans,
  readPresentation,
  refuseUnproved,
} from '../wire-fields.ts'
import { type Price, readPrice } from '../price-fields.ts'
import { audit } from './mark.ts'
import { moveCheckout } from './move.ts'
import { priceTerms, refuseTooMany, watchFrom } from './open.ts'
import { requireOwnAddress } from './reserve.ts'
import { rateIfKnown } from './quote.ts'
import { holdAddress } from '../watch-store.ts'

interface UpdateRequest {
  id: string
  owner: string
  actor: Actor
  body: Readonly<Record<string, unknown>>
}

/** What a payer must pay: address, mode and price. */
interface NewTerms {
  /** The first field that differs from before. */
  field: string
  address: string
  mode: CheckoutMode
  currency: string
  price: Price | undefined
  plans: PlanRequest[]
  barePrice: boolean
}

/**
 * Changes an own checkout. Its texts may change until it is paid; address, mode and price only before anyone can have seen them
 * (contract 4.5, rule 7).
 */
export async function updateCheckout(
  ctx: CheckoutContext,
  { id, owner, actor, body }: UpdateRequest,
): Promise<Checkout> {
  const before = await findOwnCheckout(ctx.db, { id, owner })
  if (!before) throw checkoutNotFound()
  const { prices, rules } = ctx.ports
  refuseUnproved(ctx.ports, body, before.webhookProof)
  const { currencies } = prices
  const currency = body.currency === undefined ? before.currency : readCurrency(body.currency, currencies)
  const shown = readPresentation(body, { currencies, plainHttpAllowed: rules.plainHttpAllowed }, currency)
  const terms = readNewTerms(before, body, currencies)
  if (shown.webhookUrl && shown.webhookUrl !== before.webhookUrl)
    await ctx.ports.checkWebhookUrl(shown.webhookUrl, shown.webhookField)
  const rate = terms && (await rateIfKnown(ctx, terms.currency))
  const seen = terms && terms.address !== before.address ? await ctx.ports.look(terms.address) : undefined
  const updated = await inTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    if (!held || held.owner !== owner) throw checkoutNotFound()
    if (held.status === 'complete') throw checkoutClosed(held.status)
    const next = present(tx, held, shown)
    requireSameInvoice(next, terms)
    await updatePresentation(tx.db, id, next)
    await requireFreeNumber(tx.db, tx.ports.engine, next)
    if (terms) {
      if (held.servedAt !== null || held.seenAt !== null) throw fieldFixed(terms.field)
      if (held.status !== 'pending') throw checkoutClosed(held.status)
      await replaceTerms(tx, held, terms, { rate, seen })
    } else await moveCheckout(tx, held, { reason: 'changed by the merchant' })
    await audit(tx, { actor, owner, what: 'checkout.updated', detail: { id, fields: Object.keys(body) } })
    return (await findCheckout(tx.db, id))!
  })
  if (updated.address !== before.address) ctx.ports.watch(updated.address)
  ctx.ports.announce(id)
  return updated
}

/** A field that repeats the stored value changes nothing: forms send every field. */
function readNewTerms(
  before: Checkout,
  body: Readonly<Record<string, unknown>>,
  currencies: readonly string[],
): NewTerms | undefined {
  for (const name of ['address', 'currency', 'amount', 'plans', 'mode']) {
    if (body[name] === null || body[name] === '') throw badField(name, `${name} cannot be removed.`)
  }
  const given = readAddress(body.address)
  const address = given === undefined || given === before.merchantAddress ? before.address : given
  const mode = readMode(body, before.mode)
  const currency = body.currency === undefined ? before.currency : readCurrency(body.currency, currencies)
  const price = body.amount === undefined ? undefined : readPrice('amount', body.amount, currency)
  const plans = body.plans === undefined ? undefined : readPlans(body.plans, currency)
  const barePrice = mode === 'unique_amount' && (readBarePrice(body.random) ?? before.barePrice)
  const samePrice = price === undefined || price.text === before.price
  const samePlans =
    plans === undefined || JSON.stringify(plans.map(toValue)) === JSON.stringify(before.plans.map(toPair))
  const changed = {
    address: address !== before.address,
    mode: mode !== before.mode,
    currency: currency !== before.currency,
    amount: !samePrice,
    plans: !samePlans,
    random: barePrice !== before.barePrice,
  }
  const field = Object.entries(changed).find(([, isSo]) => isSo)?.[0]
  if (field === undefined) return undefined
  // A generated wallet belongs to one checkout and pays out to one address; it cannot be added or removed afterwards.
  const hasWallet = before.mode === 'generated_wallet' || mode === 'generated_wallet'
  if (hasWallet && (changed.address || changed.mode)) throw walletFixed(changed.mode ? 'mode' : 'address')
  return {
    field,
    address,
    mode,
    currency,
    price: price ?? readPrice('amount', before.price, currency),
    plans:
      plans ??
      readPlans(
        before.plans.map(({ title, value, discount }) => ({ title, value, discount })),
        currency,
      ),
    barePrice,
  }
}

/** Refuses a change after which the invoice and the price would differ. */
function requireSameInvoice(next: Checkout, terms: NewTerms | undefined): void {
  const { invoice, currency, price, plans } = next
  if (invoice === null) return
  requireSameTotal(invoice, terms ?? { currency, price: readPrice('amount', price, currency), plans })
}

const toValue = ({ title, price, discount }: PlanRequest) => [title, price.text, discount]
const toPair = ({ title, value, discount }: Checkout['plans'][number]) => [title, value, discount]

function present({ ports }: CheckoutContext, held: Checkout, shown: PresentationRequest) {
  const { webhookSecret: secret, webhookField: _, ...rest } = shown
  const encrypted = secret ? ports.secrets.encrypt(secretContext(held.id), secret) : null
  return { ...held, ...rest, webhookSecret: secret === undefined ? held.webhookSecret : encrypted }
}

/** The old amounts stay reserved as long as a payer might pay them; the merchant decides about such a payment. */
async function replaceTerms(
  tx: CheckoutContext,
  held: Checkout,
  { address, mode, currency, price, plans, barePrice }: NewTerms,
  { rate, seen }: { rate: Rate | undefined; seen: AddressLook | undefined },
): Promise<void> {
  await markSuperseded(tx.db, held.id)
  const moves = address !== held.address
  let next: Checkout = {
    ...held,
    ...(moves && { address, merchantAddress: address }),
    mode,
    barePrice,
    currency,
    price: price?.text ?? null,
    priceE8: price?.kind === 'fiat' ? price.e8 : undefined,
    plans: plans.map(({ title, price, discount }) => ({ title, value: price.text, discount, amountRaw: undefined })),
  }
  if (moves) {
    // Another change has moved the checkout after this one read its address from the ledger.
    if (!seen) throw fieldFixed('address')
    next = { ...next, ...(await watchFrom(tx, next, seen)) }
    // This transaction now holds the address, so each of many checkouts moved there at once counts those before it.
    await refuseTooMany(tx, next)
  }
  if (moves || mode !== held.mode) {
    await holdAddress(tx.db, address)
    await requireOwnAddress(tx, next, { namedBy: 'secret-key', seen })
  }
  const [latest] = await listLatestQuotes(tx.db, held.id)
  const amounts = await priceTerms(tx, next, { price, plans, rate, seq: (latest?.seq ?? 0) + 1, namedBy: 'secret-key' })
  await updateTerms(tx.db, next)
  await moveCheckout(tx, held, { ...amounts, reason: 'terms changed by the merchant' })
}

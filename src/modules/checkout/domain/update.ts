import { inTx } from '../../../kernel/in-tx.ts'
import type { CheckoutCtx } from '../ctx.ts'
import { checkoutClosed, checkoutNotFound, fieldFixed } from '../errors.ts'
import { listLatestQuotes, markSuperseded } from '../reservations-store.ts'
import { secretContext } from '../secret-context.ts'
import { updatePresentation, updatePrice } from '../changes-store.ts'
import { type Checkout, findCheckout, findOwnCheckout, lockCheckout } from '../store.ts'
import {
  type PlanRequest,
  type PresentationRequest,
  type Price,
  readAddress,
  readCurrency,
  readPlans,
  readPresentation,
  readPrice,
} from '../wire-fields.ts'
import { audit } from './mark.ts'
import { moveCheckout } from './move.ts'
import { priceInNano } from './open.ts'
import { quotePrices, rateNow } from './quote.ts'

interface UpdateRequest {
  id: string
  owner: string
  actor: string
  body: Readonly<Record<string, unknown>>
}

interface NewPrice {
  currency: string
  price: Price | undefined
  plans: PlanRequest[]
}

/**
 * Changes an own checkout. What it says about itself may change until it is paid; what it asks for only before anybody
 * can have seen it (contract 4.5, rule 7). Where it is paid and how it matches never changes.
 */
export async function updateCheckout(ctx: CheckoutCtx, { id, owner, actor, body }: UpdateRequest): Promise<Checkout> {
  const before = await findOwnCheckout(ctx.db, { id, owner })
  if (!before) throw checkoutNotFound()
  const { prices, rules } = ctx.till
  const shown = readPresentation(body, { currencies: prices.currencies, plainHttpAllowed: rules.plainHttpAllowed })
  const priced = readNewPrice(before, body, prices.currencies)
  if (shown.webhookUrl && shown.webhookUrl !== before.webhookUrl) await ctx.till.checkWebhookUrl(shown.webhookUrl)
  const rate = priced && priced.currency !== 'NANO' ? await rateNow(ctx, priced.currency) : undefined
  const updated = await inTx(ctx, async (tx) => {
    const held = await lockCheckout(tx.db, id)
    if (!held || held.owner !== owner) throw checkoutNotFound()
    if (held.status === 'complete') throw checkoutClosed(held.status)
    await updatePresentation(tx.db, id, present(tx, held, shown))
    if (priced) {
      if (held.servedAt !== null || held.seenAt !== null) throw fieldFixed('amount')
      if (held.status !== 'pending') throw checkoutClosed(held.status)
      await replacePrice(tx, held, priced, rate)
    } else await moveCheckout(tx, held, { reason: 'changed by the merchant' })
    await audit(tx, { actor, owner, what: 'checkout.updated', detail: { id, fields: Object.keys(body) } })
    return (await findCheckout(tx.db, id))!
  })
  ctx.till.tell(id)
  return updated
}

/** What is repeated unchanged is no change: forms send every field. */
function readNewPrice(
  before: Checkout,
  body: Readonly<Record<string, unknown>>,
  currencies: readonly string[],
): NewPrice | undefined {
  const address = readAddress(body.address)
  if (address !== undefined && address !== before.address && address !== before.merchantAddress) {
    throw fieldFixed('address')
  }
  if (typeof body.mode === 'string' && body.mode !== before.mode) throw fieldFixed('mode')
  const currency = body.currency === undefined ? before.currency : readCurrency(body.currency, currencies)
  const price = body.amount === undefined ? undefined : readPrice('amount', body.amount, currency)
  const plans = body.plans === undefined ? undefined : readPlans(body.plans, currency)
  const samePrice = price === undefined || price.text === before.price
  const samePlans =
    plans === undefined || JSON.stringify(plans.map(toValue)) === JSON.stringify(before.plans.map(toPair))
  if (currency === before.currency && samePrice && samePlans) return undefined
  return {
    currency,
    price: price ?? readPrice('amount', before.price, currency),
    plans:
      plans ??
      readPlans(
        before.plans.map(({ title, value, discount }) => ({ title, value, discount })),
        currency,
      ),
  }
}

const toValue = ({ title, price, discount }: PlanRequest) => [title, price.text, discount]
const toPair = ({ title, value, discount }: Checkout['plans'][number]) => [title, value, discount]

function present({ till }: CheckoutCtx, held: Checkout, shown: PresentationRequest) {
  const { webhookSecret: secret, ...rest } = shown
  const sealed = secret ? till.secrets.seal(secretContext(held.id), secret) : null
  return { ...held, ...rest, webhookSecret: secret === undefined ? held.webhookSecret : sealed }
}

/** The old amounts stay taken for as long as somebody might pay them, and such a payment is for the merchant to judge. */
async function replacePrice(
  tx: CheckoutCtx,
  held: Checkout,
  { currency, price, plans }: NewPrice,
  rate: Awaited<ReturnType<typeof rateNow>> | undefined,
): Promise<void> {
  await markSuperseded(tx.db, held.id)
  const next: Checkout = {
    ...held,
    currency,
    price: price?.text ?? null,
    priceE8: price?.kind === 'fiat' ? price.e8 : undefined,
    plans: plans.map(({ title, price, discount }) => ({ title, value: price.text, discount, amountRaw: undefined })),
  }
  const [latest] = await listLatestQuotes(tx.db, held.id)
  const amounts = rate
    ? await quotePrices(tx, next, { rate, seq: (latest?.seq ?? 0) + 1 })
    : await priceInNano(tx, next, { price, plans })
  await updatePrice(tx.db, held.id, next)
  await moveCheckout(tx, held, { ...amounts, reason: 'price changed by the merchant' })
}

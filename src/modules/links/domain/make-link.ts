import { type Actor } from '../../../kernel/actor.ts'
import { randomId } from '../../../kernel/api-key.ts'
import { badField } from '../../../kernel/errors.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { readNew } from '../../../kernel/resource/read.ts'
import type { Own } from '../../../kernel/resource/records.ts'
import type { Fields } from '../../../kernel/route.ts'
import { type JsonObject, textOf } from '../../../kernel/shape.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { insertAudit, lockAccount } from '../../accounts/index.ts'
import {
  LINK_ID,
  checkoutAction,
  checkoutSecretContext,
  findOwnCheckout,
  readCheckout,
  requireGeneratedWallets,
  requirePayout,
  toCheckoutId,
} from '../../checkout/index.ts'
import { resolveNames } from '../../names/index.ts'
import { linkNotFound, slugTaken, tooManyLinks } from '../errors.ts'
import { type LinkValues, type PaymentLink, paymentLink, paymentLinks } from '../payment-link.ts'
import type { LinkContext } from '../context.ts'
import { secretContext } from '../tables.ts'
import { countLinks, insertLink } from '../store.ts'
import { isGift, toOrderBody } from './order-body.ts'

const LINKS_MAX = 1_000
const SLUG_LENGTH = 10
const SMALLEST_GIFT = '1'
const UNSOLD = { held: 0, sold: 0, orders: 0, revenueRaw: 0n, revenueE8: 0n }
const NEW = { ...UNSOLD, quantityMin: 1, quantityMax: 1, webhookSecret: null }

/** Reads a new link; all that is wrong is named at once. */
export const readLink = async (context: LinkContext, owner: string, body: Fields): Promise<LinkValues> =>
  readNew(paymentLink, context, await toLinkBody(context, body, owner))

/** Completes a request for a link: a template becomes its fields, a username an address. */
export async function toLinkBody(context: LinkContext, body: Fields, owner: string): Promise<Fields> {
  const { webhook, webhook_url: url = webhook, ...said } = body
  const named = { ...said, ...(webhook !== undefined && { webhook }), ...(url !== undefined && { webhook_url: url }) }
  const { params } = await resolveNames(context.checkouts.names, named, checkoutAction)
  const { template, ...own } = params
  return given(template) === undefined ? own : { ...(await fromTemplate(context, owner, template)), ...own }
}

/** Makes a link. A repeated request finds the same one. */
export async function makeLink(
  context: LinkContext,
  { owner, actor }: { owner: string; actor: Actor },
  values: LinkValues,
  idempotency?: Idempotency,
): Promise<PaymentLink> {
  const { checkouts: ctx } = context
  if (idempotency?.made) return getLink(context, { id: textOf(idempotency.made.id), owner })
  const now = ctx.clock.now()
  const id = ctx.ids.next(LINK_ID)
  const link: PaymentLink = {
    id,
    owner,
    ...NEW,
    ...toTerms(context, id, values),
    slug: values.slug || randomId(ctx.random, SLUG_LENGTH).toLowerCase(),
    createdAt: now,
    updatedAt: now,
  }
  await checkOrders(context, link)
  return inTx(ctx, async (tx) => {
    // Locked, so that concurrent requests of an account cannot exceed the limit.
    await lockAccount(tx.db, owner)
    if ((await countLinks(tx.db, owner)) >= LINKS_MAX) throw tooManyLinks(LINKS_MAX)
    if (!(await insertLink(tx.db, link))) throw slugTaken()
    await insertAudit(tx, { actor, accountId: owner, what: 'link.made', detail: { id, slug: link.slug } })
    await idempotency?.record(tx.db, { id })
    return link
  })
}

export async function getLink({ checkouts: { db } }: LinkContext, own: Own): Promise<PaymentLink> {
  const link = await paymentLinks.findOwn(db, own)
  if (!link) throw linkNotFound()
  return link
}

/** What is stored of a request. */
export function toTerms<T extends Partial<LinkValues>>({ secrets }: LinkContext, id: string, values: T) {
  const { quantity, asksWebhookSecret: secret, webhook: _same, random: _said, ...read } = values
  const { template: _copied, lineItems: _summed, shipping: _added, ...terms } = read
  return {
    ...terms,
    ...(quantity && { quantityMin: quantity.min, quantityMax: quantity.max }),
    ...(secret !== undefined && { webhookSecret: secret && secrets.encrypt(secretContext(id), secret) }),
  }
}

/** Every choice of a visitor must make a valid checkout: checks the most expensive choices as if a visitor had made them. */
export async function checkOrders(context: LinkContext, link: PaymentLink): Promise<void> {
  const { ports } = context.checkouts
  const { address, owner, mode, webhookUrl } = link
  if (address === null) await requirePayout(context.checkouts, owner)
  if (mode === 'generated_wallet') await requireGeneratedWallets(context.checkouts, owner)
  if (webhookUrl !== null) await ports.checkWebhookUrl(webhookUrl)
  const rules = { currencies: ports.prices.currencies, plainHttpAllowed: ports.rules.plainHttpAllowed }
  const plans = link.plans.length === 0 ? [undefined] : link.plans.map((_, at) => at)
  const amount = isGift(link) ? SMALLEST_GIFT : undefined
  for (const plan of plans)
    readCheckout(toOrderBody(context, link, { quantity: link.quantityMax, plan, amount }), rules)
}

/** The fields that make a checkout like one of the account's own. */
async function fromTemplate({ checkouts: ctx }: LinkContext, owner: string, value: unknown): Promise<JsonObject> {
  const id = typeof value === 'string' ? toCheckoutId(value) : undefined
  const template = id === undefined ? undefined : await findOwnCheckout(ctx.db, { id, owner })
  if (!template) throw badField('template', 'Checkout not found.')
  const encrypted = template.webhookSecret
  return {
    address: template.merchantAddress,
    currency: template.currency,
    amount: template.price,
    plans: template.plans.map(({ title, value: price, discount }) => ({ title, value: price, discount })),
    // An address that serves one checkout only cannot serve every order.
    mode: template.mode === 'unique_address' ? 'unique_amount' : template.mode,
    title: template.title,
    description: template.description,
    image: template.image,
    success_url: template.successUrl,
    cancel_url: template.cancelUrl,
    webhook_url: template.webhookUrl,
    webhook_events: template.webhookEvents,
    webhook_proof: template.webhookProof && ctx.ports.proofs.isOn,
    webhook_secret: encrypted === null ? null : ctx.ports.secrets.open(checkoutSecretContext(template.id), encrypted),
    notify: template.notify,
    metadata: template.metadata,
    note: template.note,
  }
}

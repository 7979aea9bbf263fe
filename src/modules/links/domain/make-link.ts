import { type Actor } from '../../../kernel/actor.ts'
import { randomId } from '../../../kernel/api-key.ts'
import { badField } from '../../../kernel/errors.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { type JsonObject, textOf } from '../../../kernel/shape.ts'
import { given } from '../../../kernel/shown-fields.ts'
import { insertAudit, lockAccount } from '../../accounts/index.ts'
import {
  LINK_ID,
  checkoutSecretContext,
  findOwnCheckout,
  readCheckout,
  refuseUnproved,
  requireGeneratedWallets,
  requirePayout,
  toCheckoutId,
} from '../../checkout/index.ts'
import { linkNotFound, slugTaken, tooManyLinks } from '../errors.ts'
import { readSlug, readTerms } from '../link-fields.ts'
import type { LinkRoom } from '../room.ts'
import { secretContext } from '../tables.ts'
import { type PaymentLink, countLinks, findOwnLink, insertLink } from '../store.ts'
import { isGift, plansOf, toOrderBody } from './order-body.ts'

const LINKS_MAX = 1_000
const SLUG_LENGTH = 10
const SMALLEST_GIFT = '1'

type Body = Readonly<Record<string, unknown>>

/** Makes a link. A repeated request finds the same one. */
export async function makeLink(
  room: LinkRoom,
  { owner, actor }: { owner: string; actor: Actor },
  asked: Body,
  idempotency?: Idempotency,
): Promise<PaymentLink> {
  const { checkouts: ctx } = room
  if (idempotency?.made) return (await findOwnLink(ctx.db, { id: textOf(idempotency.made.id), owner })) ?? fail()
  refuseUnproved(ctx.ports, asked)
  const now = ctx.clock.now()
  const body =
    given(asked.template) === undefined ? asked : { ...(await fromTemplate(room, owner, asked.template)), ...asked }
  const terms = readTerms(ctx, body, now)
  if (terms.endsAt !== null && terms.endsAt <= now) throw badField('ends_unix', 'ends_unix is in the past.')
  const id = ctx.ids.next(LINK_ID)
  const link: PaymentLink = {
    id,
    owner,
    slug: readSlug(asked.slug) ?? randomId(ctx.random, SLUG_LENGTH).toLowerCase(),
    ...terms,
    webhookSecret: sealSecret(room, id, body.webhook_secret),
    held: 0,
    sold: 0,
    orders: 0,
    revenueRaw: 0n,
    revenueE8: 0n,
    createdAt: now,
    updatedAt: now,
  }
  await checkOrders(room, link)
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

function fail(): never {
  throw linkNotFound()
}

export function sealSecret({ secrets }: LinkRoom, id: string, secret: unknown): string | null {
  // The form of the secret is checked below, with the order that contains it.
  return typeof secret === 'string' && secret !== '' ? secrets.seal(secretContext(id), secret) : null
}

/** Every choice of a visitor must make a valid checkout: checks the most expensive choices as if a visitor had made them. */
export async function checkOrders(room: LinkRoom, link: PaymentLink): Promise<void> {
  const { ports } = room.checkouts
  const { fields, owner } = link
  if (fields.address === undefined) await requirePayout(room.checkouts, owner)
  if (fields.mode === 'generated_wallet') await requireGeneratedWallets(room.checkouts, owner)
  if (typeof fields.webhook_url === 'string') await ports.checkWebhookUrl(fields.webhook_url)
  const rules = { currencies: ports.prices.currencies, plainHttpAllowed: ports.rules.plainHttpAllowed }
  const plans = plansOf(link).length === 0 ? [undefined] : plansOf(link).map((_, at) => at)
  const amount = isGift(link) ? SMALLEST_GIFT : undefined
  for (const plan of plans) readCheckout(toOrderBody(room, link, { quantity: link.quantityMax, plan, amount }), rules)
}

/** The fields that make a checkout like one of the account's own. */
async function fromTemplate({ checkouts: ctx }: LinkRoom, owner: string, value: unknown): Promise<JsonObject> {
  const id = typeof value === 'string' ? toCheckoutId(value) : undefined
  const template = id === undefined ? undefined : await findOwnCheckout(ctx.db, { id, owner })
  if (!template) throw badField('template', 'Checkout not found.')
  const sealed = template.webhookSecret
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
    webhook_proof: template.webhookProof,
    webhook_secret: sealed === null ? null : ctx.ports.secrets.open(checkoutSecretContext(template.id), sealed),
    notify: template.notify,
    metadata: template.metadata,
    note: template.note,
  }
}

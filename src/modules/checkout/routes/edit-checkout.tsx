import { isFresh } from '../../../kernel/fresh-proof.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { resolveNames } from '../../names/index.ts'
import { checkout as checkoutAction } from '../actions/checkout.ts'
import { getOwn } from '../domain/show.ts'
import { updateCheckout } from '../domain/update.ts'
import { EditCheckoutPage, SHOWN_FIELDS, TERMS_FIELDS } from '../pages/edit-checkout-page.tsx'
import type { CheckoutRoom } from '../room.ts'
import type { Checkout } from '../record.ts'
import { readJson, readPlanLines } from './new-checkout.tsx'

/** Changes of an own checkout by hand, as far as the API takes them. */
export function editCheckoutPages(ctx: CheckoutRoom): readonly (Page | Form)[] {
  const findOwn = async ({ params, accountId }: PageRequest) =>
    (await getOwn(ctx, params.id!, { owner: accountId })).checkout
  const page = async (request: PageRequest, filled: FormState) => {
    const { frame, caller } = request
    const checkout = await findOwn(request)
    return (
      <EditCheckoutPage
        frame={frame}
        filled={{ ...filled, values: { ...valuesOf(checkout), ...filled.values } }}
        id={checkout.id}
        currencies={ctx.ports.prices.currencies}
        isUnseen={isUnseen(checkout)}
        hasPlans={checkout.plans.length > 0}
        isFresh={isFresh(caller, { now: ctx.clock.now(), devnet: frame.devnet })}
      />
    )
  }
  const placed = { path: '/checkouts/:id/edit', section: '/checkouts', permission: 'checkout' } as const
  return [
    { ...placed, degree: 'all', render: (request) => page(request, EMPTY) },
    {
      ...placed,
      // Also changes where the money goes.
      proof: true,
      again: (request, { values, error }) => {
        const field = error?.field?.startsWith('plans') === true ? 'plans' : error?.field
        return page(request, { values, error: error && { ...error, field } })
      },
      async run(request, fields) {
        const { accountId: owner, caller } = request
        const before = await findOwn(request)
        const changed = changesOf(before, fields)
        if (Object.keys(changed).length > 0) {
          const { params: body } = await resolveNames(ctx.names, changed, checkoutAction)
          await updateCheckout(ctx, { id: before.id, owner, actor: caller.actor, body })
        }
        return { to: `/dashboard/checkouts/${before.id}?done=changed` }
      },
    },
  ]
}

/** What it asks for may change until somebody can have seen it (contract 4.5, rule 7). */
const isUnseen = ({ servedAt, seenAt, status }: Checkout) =>
  servedAt === null && seenAt === null && status === 'pending'

function valuesOf(checkout: Checkout): Record<string, string> {
  const { metadata, plans } = checkout
  return {
    title: checkout.title ?? '',
    description: checkout.description ?? '',
    image: checkout.image ?? '',
    success_url: checkout.successUrl ?? '',
    cancel_url: checkout.cancelUrl ?? '',
    webhook_url: checkout.webhookUrl ?? '',
    notify: checkout.notify ?? '',
    note: checkout.note ?? '',
    metadata: Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, null, 2),
    amount: checkout.price ?? '',
    currency: checkout.currency,
    address: checkout.merchantAddress,
    plans: plans.map(({ title, value }) => `${title} = ${value}`).join('\n'),
  }
}

/** Only what is not as it was: what stays is not written down as changed, and another's change meanwhile is not undone. */
function changesOf(before: Checkout, fields: FormFields): Record<string, unknown> {
  const known = valuesOf(before)
  const sent = fields.typed()
  const names = [...SHOWN_FIELDS, ...TERMS_FIELDS].filter(
    (name) => name in sent && fields.get(name).replaceAll('\r\n', '\n') !== known[name],
  )
  return Object.fromEntries(names.map((name) => [name, toValue(name, fields.get(name))]))
}

function toValue(name: string, text: string): unknown {
  if (name === 'metadata') return text === '' ? {} : readJson(text)
  return name === 'plans' ? readPlanLines(text) : text
}

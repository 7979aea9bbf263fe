import { isFresh } from '../../../kernel/route.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { findPayout } from '../../accounts/index.ts'
import { resolveNames } from '../../names/index.ts'
import { checkout as checkoutAction } from '../actions/checkout.ts'
import { hasGeneratedWallets } from '../domain/generated-wallet.ts'
import { getOwn } from '../domain/show.ts'
import { updateCheckout } from '../domain/update.ts'
import { badField } from '../errors.ts'
import { EditCheckoutPage, SHOWN_FIELDS, TERMS_FIELDS } from '../pages/edit-checkout-page.tsx'
import { NewCheckoutPage } from '../pages/new-checkout-page.tsx'
import type { Checkout } from '../record.ts'
import { listCheckouts } from '../report-store.ts'
import type { CheckoutContext } from '../context.ts'
import { findUsualAddress } from '../store.ts'
import { createOpener } from './open-from-fields.ts'

const TEXTS = [
  'title',
  'description',
  'image',
  'success_url',
  'cancel_url',
  'webhook_url',
  'notify',
  'expire',
  'note',
] as const

/** The form that makes a checkout. */
export function newCheckoutPages(ctx: CheckoutContext): readonly (Page | Form)[] {
  const { db, ports } = ctx
  const open = createOpener(ctx)
  const section = '/checkouts'
  const creation = async ({ frame, accountId }: PageRequest, filled: FormState) => (
    <NewCheckoutPage
      frame={frame}
      filled={filled}
      currencies={ports.prices.currencies}
      walletsAllowed={await hasGeneratedWallets(ctx, accountId)}
    />
  )
  // Pre-filled, because most merchants are always paid at the same address; a merchant with a payout address needs none.
  const usual = async ({ accountId: owner, frame: { shop } }: PageRequest): Promise<FormState> => {
    const [last] = await listCheckouts(db, ports.engine, { owner }, { limit: 1 })
    const currency = shop.currency === 'NANO' ? (last?.currency ?? 'NANO') : shop.currency
    const address = (await findPayout(db, owner)) === null ? ((await findUsualAddress(db, owner)) ?? '') : ''
    return { values: { address, currency, mode: 'unique_amount' } }
  }
  return [
    {
      path: '/checkouts/new',
      permission: 'checkout',
      degree: 'all',
      section,
      render: async (request) => creation(request, await usual(request)),
    },
    {
      path: '/checkouts',
      permission: 'checkout',
      section,
      async run({ caller }, fields, idempotency) {
        const make = await open(caller, toBody(fields))
        const { checkout } = await make(idempotency)
        return { to: `/dashboard/checkouts/${checkout.id}?done=made` }
      },
      again: (request, { values, error }) => {
        return creation(request, { values, error: error && { ...error, field: toFormField(error.field) } })
      },
    },
  ]
}

function toBody(fields: FormFields): Record<string, unknown> {
  const plans = readPlanLines(fields.get('plans'))
  return {
    ...fields.given([...TEXTS, 'amount', 'currency', 'address', 'mode']),
    ...(plans.length > 0 && { plans }),
    ...readInvoiceFields(fields),
    ...(fields.get('metadata') !== '' && { metadata: readJson(fields.get('metadata')) }),
  }
}

function readPlanLines(text: string): { title: string; value: string }[] {
  return linesOf(text).map((line) => {
    const at = line.lastIndexOf('=')
    if (at < 1) throw badField('plans', `Enter plans as Title = price, not “${line.slice(0, 40)}”.`)
    return { title: line.slice(0, at).trim(), value: line.slice(at + 1).trim() }
  })
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw badField('metadata', 'metadata must be a JSON object.')
  }
}

/** An error about one item of a list is shown at the field that contains the list. */
function toFormField(field: string | undefined): string | undefined {
  if (field?.startsWith('plans') === true) return 'plans'
  const [, part = 'lines'] = /^invoice(?:\.(lines|tax|buyer|seller|number))?/.exec(field ?? '') ?? []
  return field?.startsWith('invoice') === true ? `invoice_${part}` : field
}

/** Reads lines such as `2 x Lamp = 12.50` and taxes such as `VAT 20 % = 5`; the first line of the buyer is the name. */
function readInvoiceFields(fields: FormFields): { invoice?: Record<string, unknown> } {
  const { invoice_number: number, invoice_seller: seller } = fields.given(['invoice_number', 'invoice_seller'])
  const [name, ...address] = linesOf(fields.get('invoice_buyer'))
  const lines = linesOf(fields.get('invoice_lines')).map((line) => {
    const [, quantity, title, price] = /^(?:([0-9]+(?:\.[0-9]+)?)\s*[x×]\s+)?(.*?)\s*=\s*(\S+)$/u.exec(line) ?? []
    if (title === undefined)
      throw badField('invoice_lines', `Enter lines as 2 x Title = price, not “${line.slice(0, 40)}”.`)
    return { title, quantity, price }
  })
  const tax = linesOf(fields.get('invoice_tax')).map((line) => {
    const [, title, amount] = /^(.*?)\s*=\s*(\S+)$/u.exec(line) ?? []
    if (title === undefined) throw badField('invoice_tax', `Enter taxes as Title = amount, not “${line.slice(0, 40)}”.`)
    return { title, amount }
  })
  const isAsked = [number, seller, name, lines[0], tax[0]].some((part) => part !== undefined)
  if (!isAsked) return {}
  return {
    invoice: {
      number,
      seller,
      lines,
      tax,
      ...(name !== undefined && { buyer: { name, address: address.join('\n') } }),
    },
  }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The form that edits an own checkout, with the same rules as the API. */
export function editCheckoutPages(ctx: CheckoutContext): readonly (Page | Form)[] {
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
      // The payment address can be changed here, so the user must have confirmed their identity.
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

/** Address, mode and price may change until someone can have seen them (contract 4.5, rule 7). */
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

/** Only the changed fields: unchanged ones are not logged as changes, and a change that someone else made meanwhile is not undone. */
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

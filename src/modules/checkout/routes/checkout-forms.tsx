import { isDeepStrictEqual } from 'node:util'
import { readChange, readNew } from '../../../kernel/resource/read.ts'
import { isFresh } from '../../../kernel/route.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { EMPTY, isIn } from '../../../web/dashboard/form.tsx'
import { formBody, formState } from '../../../web/dashboard/resource-form.tsx'
import { findPayout } from '../../accounts/index.ts'
import { resolveNames } from '../../names/index.ts'
import { checkout as checkoutAction } from '../actions/checkout.ts'
import { hasGeneratedWallets } from '../domain/generated-wallet.ts'
import { getOwn } from '../domain/show.ts'
import { updateCheckout } from '../domain/update.ts'
import { checkoutForm, toFormRecord } from '../checkout-form.ts'
import { EditCheckoutPage } from '../pages/edit-checkout-page.tsx'
import { NewCheckoutPage } from '../pages/new-checkout-page.tsx'
import type { Checkout } from '../record.ts'
import { listCheckouts } from '../report-store.ts'
import type { CheckoutContext } from '../context.ts'
import { findUsualAddress } from '../store.ts'
import { createOpener } from './open-from-fields.ts'

/** The form that makes a checkout. */
export function newCheckoutPages(ctx: CheckoutContext): readonly (Page | Form)[] {
  const { db, ports } = ctx
  const open = createOpener(ctx)
  const section = '/checkouts'
  const creation = async ({ frame, accountId }: PageRequest, filled: FormState) => (
    <NewCheckoutPage
      {...{ frame, filled }}
      rules={{ ...checkoutForm.rules(ctx), hasWallets: await hasGeneratedWallets(ctx, accountId) }}
      hasPayout={(await findPayout(db, accountId)) !== null}
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
      pictures: ['image'],
      async run({ caller }, fields, idempotency) {
        const typed = formBody(checkoutForm, ctx, 'create', fields)
        const { params } = await resolveNames(ctx.names, typed, checkoutAction)
        readNew(checkoutForm, ctx, params)
        const { metadata, ...rest } = params
        const make = await open(caller, { ...withoutEmpty(rest), metadata })
        const { checkout } = await make(idempotency)
        return { to: `/dashboard/checkouts/${checkout.id}?done=made` }
      },
      again: creation,
    },
  ]
}

/** A request as a program would send it: without the fields and rows that were left empty. */
function withoutEmpty(typed: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.flatMap((row) => (row === undefined ? [] : [kept(row)]))
    return isObject(value) ? withoutEmpty(value) : value
  }
  const isEmpty = (value: unknown) =>
    value === '' || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  const entries = Object.entries(typed).map(([name, value]) => [name, kept(value)] as const)
  return Object.fromEntries(entries.filter(([, value]) => !isEmpty(value)))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

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
        filled={formState(checkoutForm, ctx, toFormRecord(checkout), filled)}
        rules={checkoutForm.rules(ctx)}
        id={checkout.id}
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
      pictures: ['image'],
      again: page,
      async run(request, fields) {
        const { accountId: owner, caller } = request
        const before = await findOwn(request)
        const changed = changesOf(ctx, before, fields)
        if (Object.keys(changed).length > 0) {
          const { params: body } = await resolveNames(ctx.names, changed, checkoutAction)
          readChange(checkoutForm, ctx, body, toFormRecord(before))
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

/** Only the changed fields: unchanged ones are not logged as changes, and a change that someone else made meanwhile is not undone. */
function changesOf(ctx: CheckoutContext, before: Checkout, fields: FormFields): Record<string, unknown> {
  const sent = fields.typed()
  const has = (wire: string) => Object.keys(sent).some((name) => isIn(wire, name))
  const read = (typed: Pick<FormFields, 'get' | 'typed'>) => formBody(checkoutForm, ctx, 'change', typed, { has })
  const known = read(fieldsOf(formState(checkoutForm, ctx, toFormRecord(before)).values))
  const now = read(fields)
  return Object.fromEntries(
    Object.entries(now)
      .filter(([name, value]) => !isDeepStrictEqual(value, known[name]))
      .map(([name, value]) => [name, Array.isArray(value) ? value.filter((row) => row !== undefined) : value]),
  )
}

/** Values of a form as if they had been sent. */
const fieldsOf = (values: Readonly<Record<string, string>>): Pick<FormFields, 'get' | 'typed'> => ({
  get: (name) => values[name]?.trim() ?? '',
  typed: () => ({ ...values }),
})

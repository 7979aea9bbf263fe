import { listProved } from '../proofs.ts'
import { nameBuyer } from '../buyers/leave-email.ts'
import { formatUnits, sumInvoice } from '../invoices/invoice.ts'
import { AppError } from '../../../kernel/errors.ts'
import { dateAt, dayOf } from '../../../kernel/calendar.ts'
import type { Form, FormState, Page, PageRequest, ShopLook } from '../../../kernel/page.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { redeliver } from '../../webhooks/index.ts'
import type { CheckoutContext } from '../context.ts'
import { deleteCheckout } from '../domain/end.ts'
import { formatFiat } from '../domain/fiat.ts'
import { markPaid } from '../domain/mark.ts'
import { readMoment } from '../domain/period.ts'
import { readMarker, readStatus } from '../domain/report.ts'
import { getOwn } from '../domain/show.ts'
import { showDay, showSum, toPaymentRows } from '../payment-row.ts'
import { badField, checkoutNotFound } from '../errors.ts'
import { moneyOf } from '../pages/payment-words.ts'
import { CheckoutPage } from '../pages/checkout-page.tsx'
import { CheckoutsPage, VIEWS, type View } from '../pages/checkouts-page.tsx'
import { listUnmatched } from '../payments-store.ts'
import { isOver, readRefunds } from '../refunds/follow.ts'
import { standingOf } from '../refunds/shape.ts'
import { refundable } from '../refunds/terms.ts'
import { listCheckouts } from '../report-store.ts'
import type { Filter } from '../sums-store.ts'
import { excessOf } from '../shape.ts'
import { type Checkout, isAllRefunded, markerOf } from '../record.ts'
import { addTakings, byDate, listTakings } from '../statement/takings.ts'
import { findCheckout } from '../store.ts'
import { toCheckoutId } from '../wire-fields.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'
import { editCheckoutPages, newCheckoutPages } from './checkout-forms.tsx'
import { refundPages } from './refund-page.tsx'
import { readHash, unmatchedPages } from './unmatched.tsx'

const PAGE_ROWS = 25
const UNMATCHED_MAX = 100
const DAY = 86_400_000
const FILTERS = ['text', 'status', 'additional', 'mode', 'currency', 'from', 'to', 'metadata'] as const
/** Dashboard pages that find, show, make, cancel and mark checkouts and resend their webhooks. */
export const checkoutPages = (ctx: CheckoutContext): readonly (Page | Form)[] => [
  {
    path: '/checkouts',
    permission: 'checkout',
    menu: { title: 'All payments', group: 'payments', order: 20, guide: 'first-payment' },
    render: (request) => listPage(ctx, request, 'all'),
  },
  {
    path: VIEWS.refunds.path,
    permission: 'checkout',
    menu: { title: 'Refunds', group: 'payments', order: 25, guide: 'merchants#give-money-back' },
    render: (request) => listPage(ctx, request, 'refunds'),
  },
  {
    path: VIEWS.invoices.path,
    permission: 'checkout',
    menu: { title: 'Invoices', group: 'sell', order: 27, guide: 'merchants#keep-books' },
    render: (request) => listPage(ctx, request, 'invoices'),
  },
  ...newCheckoutPages(ctx),
  ...unmatchedPages(ctx),
  ...editCheckoutPages(ctx),
  ...oneCheckoutPages(ctx),
  ...refundPages(ctx),
]

const DONE = {
  made: 'Checkout created. Share its link.',
  changed: 'Changes saved.',
  cancelled: 'Checkout cancelled.',
  marked: 'Checkout marked as paid.',
  redelivered: 'Event queued for redelivery.',
  paid: 'Payment sent.',
  ended: 'Checkout expired.',
  receipt: 'The receipt is on its way.',
  refunded: 'Refund started.',
  link: 'Refund ready. Send the link below to the payer.',
}

/** The page of one checkout and its merchant's actions. */
function oneCheckoutPages(ctx: CheckoutContext): readonly (Page | Form)[] {
  const detail = (request: PageRequest, filled: FormState) => detailPage(ctx, request, filled)
  const placed = { section: '/checkouts', done: DONE, again: detail }
  const back = (id: string, word: keyof typeof DONE) => ({ to: `/dashboard/checkouts/${id}?done=${word}` })
  return [
    {
      section: '/checkouts',
      done: DONE,
      path: '/checkouts/:id',
      permission: 'checkout',
      render: (request) => detail(request, EMPTY),
    },
    {
      ...placed,
      path: '/checkouts/:id/cancel',
      permission: 'checkout',
      async run({ accountId: owner, params, caller: { actor } }) {
        const { id, status } = (await getOwn(ctx, params.id!, { owner })).checkout
        if (!['pending', 'detected', 'partial'].includes(status)) {
          throw new AppError('checkout_closed', `Checkout is ${status} and can no longer be changed.`)
        }
        await deleteCheckout(ctx, { id, owner, actor })
        return back(id, 'cancelled')
      },
    },
    {
      ...placed,
      path: '/checkouts/:id/mark',
      permission: 'checkout',
      async run({ accountId: owner, params, caller: { actor } }, fields) {
        const { id } = await markPaid(ctx, { id: idOf(params), owner, actor, blockHash: readHash(fields) })
        return back(id, 'marked')
      },
    },
    {
      ...placed,
      path: '/checkouts/:id/receipt',
      permission: 'checkout',
      async run({ accountId: owner, params }, fields) {
        const { id } = (await getOwn(ctx, params.id!, { owner })).checkout
        await nameBuyer(ctx, id, { email: fields.get('email'), language: 'en' })
        return back(id, 'receipt')
      },
    },
    {
      ...placed,
      path: '/checkouts/:id/events/:event/redeliver',
      permission: 'webhooks',
      async run({ accountId, params }, _fields, idempotency) {
        const { checkout, events } = await getOwn(ctx, params.id!, { owner: accountId })
        if (!events.some(({ id }) => id === params.event)) throw checkoutNotFound()
        await redeliver(ctx, { accountId, eventIds: [params.event!], idempotency })
        return back(checkout.id, 'redelivered')
      },
    },
  ]
}

async function detailPage(ctx: CheckoutContext, request: PageRequest, filled: FormState) {
  const { frame, params, accountId, isAdmin, may } = request
  const { ports } = ctx
  const own = await getOwn(ctx, params.id!, { owner: isAdmin ? undefined : accountId })
  const links = {
    pay: ports.links.pay(own.checkout.id),
    check: ports.links.check(own.checkout.id),
    block: ports.links.block,
    proof: (hash: string) => ports.links.own(`/checkout/${own.checkout.id}/proof?block=${hash}`),
  }
  // Before completion, payers may not see the proofs either.
  const proved = own.checkout.status === 'complete' ? await listProved(ctx.db, own.checkout.id) : new Set<string>()
  const isOwn = own.checkout.owner === accountId
  const { price, chosen } = own.checkout
  const checkout = {
    ...own.checkout,
    additional: markerOf(own.checkout),
    isLate: own.checkout.additional === 'paid_late' && !isAllRefunded(own.checkout),
    price: price ?? chosen,
    excessRaw: excessOf(own.checkout),
  }
  const refunds = await readRefunds(ctx, own.checkout.id)
  const mayRefund = may('refunds')
  const { invoice, currency } = own.checkout
  return (
    <CheckoutPage
      {...own}
      frame={frame}
      filled={filled}
      links={links}
      proved={proved}
      isOwn={isOwn}
      checkout={checkout}
      bill={
        invoice === null
          ? undefined
          : { sums: sumInvoice(invoice, currency), show: (units) => moneyOf(currency, formatUnits(currency, units)) }
      }
      refunds={refunds.map((refund) => ({
        ...refund,
        status: standingOf(refund),
        fiat: refund.fiatE8 === undefined ? null : `${formatFiat(refund.fiatE8)} ${refund.currency}`,
        // A holder of the link can take the money.
        link: mayRefund && refund.as === 'link' && !isOver(refund) ? ctx.ports.claims.link(refund.id) : null,
      }))}
      refundableRaw={refundable((await findCheckout(ctx.db, own.checkout.id))!)}
      unmatched={isOwn ? await listUnmatched(ctx.db, { owner: accountId, limit: UNMATCHED_MAX }) : []}
    />
  )
}

async function listPage(ctx: CheckoutContext, { frame, query, accountId, isAdmin }: PageRequest, view: View) {
  const { db, ports, clock } = ctx
  const here = { timeZone: frame.shop.timeZone, now: clock.now() }
  const account = isAdmin && query.account !== undefined && query.account !== accountId ? query.account : undefined
  const owner = account === undefined ? accountId : account === 'all' ? undefined : account
  const values = Object.fromEntries(FILTERS.map((name) => [name, query[name] ?? '']))
  const isFiltered = FILTERS.some((name) => values[name] !== '')
  const address = (cursor: string | undefined) => {
    const given = Object.entries({ ...values, account, cursor }).filter(
      (entry) => entry[1] !== undefined && entry[1] !== '',
    )
    const search = new URLSearchParams(given as [string, string][]).toString()
    return `/dashboard${VIEWS[view].path}${search === '' ? '' : `?${search}`}`
  }
  const page = async (filled: FormState, rows: readonly Checkout[], next?: string) => (
    <CheckoutsPage
      view={view}
      frame={frame}
      filled={filled}
      currencies={ports.prices.currencies}
      rows={await toPaymentRows(db, rows, here)}
      sums={
        isFiltered || account !== undefined || view !== 'all' ? {} : await sumDays(ctx, accountId, rows, frame.shop)
      }
      isFiltered={isFiltered}
      first={query.cursor === undefined ? undefined : address(undefined)}
      next={next}
      account={account}
    />
  )
  try {
    const kind = { refunds: { isRefunded: true }, invoices: { hasInvoice: true }, all: {} } as const
    const filter = { owner, ...readFilter(values), ...kind[view] }
    const after = readCursor(query.cursor)
    const found = await listCheckouts(db, ports.engine, filter, { limit: PAGE_ROWS + 1, after })
    const rows = found.slice(0, PAGE_ROWS)
    return await page({ values }, rows, found.length > PAGE_ROWS ? address(toCursor(rows.at(-1)!)) : undefined)
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error
    return page({ values, error: { field: String(error.body.field), text: error.message } }, [])
  }
}

/** What was taken on each day of a list, by the name of the day: whole days, also where the list goes on. */
async function sumDays(
  { db, ports, clock }: CheckoutContext,
  owner: string,
  rows: readonly Checkout[],
  { timeZone, currency }: ShopLook,
): Promise<Record<string, string>> {
  const [newest, oldest] = [rows[0], rows.at(-1)]
  if (!newest || !oldest) return {}
  const [last, first] = [dateAt(timeZone, newest.createdAt), dateAt(timeZone, oldest.createdAt)]
  const span = { owner, from: dayOf(timeZone, first).from, to: dayOf(timeZone, last).to }
  const days = byDate(await listTakings(db, ports.engine, span), timeZone)
  const today = dateAt(timeZone, clock.now())
  return Object.fromEntries(
    [...days].map(([date, takings]) => {
      const { value } = addTakings(takings, currency)
      return [showDay(date, today), showSum(currency, { raw: value, e8: value })]
    }),
  )
}

function readFilter(values: Readonly<Record<string, string>>): Filter {
  const { text = '', status, additional, mode, currency, from = '', to = '', metadata = '' } = values
  return {
    ...readStatus(status),
    additional: readMarker('additional', additional),
    mode: oneOf('mode', mode, ['unique_amount', 'unique_address', 'generated_wallet']),
    currency: currency === '' ? undefined : currency,
    text: text === '' ? undefined : (toCheckoutId(text) ?? text.trim()),
    from: from === '' ? undefined : readMoment('from', from),
    // The last day is included whole.
    to: to === '' ? undefined : readMoment('to', to) + DAY,
    metadata: metadata === '' ? [] : [readPair(metadata)],
  }
}

function oneOf<T extends string>(field: string, value: string | undefined, known: readonly T[]): T | undefined {
  if (value === undefined || value === '') return undefined
  const found = known.find((one) => one === value)
  if (found === undefined) throw badField(field, `${field} must be one of ${known.join(', ')}.`)
  return found
}

function readPair(text: string): [string, string] {
  const [, name, value] = /^\s*([\w .:-]{1,100}?)\s*=\s*(.*?)\s*$/u.exec(text) ?? []
  if (name === undefined) throw badField('metadata', 'Enter it as name=value.')
  return [name, value!]
}

function idOf({ id = '' }: Readonly<Record<string, string>>): string {
  const known = toCheckoutId(id)
  if (known === undefined) throw checkoutNotFound()
  return known
}

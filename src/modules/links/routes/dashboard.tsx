import { badField } from '../../../kernel/errors.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { resolveNames } from '../../names/index.ts'
import { formatFiat, hasGeneratedWallets, listCheckouts } from '../../checkout/index.ts'
import { paymentLink } from '../actions/payment-link.ts'
import { changeLink, deleteLink, getLink } from '../domain/change-link.ts'
import { makeLink } from '../domain/make-link.ts'
import { currencyOf, plansOf } from '../domain/order-body.ts'
import { statusOf } from '../domain/status.ts'
import { LinkPage, type LinkRow, LinksPage, NewLinkPage } from '../pages/links-page.tsx'
import type { LinkInvoice } from '../link-invoice.ts'
import type { LinkRoom } from '../room.ts'
import { withRefunds } from '../shape.ts'
import { type PaymentLink, listLinks } from '../store.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'

const PAGE_ROWS = 25
const ORDERS_SHOWN = 50
const DAY = 86_400_000
const TEXTS = [
  'title',
  'description',
  'amount',
  'address',
  'image',
  'success_url',
  'cancel_url',
  'webhook_url',
  'notify',
  'expire',
  'note',
  'mode',
  'sold_max',
  'every',
  'grace_days',
] as const

/** Dashboard pages that make, list, show, change, pause and delete payment links. */
export function linkPages(room: LinkRoom): readonly (Page | Form)[] {
  const section = '/links'
  return [
    {
      path: '/links',
      permission: 'checkout',
      menu: { title: 'Links', group: 'sell', order: 25, guide: 'merchants#share-a-link' },
      done: { deleted: 'Link deleted.' },
      render: (request) => listPage(room, request),
    },
    {
      path: '/links/new',
      permission: 'checkout',
      degree: 'all',
      section,
      render: async (request) => creation(room, request, await usual(room, request)),
    },
    {
      path: '/links',
      permission: 'checkout',
      section,
      async run({ accountId, caller: { actor } }, fields, idempotency) {
        const body = await resolved(room, {
          ...toBody(fields),
          slug: fields.get('slug'),
          currency: fields.get('currency'),
        })
        const link = await makeLink(room, { owner: accountId, actor }, body, idempotency)
        return { to: `/dashboard/links/${link.id}?done=made` }
      },
      again: (request, state) => creation(room, request, toShown(state)),
    },
    ...oneLinkPages(room),
  ]
}

/** An error about a part of a list, or of a pair of fields, is shown at the field that contains it. */
function toShown({ values, error }: FormState): FormState {
  const asked = error?.field
  const [, part] = /^invoice\.(tax|seller)/.exec(asked ?? '') ?? []
  const whole =
    asked?.startsWith('plans') === true ? 'plans' : asked?.startsWith('invoice.') === true ? 'invoice' : asked
  const field = part === undefined ? whole : `invoice_${part}`
  return { values, error: error && { ...error, field: field === 'quantity' ? 'quantity_max' : field } }
}

function oneLinkPages(room: LinkRoom): readonly (Page | Form)[] {
  const done = {
    made: 'Link created. Share it with your payers.',
    saved: 'Link saved.',
    paused: 'Link paused.',
    resumed: 'Link resumed.',
  }
  const page = (request: PageRequest, filled?: FormState) => detail(room, request, filled && toShown(filled))
  const placed = { section: '/links', done, again: page }
  const ownOf = ({ params, accountId: owner, caller: { actor } }: PageRequest) => ({ id: params.id!, owner, actor })
  const back = (id: string, word: keyof typeof done) => ({ to: `/dashboard/links/${id}?done=${word}` })
  const set =
    (isPaused: boolean): Form['run'] =>
    async (request) => {
      const { id } = await changeLink(room, ownOf(request), { paused: isPaused })
      return back(id, isPaused ? 'paused' : 'resumed')
    }
  return [
    { section: '/links', done, path: '/links/:id', permission: 'checkout', render: (request) => page(request) },
    {
      ...placed,
      path: '/links/:id',
      permission: 'checkout',
      // The payment address can be changed here, so the user must have confirmed their identity.
      proof: true,
      async run(request, fields) {
        const { id } = await changeLink(room, ownOf(request), await resolved(room, toBody(fields)))
        return back(id, 'saved')
      },
    },
    { ...placed, path: '/links/:id/pause', permission: 'checkout', run: set(true), again: (request) => page(request) },
    {
      ...placed,
      path: '/links/:id/resume',
      permission: 'checkout',
      run: set(false),
      again: (request) => page(request),
    },
    {
      ...placed,
      path: '/links/:id/delete',
      permission: 'checkout',
      async run(request) {
        await deleteLink(room, ownOf(request))
        return { to: '/dashboard/links?done=deleted' }
      },
      again: (request) => page(request),
    },
  ]
}

async function listPage(room: LinkRoom, { frame, query, accountId: owner }: PageRequest) {
  const { db } = room.checkouts
  const found = await listLinks(db, { owner, limit: PAGE_ROWS + 1, after: readCursor(query.cursor) })
  const shown = found.slice(0, PAGE_ROWS)
  const next = found.length > PAGE_ROWS ? `/dashboard/links?cursor=${toCursor(shown.at(-1)!)}` : undefined
  return (
    <LinksPage
      frame={frame}
      rows={await toRows(room, shown)}
      first={query.cursor === undefined ? undefined : '/dashboard/links'}
      next={next}
    />
  )
}

async function creation(room: LinkRoom, { frame, accountId }: PageRequest, filled: FormState) {
  return <NewLinkPage frame={frame} filled={filled} {...await offeredTo(room, accountId)} />
}

const offeredTo = async ({ checkouts }: LinkRoom, accountId: string) => ({
  currencies: checkouts.ports.prices.currencies,
  walletsAllowed: await hasGeneratedWallets(checkouts, accountId),
})

/** Pre-filled, because most merchants are always paid at the same address. */
async function usual({ checkouts: { db, ports } }: LinkRoom, { accountId: owner }: PageRequest): Promise<FormState> {
  const [last] = await listCheckouts(db, ports.engine, { owner }, { limit: 1 })
  return { values: { address: last?.merchantAddress ?? '', currency: last?.currency ?? 'NANO' } }
}

async function detail(room: LinkRoom, { frame, params, accountId: owner }: PageRequest, filled?: FormState) {
  const { db, ports } = room.checkouts
  const link = await getLink(room, { id: params.id!, owner })
  const [row] = await toRows(room, [link])
  const filter = { owner, keyIds: [link.id] }
  return (
    <LinkPage
      frame={frame}
      filled={filled ?? { values: toValues(link) }}
      {...await offeredTo(room, owner)}
      link={row!}
      qrcode={ports.qrPng(room.urlOf(link.slug))}
      checkouts={await listCheckouts(db, ports.engine, filter, { limit: ORDERS_SHOWN })}
    />
  )
}

const toRows = async (room: LinkRoom, links: readonly PaymentLink[]) =>
  (await withRefunds(room, links)).map((link) => toRow(room, link))

function toRow(
  { checkouts: { clock }, urlOf }: LinkRoom,
  link: Awaited<ReturnType<typeof withRefunds>>[number],
): LinkRow {
  const { fields } = link
  const currency = currencyOf(link)
  const unit = currency === 'NANO' ? 'nano' : currency
  const plans = plansOf(link).length
  const toFiat = (e8: bigint) => (currency === 'NANO' ? null : `${formatFiat(e8)} ${currency}`)
  return {
    ...link,
    url: urlOf(link.slug),
    title: typeof fields.title === 'string' ? fields.title : null,
    status: statusOf(link, clock.now()),
    price:
      plans > 0 ? `${plans} plans` : typeof fields.amount === 'string' ? `${fields.amount} ${unit}` : 'payer chooses',
    revenueFiat: toFiat(link.revenueE8),
    refundedFiat: toFiat(link.refundedE8),
    netFiat: toFiat(link.revenueE8 - link.refundedE8),
  }
}

/** The form's values for an existing link. */
function toValues({
  fields,
  quantityMin,
  quantityMax,
  suggested,
  soldMax,
  endsAt,
  every,
  graceDays,
}: PaymentLink): Record<string, string> {
  const invoice = fields.invoice as unknown as LinkInvoice | undefined
  const texts = Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const plans = (fields.plans ?? []) as unknown as { title: string; value: string }[]
  return {
    ...Object.fromEntries(texts),
    plans: plans.map(({ title, value }) => `${title} = ${value}`).join('\n'),
    suggested: suggested.join(' '),
    invoice: invoice?.buyer ?? '',
    invoice_seller: invoice?.seller ?? '',
    invoice_tax: (invoice?.tax ?? []).map(({ title, amount }) => `${title} = ${amount}`).join('\n'),
    quantity_min: quantityMin === 1 ? '' : String(quantityMin),
    quantity_max: quantityMax === 1 ? '' : String(quantityMax),
    sold_max: soldMax === null ? '' : String(soldMax),
    every: every ?? '',
    grace_days: graceDays === 0 ? '' : String(graceDays),
    ends_unix: endsAt === null ? '' : new Date(endsAt - 1).toISOString().slice(0, 10),
  }
}

const resolved = async ({ checkouts }: LinkRoom, body: JsonObject) =>
  (await resolveNames(checkouts.names, body, paymentLink)).params

function toBody(fields: FormFields): JsonObject {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, fields.get(name)]))
  const [min, max] = [fields.get('quantity_min'), fields.get('quantity_max')]
  const hasQuantity = min !== '' || max !== ''
  return {
    ...texts,
    suggested: fields
      .get('suggested')
      .split(/[\s;]+/)
      .filter((amount) => amount !== ''),
    plans: readPairs('plans', fields.get('plans')).map(([title, value]) => ({ title, value })),
    invoice: readInvoiceFields(fields),
    quantity: hasQuantity ? { min: min === '' ? '1' : min, max: max === '' ? min : max } : null,
    ends_unix: toEnd(fields.get('ends_unix')),
  }
}

/** The end of a day. */
function toEnd(date: string): number | null {
  if (date === '') return null
  const at = Date.parse(date)
  if (Number.isNaN(at)) throw badField('ends_unix', 'Enter a date such as 2027-01-31.')
  return Math.floor((at + DAY) / 1000)
}

/** Without that choice the link makes no invoices; taxes or a seller alone are refused instead of being lost. */
function readInvoiceFields(fields: FormFields): JsonObject | null {
  const [buyer, seller] = [fields.get('invoice'), fields.get('invoice_seller')]
  const tax = readPairs('invoice_tax', fields.get('invoice_tax')).map(([title, amount]) => ({ title, amount }))
  if (buyer === '' && (seller !== '' || tax.length > 0)) {
    throw badField('invoice', 'Turn invoices on, or clear the taxes and your details.')
  }
  return buyer === '' ? null : { buyer, seller, tax }
}

/** Reads lines such as `Title = price`. */
function readPairs(field: string, text: string): [string, string][] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.lastIndexOf('=')
      if (at < 1) throw badField(field, `Enter each line as Title = amount, not “${line.slice(0, 40)}”.`)
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    })
}

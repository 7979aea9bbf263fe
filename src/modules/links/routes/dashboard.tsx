import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'
import { readChange } from '../../../kernel/resource/read.ts'
import { ownOf } from '../../../kernel/resource/routes.ts'
import { formBody, formState } from '../../../web/dashboard/resource-form.tsx'
import { findMerchant, findPayout } from '../../accounts/index.ts'
import { findUsualAddress, formatFiat, hasGeneratedWallets, listCheckouts } from '../../checkout/index.ts'
import { changeLink, deleteLink } from '../domain/change-link.ts'
import { getLink, makeLink, readLink, toLinkBody } from '../domain/make-link.ts'
import { isGift } from '../domain/order-body.ts'
import { statusOf } from '../domain/status.ts'
import { type Purpose, hasField, toPurpose } from '../pages/link-form.tsx'
import { LinkPage, type LinkRow, LinksPage, NewLinkPage } from '../pages/links-page.tsx'
import { type PaymentLink, paymentLink, paymentLinks } from '../payment-link.ts'
import type { LinkContext } from '../context.ts'
import { withRefunds } from '../shape.ts'

const PAGE_ROWS = 25
const ORDERS_SHOWN = 50

/** Dashboard pages that make, list, show, change, pause and delete payment links. */
export function linkPages(context: LinkContext): readonly (Page | Form)[] {
  const section = '/links'
  return [
    {
      path: '/links',
      permission: 'checkout',
      menu: { title: 'Links', group: 'sell', order: 25, guide: 'merchants#share-a-link' },
      done: { deleted: 'Link deleted.' },
      render: (request) => listPage(context, request),
    },
    {
      path: '/links/new',
      permission: 'checkout',
      degree: 'all',
      section,
      render: async (request) => creation(context, request, await usual(context, request)),
    },
    {
      path: '/links',
      permission: 'checkout',
      section,
      pictures: ['image'],
      async run({ accountId, caller: { actor }, frame }, fields, idempotency) {
        const values = await readLink(context, accountId, newBody(context, fields, frame.shop.timeZone))
        const link = await makeLink(context, { owner: accountId, actor }, values, idempotency)
        return { to: `/dashboard/links/${link.id}?done=made` }
      },
      again: (request, state) => creation(context, request, state),
    },
    ...oneLinkPages(context),
  ]
}

function oneLinkPages(context: LinkContext): readonly (Page | Form)[] {
  const done = {
    made: 'Link created. Share it with your payers.',
    saved: 'Link saved.',
    paused: 'Link paused.',
    resumed: 'Link resumed.',
  }
  const page = (request: PageRequest, filled?: FormState) => detail(context, request, filled)
  const placed = { section: '/links', done, again: page }
  const back = (id: string, word: keyof typeof done) => ({ to: `/dashboard/links/${id}?done=${word}` })
  const set =
    (isPaused: boolean): Form['run'] =>
    async (request) => {
      const { id } = await changeLink(context, ownOf(request), () => ({ isPaused }))
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
      pictures: ['image'],
      async run(request, fields) {
        const link = await getLink(context, { id: request.params.id!, owner: request.accountId })
        const { timeZone } = request.frame.shop
        const { values } = formState(paymentLink, context, link, undefined, timeZone)
        // The form shows only the day of the end, which may be at any time of that day. If the day was not changed, the end stays as it is.
        const isEndTouched = fields.get('ends_unix') !== values.ends_unix
        const isOf = hasField(purposeOf(link))
        const has = (wire: string) => isOf(wire) && (wire !== 'ends_unix' || isEndTouched)
        const read = formBody(paymentLink, context, 'change', fields, { currency: link.currency, timeZone, has })
        const body = await toLinkBody(context, read, request.accountId)
        const said = (held: PaymentLink) => readChange(paymentLink, context, body, held)
        const { id } = await changeLink(context, ownOf(request), said)
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
        await deleteLink(context, ownOf(request))
        return { to: '/dashboard/links?done=deleted' }
      },
      again: (request) => page(request),
    },
  ]
}

async function listPage(context: LinkContext, { frame, query, accountId: owner }: PageRequest) {
  const { db } = context.checkouts
  const found = await paymentLinks.list(db, { owner, limit: PAGE_ROWS + 1, after: readCursor(query.cursor) })
  const shown = found.slice(0, PAGE_ROWS)
  const next = found.length > PAGE_ROWS ? `/dashboard/links?cursor=${toCursor(shown.at(-1)!)}` : undefined
  return (
    <LinksPage
      frame={frame}
      rows={await toRows(context, shown)}
      first={query.cursor === undefined ? undefined : '/dashboard/links'}
      next={next}
    />
  )
}

async function creation(context: LinkContext, { frame, accountId, query }: PageRequest, filled: FormState) {
  const purpose = toPurpose(filled.values.for ?? query.for) ?? 'product'
  const merchant = await findMerchant(context.checkouts.db, accountId)
  return <NewLinkPage {...{ frame, filled, purpose, merchant }} {...await offeredTo(context, accountId)} />
}

const offeredTo = async (context: LinkContext, accountId: string) => ({
  rules: { ...paymentLink.rules(context), hasWallets: await hasGeneratedWallets(context.checkouts, accountId) },
  hasPayout: (await findPayout(context.checkouts.db, accountId)) !== null,
})

/** Pre-filled, because most merchants are always paid at the same address; an account with a payout address needs none. */
async function usual(context: LinkContext, { accountId: owner, frame: { shop } }: PageRequest): Promise<FormState> {
  const { db, ports } = context.checkouts
  const [last] = shop.currency === 'NANO' ? await listCheckouts(db, ports.engine, { owner }, { limit: 1 }) : []
  const address = (await findPayout(db, owner)) === null ? ((await findUsualAddress(db, owner)) ?? '') : ''
  return { values: { address, currency: last?.currency ?? shop.currency, every: 'month' } }
}

/** The form of a new link as a request. A product has a price, and a membership a period too, which the API does not ask of a link. */
function newBody(context: LinkContext, fields: FormFields, timeZone: string) {
  const purpose = toPurpose(fields.get('for'))
  const body = formBody(paymentLink, context, 'create', fields, { timeZone, has: hasField(purpose) })
  const isSold = purpose === 'product' || purpose === 'membership'
  // A missing amount or period becomes a value that cannot be read, so that the refusal appears beside its field.
  if (isSold && body.amount === '' && isEmpty(body.plans)) body.amount = 'none'
  if (purpose === 'membership' && body.every === '') body.every = 'none'
  return body
}

const isEmpty = (rows: unknown) => !Array.isArray(rows) || rows.length === 0

const purposeOf = (link: PaymentLink): Purpose =>
  link.every !== null ? 'membership' : isGift(link) ? 'donation' : 'product'

async function detail(context: LinkContext, { frame, params, accountId: owner }: PageRequest, filled?: FormState) {
  const { db, ports } = context.checkouts
  const link = await getLink(context, { id: params.id!, owner })
  const [row] = await toRows(context, [link])
  const filter = { owner, keyIds: [link.id] }
  return (
    <LinkPage
      frame={frame}
      filled={formState(paymentLink, context, link, filled, frame.shop.timeZone)}
      {...await offeredTo(context, owner)}
      purpose={purposeOf(link)}
      link={row!}
      qrcode={ports.qrPng(context.urlOf(link.slug))}
      checkouts={await listCheckouts(db, ports.engine, filter, { limit: ORDERS_SHOWN })}
    />
  )
}

const toRows = async (context: LinkContext, links: readonly PaymentLink[]) =>
  (await withRefunds(context, links)).map((link) => toRow(context, link))

function toRow(
  { checkouts: { clock }, urlOf }: LinkContext,
  link: Awaited<ReturnType<typeof withRefunds>>[number],
): LinkRow {
  const { currency, amount } = link
  const unit = currency === 'NANO' ? 'nano' : currency
  const plans = link.plans.length
  const toFiat = (e8: bigint) => (currency === 'NANO' ? null : `${formatFiat(e8)} ${currency}`)
  return {
    ...link,
    url: urlOf(link.slug),
    status: statusOf(link, clock.now()),
    price: plans > 0 ? `${plans} variants` : amount === null ? 'payer chooses' : `${amount} ${unit}`,
    revenueFiat: toFiat(link.revenueE8),
    refundedFiat: toFiat(link.refundedE8),
    netFiat: toFiat(link.revenueE8 - link.refundedE8),
  }
}

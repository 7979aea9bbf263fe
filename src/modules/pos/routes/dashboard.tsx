import type { Form, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import { readChange, readNew } from '../../../kernel/resource/read.ts'
import { ownOf } from '../../../kernel/resource/routes.ts'
import { formBody, formState } from '../../../web/dashboard/resource-form.tsx'
import { findPayout } from '../../accounts/index.ts'
import { findUsualAddress, listCheckouts } from '../../checkout/index.ts'
import { changePos, deletePos, getPos, rotateLink } from '../domain/change-pos.ts'
import { readDay } from '../domain/day.ts'
import { isDate } from '../../../kernel/calendar.ts'
import { linkOf, makePos } from '../domain/make-pos.ts'
import { formatUnits } from '../domain/units.ts'
import { NewPosPage, PosListPage, PosPage } from '../pages/pos-pages.tsx'
import type { PosContext } from '../context.ts'
import { type PointOfSale, pointOfSale, tills } from '../point-of-sale.ts'
import { withAddress } from './api.ts'
import { readCursor, toCursor } from '../../../kernel/paging.ts'

const PAGE_ROWS = 25
const section = '/pos'

/** Dashboard pages that make, list, show, change and delete points of sale. */
export function posPages(context: PosContext): readonly (Page | Form)[] {
  return [
    {
      path: section,
      permission: 'pos',
      menu: { title: 'Tills', group: 'sell', order: 26, guide: 'merchants#sell-at-a-counter' },
      done: { deleted: 'Point of sale deleted.' },
      render: (request) => listPage(context, request),
    },
    {
      path: '/pos/new',
      degree: 'all',
      section,
      permission: 'checkout',
      render: async (request) => creation(context, request, await usual(context, request)),
    },
    {
      path: section,
      section,
      permission: 'checkout',
      async run({ accountId: owner, caller: { actor } }, fields, idempotency) {
        const body = await withAddress(context, formBody(pointOfSale, context, 'create', fields))
        const { id } = await makePos(context, { owner, actor }, readNew(pointOfSale, context, body), idempotency)
        return { to: `/dashboard/pos/${id}?done=made` }
      },
      again: (request, state) => creation(context, request, state),
    },
    ...onePosPages(context),
  ]
}

function onePosPages(context: PosContext): readonly (Page | Form)[] {
  const done = {
    made: 'Point of sale created. Open its link on the cashier’s phone.',
    saved: 'Point of sale saved.',
    rotated: 'New link created. The old one no longer works.',
    pin: 'PIN set. Every device must sign in again.',
    open: 'PIN removed.',
    paused: 'Point of sale paused.',
    resumed: 'Point of sale resumed.',
  }
  const page = (request: PageRequest, filled?: FormState) => detail(context, request, filled)
  const placed = { section, done, permission: 'checkout', again: page } as const
  const back = ({ id }: PointOfSale, word: keyof typeof done) => ({ to: `/dashboard/pos/${id}?done=${word}` })
  const set =
    (isPaused: boolean): Form['run'] =>
    async (request) =>
      back(await changePos(context, ownOf(request), () => ({ isPaused })), isPaused ? 'paused' : 'resumed')
  const change = (request: PageRequest, body: object) =>
    changePos(context, ownOf(request), (held) => readChange(pointOfSale, context, { ...body }, held))
  return [
    { section, done, path: '/pos/:id', permission: 'pos', render: (request) => page(request) },
    {
      ...placed,
      // The payment address can be changed here, so the user must have confirmed their identity.
      proof: true,
      path: '/pos/:id',
      async run(request, fields) {
        return back(
          await change(request, await withAddress(context, formBody(pointOfSale, context, 'change', fields))),
          'saved',
        )
      },
    },
    {
      ...placed,
      path: '/pos/:id/pin',
      async run(request, fields) {
        if (fields.get('remove') === 'yes') {
          return back(await change(request, { pin_required: false }), 'open')
        }
        return back(await change(request, { pin: fields.get('pin'), pin_required: true }), 'pin')
      },
    },
    {
      ...placed,
      proof: true,
      path: '/pos/:id/rotate',
      run: async (request) => back(await rotateLink(context, ownOf(request)), 'rotated'),
      again: (request) => page(request),
    },
    { ...placed, path: '/pos/:id/pause', run: set(true), again: (request) => page(request) },
    { ...placed, path: '/pos/:id/resume', run: set(false), again: (request) => page(request) },
    {
      ...placed,
      path: '/pos/:id/delete',
      async run(request) {
        await deletePos(context, ownOf(request))
        return { to: '/dashboard/pos?done=deleted' }
      },
      again: (request) => page(request),
    },
  ]
}

async function listPage(context: PosContext, { frame, query, accountId: owner, may }: PageRequest) {
  const found = await tills.list(context.checkouts.db, { owner, limit: PAGE_ROWS + 1, after: readCursor(query.cursor) })
  const rows = found.slice(0, PAGE_ROWS)
  const next = found.length > PAGE_ROWS ? `/dashboard/pos?cursor=${toCursor(rows.at(-1)!)}` : undefined
  const first = query.cursor === undefined ? undefined : '/dashboard/pos'
  return <PosListPage {...{ frame, rows, first, next }} isManaged={may('checkout')} />
}

const creation = (context: PosContext, { frame }: PageRequest, filled: FormState) =>
  Promise.resolve(<NewPosPage frame={frame} filled={filled} rules={pointOfSale.rules(context)} />)

/** Pre-filled, because most merchants are always paid at the same address; an account with a payout address needs none. */
async function usual(
  { checkouts: { db, ports } }: PosContext,
  { accountId: owner, frame: { shop } }: PageRequest,
): Promise<FormState> {
  const [last] = shop.currency === 'NANO' ? await listCheckouts(db, ports.engine, { owner }, { limit: 1 }) : []
  const address = (await findPayout(db, owner)) === null ? ((await findUsualAddress(db, owner)) ?? '') : ''
  // A till without a zone takes that of its browser.
  const zone = shop.timeZone === 'UTC' ? '' : shop.timeZone
  return { values: { address, currency: last?.currency ?? shop.currency, time_zone: zone } }
}

async function detail(
  context: PosContext,
  { frame, params, query, accountId: owner, may }: PageRequest,
  filled?: FormState,
) {
  const pos = await getPos(context, { id: params.id!, owner })
  const { currency } = pos
  // Cashiers see today's sales and the link to the till only.
  const isManaged = may('checkout')
  const day = await readDay(context, pos, isManaged && isDate(query.date ?? '') ? query.date : undefined)
  const link = linkOf(context, pos)
  const show = (units: bigint) => `${formatUnits(currency, units) ?? '–'} ${currency === 'NANO' ? 'nano' : currency}`
  return (
    <PosPage
      frame={frame}
      filled={formState(pointOfSale, context, pos, filled)}
      rules={pointOfSale.rules(context)}
      pos={pos}
      isManaged={isManaged}
      link={link}
      qrcode={context.checkouts.ports.qrPng(link)}
      day={day}
      sums={{
        total: show(day.totals.totalUnits),
        tips: show(day.totals.tipUnits),
        refunded: show(day.totals.refundedUnits),
        ofSale: show,
      }}
    />
  )
}

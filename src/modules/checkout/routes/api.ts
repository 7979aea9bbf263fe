import { answer } from '../../../kernel/answers.ts'
import { bodyOfAction } from '../../../kernel/described.ts'
import { readCursor, readWhole } from '../../../kernel/paging.ts'
import type { AccountCaller, AccountRequest, Route } from '../../../kernel/route.ts'
import { type ApiRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import { requireScope } from '../../../kernel/rights.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { resolveNames } from '../../names/index.ts'
import { delivery, eventWithDeliveries, listEventsOf, redeliver } from '../../webhooks/index.ts'
import { checkoutRefund } from '../actions/checkout-refund.ts'
import { checkout as checkoutAction } from '../actions/checkout.ts'
import { CHECKOUT_WALLET, MADE_CHECKOUT, OVERVIEW, STATS } from '../answers.ts'
import { OWN_CHECKOUT, moment, ownCheckout, payment } from '../views.ts'
import { ADDITIONAL_STATUSES, REFUND_MARKERS } from '../record.ts'
import type { CheckoutContext } from '../context.ts'
import { showOwn, showUnmatched } from '../domain/show.ts'
import { deleteCheckout } from '../domain/end.ts'
import { exportPayments } from '../domain/export.ts'
import { markPaid } from '../domain/mark.ts'
import { LIMIT_MAX, listOwn, readOverview, readStats } from '../domain/report.ts'
import { updateCheckout } from '../domain/update.ts'
import { showRefunds } from '../refunds/follow.ts'
import { refundCheckout } from '../refunds/refund.ts'
import { readRefund } from '../refunds/request.ts'
import { ownRefund } from '../refunds/shape.ts'
import { toResponse } from '../shape.ts'
import { idOf, readHash } from '../wire-fields.ts'
import { describedCheckRoutes } from './check.ts'
import { describedPayEventRoutes } from './pay-events.ts'
import { describedPayRoutes } from './pay.tsx'
import { describedProofRoutes } from './proof.tsx'
import { createOpener } from './open-from-fields.ts'
import { exportMonth } from './statement.tsx'

const { text, bool, integer, optional, orNull, list, record, words } = answer
const STATUSES = ['pending', 'detected', 'partial', 'complete', 'expired', 'cancelled', 'paid', 'all']

const CHANGED = record({ success: bool, checkout: OWN_CHECKOUT })
const REFUND_BODY = bodyOfAction(checkoutRefund, 'id')
const BODY = bodyOfAction(checkoutAction, 'public_key')
/** Its lifetime and the parts of its price can be set only when it is made. */
const CHANGE_BODY = bodyOfAction(checkoutAction, 'public_key', 'template', 'expire', 'line_items', 'shipping')

const shared = { tag: 'checkout', who: 'account' } as const

interface Area {
  ctx: CheckoutContext
  open: ReturnType<typeof createOpener>
  seesAll(caller: AccountCaller): boolean
}

/** Undefined means all accounts; to see other accounts' checkouts, a key must be allowed to manage keys. */
function ownerFor({ seesAll }: Area, caller: AccountCaller): string | undefined {
  if (!seesAll(caller)) return caller.accountId
  requireScope(caller, 'keys')
  return undefined
}

/** Routes with fixed words come before those that match any id. */
const routesAt = (path: string, suffix: string, whose: string): readonly ApiRoute<Area>[] => [
  {
    ...shared,
    method: 'get',
    path,
    id: `listCheckouts${suffix}`,
    summary: `Checkouts ${whose}, newest first.`,
    query: [
      { name: 'limit', schema: integer, description: 'How many at most: 1 to 100, 25 by default.' },
      { name: 'offset', schema: integer, description: 'How many to skip.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page; instead of `offset`.' },
      {
        name: 'status',
        schema: words(...STATUSES, ...REFUND_MARKERS),
        description: 'Only those with this status; `paid` means `complete`.',
      },
      {
        name: 'additional_status',
        schema: words(...ADDITIONAL_STATUSES, ...REFUND_MARKERS),
        description: 'Only those with this one.',
      },
    ],
    answer: record({
      checkouts: list(OWN_CHECKOUT),
      total: integer,
      limit: integer,
      offset: integer,
      next_cursor: orNull(text),
    }),
    scope: 'checkout',
    run: async (area, { caller, query }) => ({ json: await listOwn(area.ctx, query, ownerFor(area, caller)) }),
  },
  {
    ...shared,
    method: 'post',
    path,
    id: `createCheckout${suffix}`,
    summary: 'Create a checkout.',
    body: BODY,
    once: true,
    status: 201,
    answer: MADE_CHECKOUT,
    refuses: [403, 404, 409, 502, 503, 504],
    scope: 'checkout',
    async run({ ctx, open }, { caller, body, once }) {
      const make = await open(caller, body())
      const made = await once('checkouts.create', async (idempotency) => toResponse(ctx.ports, await make(idempotency)))
      return { status: 201, json: made }
    },
  },
  {
    ...shared,
    method: 'get',
    path: `${path}/stats`,
    id: `getCheckoutStats${suffix}`,
    summary: 'Totals of the account’s checkouts, and of each of the last 30 days.',
    answer: STATS,
    scope: 'reports',
    run: async ({ ctx }, { caller }) => ({ json: await readStats(ctx, caller.accountId) }),
  },
  {
    ...shared,
    method: 'get',
    path: `${path}/overview`,
    id: `getCheckoutOverview${suffix}`,
    summary: 'The same for all accounts.',
    who: 'administrator',
    answer: OVERVIEW,
    scope: 'keys',
    run: async ({ ctx }) => ({ json: await readOverview(ctx) }),
  },
  {
    ...shared,
    method: 'get',
    path: `${path}/unmatched`,
    id: `listUnmatchedPayments${suffix}`,
    summary: 'Payments to an address of the account that match no checkout.',
    query: [
      { name: 'limit', schema: integer, description: 'How many at most: 1 to 100, 100 by default.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
    ],
    answer: record({ payments: list(payment.schema), total: integer, limit: integer, next_cursor: orNull(text) }),
    scope: 'reports',
    async run({ ctx }, { caller: { accountId: owner }, query }) {
      const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_MAX })
      return { json: await showUnmatched(ctx, { owner, limit, after: readCursor(query.cursor) }) }
    },
  },
  {
    ...shared,
    method: 'get',
    path: `${path}/export.csv`,
    id: `exportPayments${suffix}`,
    summary: 'All payments and refunds as CSV.',
    type: 'text/csv',
    answer: text,
    scope: 'reports',
    run: (area, { caller }) => ({
      rows: exportPayments(area.ctx, ownerFor(area, caller)),
      type: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': 'attachment; filename="payments.csv"' },
    }),
  },
  {
    ...shared,
    method: 'get',
    path: `${path}/statement.csv`,
    id: `exportStatement${suffix}`,
    summary: 'Sales, refunds and other payments of the account in a month, as CSV.',
    query: [
      { name: 'month', schema: text, description: 'Such as 2026-10; by default this month.' },
      {
        name: 'time_zone',
        schema: text,
        description: 'Time zone of the month, such as Europe/Berlin; that of the shop by default.',
      },
    ],
    type: 'text/csv',
    answer: text,
    scope: 'reports',
    run: ({ ctx }, { caller, query }) => exportMonth(ctx, caller.accountId, query),
  },
  {
    ...shared,
    method: 'get',
    path: `${path}/{id}`,
    id: `getCheckout${suffix}`,
    summary: 'A checkout with its payments, events and history.',
    answer: record({
      checkout: OWN_CHECKOUT,
      payments: list(payment.schema),
      webhook_events: list(eventWithDeliveries.schema),
      wallet: orNull(CHECKOUT_WALLET),
      timeline: list(moment.schema),
    }),
    scope: 'checkout',
    async run(area, { caller, params }) {
      const view = { owner: ownerFor(area, caller), showEvent: eventWithDeliveries.show }
      return { json: await showOwn(area.ctx, params.id!, view) }
    },
  },
  {
    ...shared,
    method: 'put',
    path: `${path}/{id}`,
    id: `updateCheckout${suffix}`,
    summary: 'Change a checkout: its texts until it is paid, its price until a payer has opened it.',
    body: { ...CHANGE_BODY, example: { title: 'Coffee' } },
    answer: CHANGED,
    refuses: [403, 409, 502, 504],
    scope: 'checkout',
    // The payment address can be changed here, so the caller must have confirmed their identity.
    proof: true,
    async run({ ctx }, { caller: { accountId, actor }, params, body }) {
      const { params: named } = await resolveNames(ctx.names, body(), checkoutAction)
      const request = { id: idOf(params), owner: accountId, actor, body: named }
      return { json: { success: true, checkout: ownCheckout.show(await updateCheckout(ctx, request), ctx.ports) } }
    },
  },
  {
    ...shared,
    method: 'delete',
    path: `${path}/{id}`,
    id: `deleteCheckout${suffix}`,
    summary: 'Cancel an open checkout, or hide a finished one.',
    answer: record({ success: bool, deleted: bool, id: text }),
    refuses: [409],
    scope: 'checkout',
    async run({ ctx }, { caller: { accountId, actor }, params }) {
      const { id } = await deleteCheckout(ctx, { id: idOf(params), owner: accountId, actor })
      return { json: { success: true, deleted: true, id } }
    },
  },
  {
    ...shared,
    method: 'post',
    path: `${path}/{id}/mark`,
    id: `markCheckoutPaid${suffix}`,
    summary: 'Mark a checkout as paid, by a block if there is one.',
    body: { schema: record({ block_hash: optional(answer.hash) }), example: {}, required: false },
    answer: CHANGED,
    refuses: [403, 409],
    scope: 'checkout',
    async run({ ctx }, { caller: { accountId, actor }, params, body }) {
      const request = { id: idOf(params), owner: accountId, actor, blockHash: readHash(body()) }
      return { json: { success: true, checkout: ownCheckout.show(await markPaid(ctx, request), ctx.ports) } }
    },
  },
  {
    ...shared,
    method: 'get',
    path: `${path}/{id}/refunds`,
    id: `listRefunds${suffix}`,
    summary: 'Refunds of a checkout, and how much can still be refunded.',
    answer: record({ refunds: list(ownRefund.schema), refundable: answer.nano, refundable_raw: answer.raw }),
    scope: 'refunds',
    run: async (area, { caller, params }) => ({
      json: await showRefunds(area.ctx, { id: idOf(params), owner: ownerFor(area, caller) }),
    }),
  },
  {
    ...shared,
    method: 'post',
    path: `${path}/{id}/refunds`,
    id: `refundCheckout${suffix}`,
    summary: 'Refund what was paid, or a part of it.',
    once: true,
    status: 201,
    body: { ...REFUND_BODY, example: { amount: '0.5', reason: 'Sold out' }, required: false },
    answer: ownRefund.schema,
    refuses: [403, 409, 502, 503, 504],
    scope: 'refunds',
    proof: true,
    run: async ({ ctx }, request) => ({ status: 201, json: await refund(ctx, request) }),
  },
  {
    ...shared,
    method: 'post',
    path: `${path}/{id}/redeliver`,
    id: `redeliverCheckoutEvents${suffix}`,
    summary: 'Send the events of a checkout again.',
    once: true,
    answer: record({ success: bool, redelivered: integer, deliveries: list(delivery.schema) }),
    scope: 'checkout',
    run: async ({ ctx }, request) => ({ json: await redeliverAll(ctx, request) }),
  },
]

const own = routesAt('/api/checkouts', '', 'of the account')
const ofAdmin = routesAt(
  '/api/admin/checkouts',
  'AsAdmin',
  'of all accounts for administrators, and of the account for others',
)

/**
 * Checkouts under `/api/checkouts` and `/api/admin/checkouts` (contract 4.5). The word admin in a path grants nothing: only
 * administrators see more than their own account there.
 */
export function apiRoutes(ctx: CheckoutContext): readonly Route[] {
  const open = createOpener(ctx)
  return [
    ...routesOf(own, { ctx, open, seesAll: () => false }),
    ...routesOf(ofAdmin, { ctx, open, seesAll: ({ role }) => role === 'admin' }),
  ]
}

export const describedCheckoutRoutes = [
  ...describedOf([...own, ...ofAdmin]),
  ...describedCheckRoutes,
  ...describedProofRoutes,
  ...describedPayRoutes,
  ...describedPayEventRoutes,
]

function redeliverAll(ctx: CheckoutContext, { caller, params, once }: AccountRequest): Promise<JsonObject> {
  const { accountId } = caller
  return once('checkouts.redeliver', async (idempotency) => {
    const id = idOf(params)
    await showOwn(ctx, id, { owner: accountId, showEvent: eventWithDeliveries.show })
    const events = await listEventsOf(ctx, { subject: id, accountId })
    const deliveries = await redeliver(ctx, { accountId, eventIds: events.map((event) => event.id), idempotency })
    return { success: true, redelivered: deliveries.length, deliveries: deliveries.map(delivery.show) }
  })
}

async function refund(
  ctx: CheckoutContext,
  { caller, params, body, once, setHeader }: AccountRequest,
): Promise<JsonObject> {
  const { accountId, rights, actor } = caller
  const id = idOf(params)
  const { params: named } = await resolveNames(ctx.names, body(), checkoutRefund)
  const request = readRefund(named)
  return once('checkouts.refund', async (idempotency) => {
    const by = { id, owner: accountId, actor, rights, replays: () => setHeader('idempotent-replayed', 'true') }
    const refunded = await refundCheckout(ctx, by, request, idempotency)
    return ownRefund.show(refunded, ctx.ports)
  })
}

import { readCursor, readWhole, toCursor } from '../../../kernel/paging.ts'
import type { AccountCaller, AccountRequest, Route } from '../../../kernel/route.ts'
import { requireScope } from '../../../kernel/rights.ts'
import type { JsonObject } from '../../../kernel/shape.ts'
import { resolveNames } from '../../names/index.ts'
import { listEventsOf, redeliver, showDelivery, showEventWithDeliveries } from '../../webhooks/index.ts'
import { checkoutRefund } from '../actions/checkout-refund.ts'
import { checkout as checkoutAction } from '../actions/checkout.ts'
import type { CheckoutRoom } from '../room.ts'
import { asOrdered, listBeside, showOwn, showUnmatched } from '../domain/show.ts'
import { deleteCheckout } from '../domain/end.ts'
import { exportPayments } from '../domain/export.ts'
import { markPaid } from '../domain/mark.ts'
import { readOverview, readStanding, readStats } from '../domain/report.ts'
import { updateCheckout } from '../domain/update.ts'
import { badField, checkoutNotFound } from '../errors.ts'
import { showRefunds } from '../refunds/follow.ts'
import { refundCheckout } from '../refunds/refund.ts'
import { readRefund } from '../refunds/request.ts'
import { showRefund } from '../refunds/shape.ts'
import { countByStatus, listCheckouts } from '../report-store.ts'
import { toOwnView, toResponse } from '../shape.ts'
import type { Checkout } from '../record.ts'
import { toCheckoutId } from '../wire-fields.ts'
import { createOpener } from './open-from-fields.ts'
import { statementRoute } from './statement.tsx'

const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100

/**
 * Checkouts under `/api/checkouts` and `/api/admin/checkouts` (contract 4.5). The word admin in a path grants nothing: only
 * administrators see more than their own account there.
 */
export function apiRoutes(ctx: CheckoutRoom): readonly Route[] {
  const areas: Area[] = [
    { ctx, path: '/api/checkouts', seesAll: () => false },
    { ctx, path: '/api/admin/checkouts', seesAll: ({ role }) => role === 'admin' },
  ]
  // Routes with fixed words come before those that match any id.
  return areas.flatMap((area) => [...listRoutes(area), ...oneRoutes(area)])
}

interface Area {
  ctx: CheckoutRoom
  path: string
  seesAll(caller: AccountCaller): boolean
}

/** Undefined means all accounts; to see other accounts' checkouts, a key must be allowed to manage keys. */
function ownerFor({ seesAll }: Area, caller: AccountCaller): string | undefined {
  if (!seesAll(caller)) return caller.accountId
  requireScope(caller, 'keys')
  return undefined
}

function listRoutes(area: Area): readonly Route[] {
  const { ctx, path } = area
  const open = createOpener(ctx)
  return [
    {
      method: 'GET',
      path,
      door: 'account',
      scope: 'checkout',
      run: async ({ caller, query }) => ({ json: await list(ctx, query, ownerFor(area, caller)) }),
    },
    {
      method: 'POST',
      path,
      door: 'account',
      scope: 'checkout',
      async run({ caller, body, once }) {
        const make = await open(caller, body())
        const made = await once('checkouts.create', async (idempotency) =>
          toResponse(ctx.ports, await make(idempotency)),
        )
        return { status: 201, json: made }
      },
    },
    {
      method: 'GET',
      path: `${path}/stats`,
      door: 'account',
      scope: 'reports',
      run: async ({ caller }) => ({ json: await readStats(ctx, caller.accountId) }),
    },
    {
      method: 'GET',
      path: `${path}/overview`,
      door: 'administrator',
      scope: 'keys',
      run: async () => ({ json: await readOverview(ctx) }),
    },
    {
      method: 'GET',
      path: `${path}/unmatched`,
      door: 'account',
      scope: 'reports',
      async run({ caller: { accountId: owner }, query }) {
        const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_MAX })
        return { json: await showUnmatched(ctx, { owner, limit, after: readCursor(query.cursor) }) }
      },
    },
    {
      method: 'GET',
      path: `${path}/export.csv`,
      door: 'account',
      scope: 'reports',
      run: ({ caller }) => ({
        rows: exportPayments(ctx, ownerFor(area, caller)),
        type: 'text/csv; charset=utf-8',
        headers: { 'content-disposition': 'attachment; filename="payments.csv"' },
      }),
    },
    statementRoute(ctx, path),
  ]
}

function oneRoutes(area: Area): readonly Route[] {
  const { ctx, path } = area
  return [
    {
      method: 'GET',
      path: `${path}/:id`,
      door: 'account',
      scope: 'checkout',
      async run({ caller, params }) {
        const view = { owner: ownerFor(area, caller), showEvent: showEventWithDeliveries }
        return { json: await showOwn(ctx, params.id!, view) }
      },
    },
    {
      method: 'PUT',
      path: `${path}/:id`,
      door: 'account',
      scope: 'checkout',
      // The payment address can be changed here, so the caller must have confirmed their identity.
      proof: true,
      async run({ caller: { accountId, actor }, params, body }) {
        const { params: named } = await resolveNames(ctx.names, body(), checkoutAction)
        const request = { id: idOf(params), owner: accountId, actor, body: named }
        return { json: { success: true, checkout: toOwnView(ctx.ports, await updateCheckout(ctx, request)) } }
      },
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      door: 'account',
      scope: 'checkout',
      async run({ caller: { accountId, actor }, params }) {
        const { id } = await deleteCheckout(ctx, { id: idOf(params), owner: accountId, actor })
        return { json: { success: true, deleted: true, id } }
      },
    },
    {
      method: 'POST',
      path: `${path}/:id/mark`,
      door: 'account',
      scope: 'checkout',
      async run({ caller: { accountId, actor }, params, body }) {
        const request = { id: idOf(params), owner: accountId, actor, blockHash: readHash(body()) }
        return { json: { success: true, checkout: toOwnView(ctx.ports, await markPaid(ctx, request)) } }
      },
    },
    {
      method: 'GET',
      path: `${path}/:id/refunds`,
      door: 'account',
      scope: 'refunds',
      run: async ({ caller, params }) => ({
        json: await showRefunds(ctx, { id: idOf(params), owner: ownerFor(area, caller) }),
      }),
    },
    {
      method: 'POST',
      path: `${path}/:id/refunds`,
      door: 'account',
      scope: 'refunds',
      proof: true,
      run: async (request) => ({ status: 201, json: await refund(ctx, request) }),
    },
    {
      method: 'POST',
      path: `${path}/:id/redeliver`,
      door: 'account',
      scope: 'checkout',
      run: async (request) => ({ json: await redeliverAll(ctx, request) }),
    },
  ]
}

function redeliverAll(ctx: CheckoutRoom, { caller, params, once }: AccountRequest): Promise<JsonObject> {
  const { accountId } = caller
  return once('checkouts.redeliver', async (idempotency) => {
    const id = idOf(params)
    await showOwn(ctx, id, { owner: accountId, showEvent: showEventWithDeliveries })
    const events = await listEventsOf(ctx, { subject: id, accountId })
    const deliveries = await redeliver(ctx, { accountId, eventIds: events.map((event) => event.id), idempotency })
    return { success: true, redelivered: deliveries.length, deliveries: deliveries.map(showDelivery) }
  })
}

async function refund(ctx: CheckoutRoom, { caller, params, body, once, tell }: AccountRequest): Promise<JsonObject> {
  const { accountId, rights, actor } = caller
  const id = idOf(params)
  const { params: named } = await resolveNames(ctx.names, body(), checkoutRefund)
  const request = readRefund(named)
  return once('checkouts.refund', async (idempotency) => {
    const by = { id, owner: accountId, actor, rights, replays: () => tell('idempotent-replayed', 'true') }
    const refunded = await refundCheckout(ctx, by, request, idempotency)
    return showRefund(ctx.ports, refunded)
  })
}

async function list(ctx: CheckoutRoom, query: AccountRequest['query'], owner: string | undefined): Promise<JsonObject> {
  const { db, ports } = ctx
  const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT })
  const offset = readWhole('offset', query.offset, { min: 0, max: 1_000_000, otherwise: 0 })
  const filter = { owner, ...readStanding(query) }
  const after = readCursor(query.cursor)
  const checkouts = await listCheckouts(db, ports.engine, filter, { limit, offset: after ? 0 : offset, after })
  const counts = await countByStatus(db, ports.engine, filter)
  const last = checkouts.length === limit ? checkouts.at(-1) : undefined
  const refunds = await listBeside(ctx, checkouts)
  const show = async (one: Checkout) => ({
    ...toOwnView(ports, (await asOrdered(ctx, one)).checkout),
    ...refunds.get(one.id),
  })
  return {
    checkouts: await Promise.all(checkouts.map(show)),
    total: counts.reduce((sum, { count }) => sum + count, 0),
    limit,
    offset,
    next_cursor: last ? toCursor(last) : null,
  }
}

function readHash({ block_hash: hash }: Readonly<Record<string, unknown>>): string | undefined {
  if (hash === undefined || hash === null || hash === '') return undefined
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/i.test(hash)) {
    throw badField('block_hash', 'Invalid block hash', 'invalid_hash')
  }
  return hash.toUpperCase()
}

function idOf({ id = '' }: Readonly<Record<string, string>>): string {
  const known = toCheckoutId(id)
  if (known === undefined) throw checkoutNotFound()
  return known
}

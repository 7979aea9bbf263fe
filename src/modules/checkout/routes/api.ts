import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { createIgnoredFields } from '../kernel/ignored-fields.ts'
import { resolveNames } from '../modules/names/index.ts'
import { AppError } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/shape.ts'
import {
  type CheckoutCtx,
  asOrdered,
  badField,
  checkoutAction,
  checkoutNotFound,
  countByStatus,
  deleteCheckout,
  exportPayments,
  listCheckouts,
  markPaid,
  readOverview,
  readStats,
  readStatus,
  showOwn,
  showUnmatched,
  toCheckoutId,
  toOwnView,
  toResponse,
  updateCheckout,
} from '../modules/checkout/index.ts'
import { listEventsOf, redeliver, showDelivery, showEventWithDeliveries } from '../modules/webhooks/index.ts'
import { readCursor, toCursor } from '../modules/checkout/routes/cursor.ts'
import { onceFor } from './once-for.ts'
import { createOpener } from '../modules/checkout/routes/open-from-fields.ts'
import type { Call, RestPart } from './rest.ts'

const LIMIT_DEFAULT = 25
const LIMIT_MAX = 100
const CSV_HEADERS = {
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': 'attachment; filename="payments.csv"',
}

/**
 * Checkouts under `/api/checkouts` and `/api/admin/checkouts` (contract 4.5). The word admin in a path opens nothing by
 * itself: it lets an administrator see beyond an own account, and nobody else.
 */
export function checkoutRoutes(ctx: CheckoutCtx): RestPart {
  return (api, forAccount) => {
    mountAt(api, '/checkouts', { forAccount, ctx, seesAll: () => false })
    mountAt(api, '/admin/checkouts', { forAccount, ctx, seesAll: ({ caller }) => caller.role === 'admin' })
  }
}

interface Area {
  forAccount: Parameters<RestPart>[1]
  ctx: CheckoutCtx
  seesAll(call: Call): boolean
}

function mountAt(api: FastifyInstance, path: string, { forAccount, ctx, seesAll }: Area): void {
  const open = createOpener(ctx)
  const ignoredIn = createIgnoredFields(checkoutAction)
  /** Undefined is everybody. */
  const ownerFor = (call: Call) => (seesAll(call) ? undefined : call.caller.accountId)

  api.get(
    path,
    forAccount((call) => list(ctx, call, ownerFor(call))),
  )
  api.post(
    path,
    forAccount(async (call, reply) => {
      const make = await open(call.caller, call.body)
      const { secrets } = ctx.till
      const ignored = ignoredIn(call.body)
      if (ignored !== undefined) void reply.header('x-ignored-fields', ignored)
      void reply.code(201)
      return onceFor({ ...ctx, secrets }, { action: 'checkouts.create', call, reply }, async (deed) =>
        toResponse(ctx.till, await make(deed)),
      )
    }),
  )
  // The fixed words come before any id.
  api.get(
    `${path}/stats`,
    forAccount(({ caller }) => readStats(ctx, caller.accountId)),
  )
  api.get(
    `${path}/overview`,
    forAccount(({ caller }) => {
      if (caller.role !== 'admin') throw new AppError('feature_disabled', 'Only administrators may see this.')
      return readOverview(ctx)
    }),
  )
  api.get(
    `${path}/unmatched`,
    forAccount(({ caller }) => showUnmatched(ctx, caller.accountId)),
  )
  api.get(
    `${path}/export.csv`,
    forAccount(async (call, reply) =>
      reply.headers(CSV_HEADERS).send(Readable.from(exportPayments(ctx, ownerFor(call)))),
    ),
  )
  api.get(
    `${path}/:id`,
    forAccount((call) => showOwn(ctx, call.params.id!, { owner: ownerFor(call), showEvent: showEventWithDeliveries })),
  )
  api.put(
    `${path}/:id`,
    forAccount(async ({ caller: { accountId }, params, body }) => {
      const { params: named } = await resolveNames(ctx.names, body, checkoutAction)
      const request = { id: idOf(params), owner: accountId, actor: accountId, body: named }
      const updated = await updateCheckout(ctx, request)
      return { success: true, checkout: toOwnView(ctx.till, updated) }
    }),
  )
  api.delete(
    `${path}/:id`,
    forAccount(async ({ caller: { accountId }, params }) => {
      const { id } = await deleteCheckout(ctx, { id: idOf(params), owner: accountId, actor: accountId })
      return { success: true, deleted: true, id }
    }),
  )
  api.post(
    `${path}/:id/mark`,
    forAccount(async ({ caller: { accountId }, params, body }) => {
      const request = { id: idOf(params), owner: accountId, actor: accountId, blockHash: readHash(body) }
      return { success: true, checkout: toOwnView(ctx.till, await markPaid(ctx, request)) }
    }),
  )
  api.post(
    `${path}/:id/redeliver`,
    forAccount((call, reply) => {
      const { accountId } = call.caller
      const { secrets } = ctx.till
      return onceFor({ ...ctx, secrets }, { action: 'checkouts.redeliver', call, reply }, async (deed) => {
        const id = idOf(call.params)
        await showOwn(ctx, id, { owner: accountId, showEvent: showEventWithDeliveries })
        const events = await listEventsOf(ctx, { subject: id, accountId })
        const deliveries = await redeliver(ctx, { accountId, eventIds: events.map((event) => event.id), deed })
        return { success: true, redelivered: deliveries.length, deliveries: deliveries.map(showDelivery) }
      })
    }),
  )
}

async function list(ctx: CheckoutCtx, { query }: Call, owner: string | undefined): Promise<JsonObject> {
  const { db, till } = ctx
  const limit = readWhole('limit', query.limit, { min: 1, max: LIMIT_MAX, otherwise: LIMIT_DEFAULT })
  const offset = readWhole('offset', query.offset, { min: 0, max: 1_000_000, otherwise: 0 })
  const filter = { owner, status: readStatus(query.status) }
  const after = readCursor(query.cursor)
  const checkouts = await listCheckouts(db, till.engine, filter, { limit, offset: after ? 0 : offset, after })
  const counts = await countByStatus(db, till.engine, filter)
  const last = checkouts.length === limit ? checkouts.at(-1) : undefined
  return {
    checkouts: await Promise.all(checkouts.map(async (one) => toOwnView(till, (await asOrdered(ctx, one)).checkout))),
    total: counts.reduce((sum, { count }) => sum + count, 0),
    limit,
    offset,
    next_cursor: last ? toCursor(last) : null,
  }
}

function readWhole(
  field: string,
  value: unknown,
  { min, max, otherwise }: { min: number; max: number; otherwise: number },
): number {
  if (value === undefined || value === '') return otherwise
  const number = typeof value === 'string' && /^[0-9]{1,7}$/.test(value) ? Number(value) : NaN
  if (!(number >= min && number <= max)) throw badField(field, `${field} must be a whole number from ${min} to ${max}.`)
  return number
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

import { type Route, type RouteLimit, type RouteRequest, canBeId } from '../../../kernel/route.ts'
import { readDay } from '../domain/day.ts'
import { enterAsCashier, enterPos } from '../domain/enter.ts'
import { sell } from '../domain/sell.ts'
import { signIn } from '../domain/sign-in.ts'
import { saleNotFound } from '../errors.ts'
import type { PosContext } from '../context.ts'
import { findSale } from '../sales-store.ts'
import { showDay, showSale, showTill } from '../shape.ts'

export interface TillLimits {
  look: RouteLimit
  sale: RouteLimit
  pin: RouteLimit
}

/** In custom headers: browsers do not send these for other sites' pages, and no log records them. */
const credentialsOf = ({ header }: RouteRequest) => ({ token: header('pos-token'), session: header('pos-session') })

/** Requests of a cashier's page. The link grants these and nothing else of the account. */
export function tillRoutes(context: PosContext, limits: TillLimits): readonly Route[] {
  const cashierOf = (request: RouteRequest) => enterAsCashier(context, request.params.id!, credentialsOf(request))
  return [
    {
      method: 'POST',
      path: '/pos/:id/sign-in',
      access: 'open',
      limit: limits.pin,
      async run(request) {
        const { header, params, ip, fields } = request
        const pos = await enterPos(context, params.id!, header('pos-token'))
        const { pin } = fields()
        const tried = { pin, device: header('pos-device'), visitor: ip }
        const { session, device, endsAt } = await signIn(context, pos, tried)
        return { json: { session, device, ends_unix: Math.floor(endsAt / 1000) } }
      },
    },
    {
      method: 'GET',
      path: '/pos/:id/till',
      access: 'open',
      limit: limits.look,
      run: async (request) => ({ json: await showTill(context, await cashierOf(request)) }),
    },
    {
      method: 'POST',
      path: '/pos/:id/sales',
      access: 'open',
      limit: limits.sale,
      async run(request) {
        const pos = await cashierOf(request)
        return { status: 201, json: await showSale(context, pos, await sell(context, pos, request.fields())) }
      },
    },
    {
      method: 'GET',
      path: '/pos/:id/sales/:sale',
      access: 'open',
      limit: limits.look,
      async run(request) {
        const pos = await cashierOf(request)
        const { sale: wanted = '' } = request.params
        const sale = canBeId(wanted) ? await findSale(context.checkouts.db, pos.id, wanted) : undefined
        if (!sale) throw saleNotFound()
        return { json: await showSale(context, pos, sale) }
      },
    },
    {
      method: 'GET',
      path: '/pos/:id/day',
      access: 'open',
      limit: limits.look,
      async run(request) {
        const pos = await cashierOf(request)
        return { json: showDay(pos, await readDay(context, pos)) }
      },
    },
  ]
}

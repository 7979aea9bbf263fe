import { type Route, type RouteLimit, type RouteRequest, canBeId } from '../../../kernel/route.ts'
import { readDay } from '../domain/day.ts'
import { enterAsCashier, enterPos } from '../domain/enter.ts'
import { sell } from '../domain/sell.ts'
import { signIn } from '../domain/sign-in.ts'
import { saleNotFound } from '../errors.ts'
import type { PosRoom } from '../room.ts'
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
export function tillRoutes(room: PosRoom, limits: TillLimits): readonly Route[] {
  const cashierOf = (request: RouteRequest) => enterAsCashier(room, request.params.id!, credentialsOf(request))
  return [
    {
      method: 'POST',
      path: '/pos/:id/sign-in',
      door: 'open',
      limit: limits.pin,
      async run(request) {
        const { header, params, ip, fields } = request
        const pos = await enterPos(room, params.id!, header('pos-token'))
        const { pin } = fields()
        const tried = { pin, device: header('pos-device'), visitor: ip }
        const { session, device, endsAt } = await signIn(room, pos, tried)
        return { json: { session, device, ends_unix: Math.floor(endsAt / 1000) } }
      },
    },
    {
      method: 'GET',
      path: '/pos/:id/till',
      door: 'open',
      limit: limits.look,
      run: async (request) => ({ json: showTill(await cashierOf(request)) }),
    },
    {
      method: 'POST',
      path: '/pos/:id/sales',
      door: 'open',
      limit: limits.sale,
      async run(request) {
        const pos = await cashierOf(request)
        return { status: 201, json: await showSale(room, pos, await sell(room, pos, request.fields())) }
      },
    },
    {
      method: 'GET',
      path: '/pos/:id/sales/:sale',
      door: 'open',
      limit: limits.look,
      async run(request) {
        const pos = await cashierOf(request)
        const { sale: wanted = '' } = request.params
        const sale = canBeId(wanted) ? await findSale(room.checkouts.db, pos.id, wanted) : undefined
        if (!sale) throw saleNotFound()
        return { json: await showSale(room, pos, sale) }
      },
    },
    {
      method: 'GET',
      path: '/pos/:id/day',
      door: 'open',
      limit: limits.look,
      async run(request) {
        const pos = await cashierOf(request)
        return { json: showDay(pos, await readDay(room, pos)) }
      },
    },
  ]
}

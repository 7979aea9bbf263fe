import type { Route, RouteLimit, RouteRequest } from '../../../kernel/route.ts'
import type { CheckoutRoom } from '../room.ts'
import { getCheckout, showCheck, showRecord } from '../domain/show.ts'
import { OPEN_STATUSES } from '../record.ts'
import type { LastTold } from './pay-limit.ts'

interface CheckPorts {
  ctx: CheckoutRoom
  limit: RouteLimit
  told: LastTold
  nudge(address: string): void
}

/** The status of a checkout and its public record, without any key (contract 4.6). */
export function checkRoutes({ ctx, limit, told, nudge }: CheckPorts): readonly Route[] {
  const check = async ({ params }: RouteRequest) => {
    const checkout = await getCheckout(ctx, params.id!)
    if (OPEN_STATUSES.some((status) => status === checkout.status)) nudge(checkout.address)
    return { json: told.note(await showCheck(ctx, checkout)) }
  }
  return [
    ...['/check/:id', '/confirm/:id', '/checkout/:id/check'].map((path): Route => ({
      method: ['GET', 'POST'],
      path,
      door: 'open',
      limit,
      run: check,
    })),
    {
      method: 'GET',
      path: '/checkout/:id',
      door: 'open',
      limit,
      run: async ({ params }) => ({ json: await showRecord(ctx, await getCheckout(ctx, params.id!)) }),
    },
  ]
}

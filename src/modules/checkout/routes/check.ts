import type { Route, RouteLimit, RouteRequest } from '../../../kernel/route.ts'
import type { CheckoutRoom } from '../room.ts'
import { getCheckout, showRecord } from '../domain/show.ts'
import { OPEN_STATUSES } from '../record.ts'
import { type StatusWaits, WAIT_SECONDS_MAX } from '../waits.ts'
import type { LastTold } from './pay-limit.ts'

interface CheckPorts {
  ctx: CheckoutRoom
  limit: RouteLimit
  told: LastTold
  nudge(address: string): void
  waits: StatusWaits
}

/** The status of a checkout and its public record, without any key (contract 4.6). */
export function checkRoutes({ ctx, limit, told, nudge, waits }: CheckPorts): readonly Route[] {
  const check = async ({ params, query, ip }: RouteRequest) => {
    const checkout = await getCheckout(ctx, params.id!)
    if (OPEN_STATUSES.some((status) => status === checkout.status)) nudge(checkout.address)
    const seconds = readWait(query.wait)
    return { json: told.note(await waits.read(ctx, { id: checkout.id, seconds, who: `ip:${ip}` })) }
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

/** Payers' pages send whatever their author wrote; what is not a number of seconds means not to wait. */
function readWait(given: unknown): number {
  const seconds = typeof given === 'string' && /^[0-9]{1,3}$/.test(given) ? Number(given) : 0
  return Math.min(seconds, WAIT_SECONDS_MAX)
}

import { answer } from '../../../kernel/answers.ts'
import { type OpenRoute, describedOf, routesOf } from '../../../kernel/resource/routes.ts'
import type { RouteRequest } from '../../../kernel/route.ts'
import { CHECK, RECORD } from '../views.ts'
import type { CheckoutContext } from '../context.ts'
import { getCheckout, showRecord } from '../domain/show.ts'
import { OPEN_STATUSES } from '../record.ts'
import { type StatusWaits, WAIT_SECONDS_MAX } from '../waits.ts'
import type { LastReported } from './pay-limit.ts'

interface CheckPorts {
  ctx: CheckoutContext
  reported: LastReported
  nudge(address: string): void
  waits: StatusWaits
}

async function check({ ctx, reported, nudge, waits }: CheckPorts, { params, query, ip }: RouteRequest) {
  const checkout = await getCheckout(ctx, params.id!)
  if (OPEN_STATUSES.some((status) => status === checkout.status)) nudge(checkout.address)
  const seconds = readWait(query.wait)
  return { json: reported.note(await waits.read(ctx, { id: checkout.id, seconds, who: `ip:${ip}` })) }
}

/** Shops write these requests themselves, so a value that is not a number of seconds means not to wait. */
function readWait(given: unknown): number {
  const seconds = typeof given === 'string' && /^[0-9]{1,3}$/.test(given) ? Number(given) : 0
  return Math.min(seconds, WAIT_SECONDS_MAX)
}

const WAIT = [
  { name: 'wait', schema: answer.integer, description: `Seconds to wait for a change, up to ${WAIT_SECONDS_MAX}.` },
]
const place = { tag: 'checkout', who: 'anybody', access: 'open' } as const
const PATHS = [
  ['/check/{id}', 'checkPayment', 'State of a payment. Proof of payment is `status` `complete` and its `block`.'],
  ['/confirm/{id}', 'confirmPayment', 'Another name of `/check/{id}`.'],
  ['/checkout/{id}/check', 'checkCheckout', 'Another name of `/check/{id}`.'],
] as const

const routes: readonly OpenRoute<CheckPorts>[] = [
  ...PATHS.flatMap(([path, id, summary]) =>
    (['get', 'post'] as const).map((method): OpenRoute<CheckPorts> => ({
      ...place,
      method,
      path,
      id: method === 'get' ? id : `${id}ByPost`,
      summary,
      ...(path === '/check/{id}' && { query: WAIT }),
      answer: CHECK,
      run: check,
    })),
  ),
  {
    ...place,
    method: 'get',
    path: '/checkout/{id}',
    id: 'getRecord',
    summary: 'The public record of a checkout: what its page shows.',
    answer: RECORD,
    run: async ({ ctx }, { params }) => ({ json: await showRecord(ctx, await getCheckout(ctx, params.id!)) }),
  },
]

/** The status of a checkout and its public record, without any key (contract 4.6). */
export const checkRoutes = (ports: CheckPorts) => routesOf(routes, ports)
export const describedCheckRoutes = describedOf(routes)

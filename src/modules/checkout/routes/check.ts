import { type OpenVerb, describedOf, routesOf } from '../../../kernel/resource/verb.ts'
import type { RouteRequest } from '../../../kernel/route.ts'
import { CHECK, RECORD } from '../answers.ts'
import type { CheckoutRoom } from '../room.ts'
import { getCheckout, showCheck, showRecord } from '../domain/show.ts'
import { OPEN_STATUSES } from '../record.ts'
import type { LastTold } from './pay-limit.ts'

interface CheckPorts {
  ctx: CheckoutRoom
  told: LastTold
  nudge(address: string): void
}

async function check({ ctx, told, nudge }: CheckPorts, { params }: RouteRequest) {
  const checkout = await getCheckout(ctx, params.id!)
  if (OPEN_STATUSES.some((status) => status === checkout.status)) nudge(checkout.address)
  return { json: told.note(await showCheck(ctx, checkout)) }
}

const place = { tag: 'checkout', who: 'anybody', door: 'open' } as const
const PATHS = [
  ['/check/{id}', 'checkPayment', 'State of a payment. Proof of payment is `status` `complete` and its `block`.'],
  ['/confirm/{id}', 'confirmPayment', 'Another name of `/check/{id}`.'],
  ['/checkout/{id}/check', 'checkCheckout', 'Another name of `/check/{id}`.'],
] as const

const verbs: readonly OpenVerb<CheckPorts>[] = [
  ...PATHS.flatMap(([path, id, summary]) =>
    (['get', 'post'] as const).map((method): OpenVerb<CheckPorts> => ({
      ...place,
      method,
      path,
      id: method === 'get' ? id : `${id}ByPost`,
      summary,
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
export const checkRoutes = (ports: CheckPorts) => routesOf(verbs, ports)
export const describedCheckRoutes = describedOf(verbs)

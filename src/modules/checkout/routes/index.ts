import type { Pictures, DevelopmentLedger } from '../../../kernel/ports.ts'
import type { Route } from '../../../kernel/route.ts'
import type { CheckoutContext } from '../context.ts'
import type { StatusWaits } from '../waits.ts'
import { apiRoutes } from './api.ts'
import { checkRoutes } from './check.ts'
import { developerRoutes } from './developer.ts'
import { invoiceRoute } from './invoice.tsx'
import { payEventRoutes } from './pay-events.ts'
import { LastReported, type PayPerMinute, payLimit } from './pay-limit.ts'
import { payRoutes } from './pay.tsx'
import { proofRoutes } from './proof.tsx'

interface CheckoutRoutePorts {
  ctx: CheckoutContext
  pictures: Pictures
  /** Undefined with real nodes. */
  developmentLedger: DevelopmentLedger | undefined
  perMinute: PayPerMinute
  /** Requests a look at an address whose payer is watching the page. */
  nudge(address: string): void
  waits: StatusWaits
  /** Calls the listener when something about a checkout has changed, on any instance. */
  onChange(listener: (checkoutId: string) => void): () => void
}

/** All routes of checkouts except the action: for merchants, payers and developers. */
export function checkoutRoutes(ports: CheckoutRoutePorts): readonly Route[] {
  const { ctx, developmentLedger, perMinute } = ports
  const reported = new LastReported()
  const limit = payLimit(perMinute, reported)
  const ofPayers = [
    ...checkRoutes({ ...ports, reported }),
    ...proofRoutes({ ctx, devnet: developmentLedger !== undefined }),
    ...payEventRoutes(ports),
  ]
  return [
    ...apiRoutes(ctx),
    ...ofPayers.map((route): Route => ({ ...route, limit })),
    ...payRoutes({ ...ports, limit }),
    invoiceRoute({ ...ports, limit }),
    ...(developmentLedger ? developerRoutes(ctx, developmentLedger) : []),
  ]
}

import type { Pictures, DevelopmentLedger } from '../../../kernel/ports.ts'
import type { Route } from '../../../kernel/route.ts'
import type { CheckoutRoom } from '../room.ts'
import { apiRoutes } from './api.ts'
import { checkRoutes } from './check.ts'
import { developerRoutes } from './developer.ts'
import { invoiceRoute } from './invoice.tsx'
import { payEventRoutes } from './pay-events.ts'
import { LastTold, type PayPerMinute, payLimit } from './pay-limit.ts'
import { payRoutes } from './pay.tsx'
import { proofRoute } from './proof.tsx'

interface CheckoutRoutePorts {
  ctx: CheckoutRoom
  pictures: Pictures
  /** Undefined with real nodes. */
  developmentLedger: DevelopmentLedger | undefined
  perMinute: PayPerMinute
  /** A page waits for a payment at this address. */
  nudge(address: string): void
  /** Calls back when something about a checkout has changed, on whichever instance. */
  onChange(listener: (checkoutId: string) => void): () => void
}

/** Every way to a checkout beside the action: for its merchant, its payer, and developers. */
export function checkoutRoutes(ports: CheckoutRoutePorts): readonly Route[] {
  const { ctx, developmentLedger, perMinute } = ports
  const told = new LastTold()
  const limit = payLimit(perMinute, told)
  return [
    ...apiRoutes(ctx),
    ...checkRoutes({ ...ports, limit, told }),
    ...payRoutes({ ...ports, limit }),
    proofRoute({ ctx, limit, devnet: developmentLedger !== undefined }),
    invoiceRoute({ ...ports, limit }),
    ...payEventRoutes({ ...ports, limit }),
    ...(developmentLedger ? developerRoutes(ctx, developmentLedger) : []),
  ]
}

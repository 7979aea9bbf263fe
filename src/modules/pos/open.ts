import { overLimit } from '../../kernel/errors.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { Links } from '../../kernel/ports.ts'
import type { CheckoutModule } from '../checkout/index.ts'
import type { PosContext } from './context.ts'
import { posRoutes } from './routes/api.ts'
import { posPages } from './routes/dashboard.tsx'
import { tillPageRoutes } from './routes/page.tsx'
import { tillRoutes } from './routes/till.ts'

/** Requests that one network address may make in a minute, because several tills of a shop share one. */
const LOOKS_PER_MINUTE = 600
const SALES_PER_MINUTE = 120
const PINS_PER_MINUTE = 20

interface PosPorts {
  checkout: CheckoutModule
  links: Links
  isPlay: boolean
}

/** Opens the points of sale module. */
export function openPos({ checkout, links, isPlay }: PosPorts): Module {
  const { checkouts } = checkout
  const context: PosContext = {
    checkouts,
    secrets: checkouts.ports.secrets,
    urlOf: (id) => `${links.pages()}/pos/${id}`,
  }
  const limitOf = (bucket: string, perMinute: number) => ({
    bucket,
    perMinute,
    refuse: ({ retryAfterSeconds }: { retryAfterSeconds: number }) =>
      overLimit(`Limit: ${perMinute} requests a minute from one IP address.`, retryAfterSeconds),
  })
  const limits = {
    look: limitOf('till', LOOKS_PER_MINUTE),
    sale: limitOf('sale', SALES_PER_MINUTE),
    pin: limitOf('pin', PINS_PER_MINUTE),
  }
  const page = { context, limit: limits.look, devnet: isPlay }
  return {
    ...offer('pos', context, []),
    routes: [...posRoutes(context), ...tillPageRoutes(page), ...tillRoutes(context, limits)],
    pages: posPages(context),
  }
}

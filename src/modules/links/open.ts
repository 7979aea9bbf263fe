import type { Retention } from '../../kernel/retention.ts'
import { forgetOrderers } from './jobs.ts'
import { overLimit } from '../../kernel/errors.ts'
import { type Module, offer } from '../../kernel/module.ts'
import type { Links, Mailer, Pictures } from '../../kernel/ports.ts'
import type { CheckoutModule } from '../checkout/index.ts'
import { paymentLink } from './actions/payment-link.ts'
import { againAt } from './domain/again.ts'
import { countSale } from './domain/count-sale.ts'
import type { LinkContext } from './context.ts'
import { linkRoutes } from './routes/api.ts'
import { buyRoutes } from './routes/buy.tsx'
import { linkPages } from './routes/dashboard.tsx'
import { subscriptionRoutes } from './subscriptions/api.ts'
import { subscriptionPages } from './subscriptions/dashboard.tsx'
import { followSubscriptions, mailSubscribers } from './subscriptions/jobs.ts'
import { payerRoutes } from './subscriptions/payer-routes.tsx'

export const LINK_ACTIONS = [paymentLink]

/** Page views and orders that one network address may make in a minute. */
const LOOKS_PER_MINUTE = 120
const ORDERS_PER_MINUTE = 10

interface LinkPorts {
  checkout: CheckoutModule
  links: Links
  pictures: Pictures
  mailer: Mailer
  isPlay: boolean
}

/** Opens the links module: offers that many people can buy. */
export function openLinks(
  { checkout, links, pictures, mailer, isPlay }: LinkPorts,
  kept: Pick<Retention, 'keepVisitors'>,
): Module {
  const { checkouts } = checkout
  const context: LinkContext = {
    checkouts,
    secrets: checkouts.ports.secrets,
    urlOf: (slug) => `${links.pages()}/buy/${slug}`,
  }
  checkout.sellByLinks({ moved: countSale, againAt: (_ctx, paid) => againAt(context, paid) })
  const limitOf = (bucket: string, perMinute: number) => ({
    bucket,
    perMinute,
    refuse: ({ retryAfterSeconds }: { retryAfterSeconds: number }) =>
      overLimit(`Limit: ${perMinute} requests a minute from one IP address.`, retryAfterSeconds),
  })
  const limits = { look: limitOf('offer', LOOKS_PER_MINUTE), order: limitOf('order', ORDERS_PER_MINUTE) }
  const buying = { context, limits, pictures, devnet: isPlay }
  return {
    ...offer('links', context, LINK_ACTIONS),
    routes: [...linkRoutes(context), ...subscriptionRoutes(context), ...buyRoutes(buying), ...payerRoutes(buying)],
    pages: [...linkPages(context), ...subscriptionPages(context)],
    jobs: [forgetOrderers(checkouts, kept), followSubscriptions(context), mailSubscribers(context, mailer)],
  }
}

import { AppError } from '../../../kernel/errors.ts'
import type { Reply, Route, RouteRequest, ShownPage } from '../../../kernel/route.ts'
import { findMerchant } from '../../accounts/index.ts'
import type { Voice } from '../../checkout/index.ts'
import { orderRenewal, readStatus } from '../domain/order.ts'
import { showPrice } from '../pages/buy-page.tsx'
import { type BuyPorts, headersFor, showProblem, voiceFor } from '../routes/buy.tsx'
import { type PaymentLink, paymentLinks } from '../payment-link.ts'
import { endSubscription } from './follow.ts'
import { isPayer, payerPath } from './payer-link.ts'
import { PayerPage } from './payer-page.tsx'
import { type Subscription, findSubscription } from './store.ts'

/** The page behind the link in a mail. Opening it changes nothing, because mail scanners open links, too. */
export function payerRoutes(ports: BuyPorts): readonly Route[] {
  const { context, limits } = ports
  const path = '/subscriptions/:id/:token'
  const problem = ({ status }: { status: number }, request: RouteRequest) => showProblem(ports, status, request)
  const shared = { access: 'open', limit: limits.order, problem } as const
  return [
    {
      method: 'GET',
      path,
      access: 'open',
      limit: limits.look,
      run: async (request) => show(ports, request, await getOfPayer(ports, request)),
      problem,
    },
    {
      ...shared,
      method: 'POST',
      path: `${path}/renew`,
      async run(request: RouteRequest): Promise<Reply> {
        const subscription = await getOfPayer(ports, request)
        const { language } = voiceFor(request, request.fields().lang)
        try {
          if (subscription.status === 'ended') throw new AppError('conflict', 'This subscription has ended.')
          const { id } = await orderRenewal(context, subscription, request.ip)
          return { goTo: `/pay/${id}?lang=${language}` }
        } catch (error) {
          if (!(error instanceof AppError) || (error.status !== 409 && error.status !== 404)) throw error
          return { status: error.status, ...(await show(ports, request, subscription)) }
        }
      },
    },
    {
      ...shared,
      method: 'POST',
      path: `${path}/end`,
      async run(request: RouteRequest): Promise<Reply> {
        const { id } = await getOfPayer(ports, request)
        await endSubscription(context.checkouts, { id })
        const { language } = voiceFor(request, request.fields().lang)
        return { goTo: `${payerPath(context, id)}?lang=${language}` }
      },
    },
  ]
}

/** The current price, which may differ from earlier ones. */
function priceOf(link: PaymentLink, { plan }: Subscription, voice: Voice): string | undefined {
  const chosen = link.plans.find(({ title }) => title === plan)?.value
  const price = plan === null ? link.amount : chosen
  return typeof price === 'string' ? showPrice(voice, price, link.currency) : undefined
}

/** 404 without the token from its mails. */
async function getOfPayer({ context }: BuyPorts, { params }: RouteRequest): Promise<Subscription> {
  const id = params.id!
  const found = isPayer(context, id, params.token!) ? await findSubscription(context.checkouts.db, id) : undefined
  if (!found || found.status === 'pending') throw new AppError('not_found', 'Subscription not found.')
  return found
}

async function show(ports: BuyPorts, request: RouteRequest, subscription: Subscription): Promise<ShownPage> {
  const { context, devnet } = ports
  const { db } = context.checkouts
  const { id, linkId, owner } = subscription
  const voice = voiceFor(request, request.isForm ? request.fields().lang : undefined)
  const link = await paymentLinks.findOwn(db, { id: linkId, owner })
  const page = (
    <PayerPage
      subscription={subscription}
      title={link?.title ?? link?.slug ?? voice.texts.payment}
      path={payerPath(context, id)}
      isOffered={link?.every === subscription.every && (await readStatus(context, link)) === 'active'}
      price={link && priceOf(link, subscription, voice)}
      merchant={await findMerchant(db, owner)}
      devnet={devnet}
      voice={voice}
    />
  )
  // The URL contains a credential, so pages linked from here must not get it as the referrer.
  return { page, headers: { ...headersFor(voice), 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } }
}

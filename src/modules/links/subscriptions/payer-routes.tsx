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
import { type Subscription, findSubscription } from './store.ts'
import { Document } from '../../../web/layout.tsx'
import { MerchantFoot, MerchantHead, type ShownMerchant } from '../../../web/merchant.tsx'
import { SUBSCRIPTION_TEXTS, everyText } from './texts.ts'

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

interface PayerPageProps {
  subscription: Subscription
  title: string
  /** The path that its forms submit to. */
  path: string
  /** Whether the offer can be paid now. */
  isOffered: boolean
  /** The price of the next period; undefined where it is no longer offered. */
  price: string | undefined
  merchant: ShownMerchant | undefined
  devnet: boolean
  voice: Voice
}

/** The payer's page of a subscription: paid until when, renew, end. It works without scripts. */
const PayerPage = (props: PayerPageProps) => {
  const { subscription, title, path, isOffered, price, merchant, devnet, voice } = props
  const { language, locale } = voice
  const texts = SUBSCRIPTION_TEXTS[language]
  const { status, every, paidUntil, plan } = subscription
  const isOver = status === 'ended'
  const state = isOver ? texts.ended : status === 'lapsed' ? texts.lapsed : texts.active
  return (
    <Document
      title={title}
      lang={language}
      styles={['pay.css']}
      bodyClass="pay offer"
      head={merchant?.sheet && <link rel="stylesheet" href={merchant.sheet} />}
    >
      {devnet && <header class="test">{voice.texts.developmentLedger}</header>}
      <main>
        <article class="card">
          <header class="order">
            {merchant && <MerchantHead {...merchant} />}
            <h1 dir="auto">{title}</h1>
            {plan !== null && (
              <p class="description" dir="auto">
                {plan}
              </p>
            )}
            {price !== undefined && (
              <p class="price">
                <bdi>{price}</bdi>
              </p>
            )}
            <p class="worth">{everyText(language, every)}</p>
          </header>
          <section class="payment">
            <div class="notice">
              <h2>{state}</h2>
              {paidUntil !== null && (
                <p>
                  {texts.paidUntil}{' '}
                  <strong>
                    {new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(paidUntil)}
                  </strong>
                </p>
              )}
              {!isOffered && <p>{texts.gone}</p>}
            </div>
            {isOffered && !isOver && (
              <form class="amount" method="post" action={`${path}/renew`}>
                <input type="hidden" name="lang" value={language} />
                <button class="button">{texts.renew}</button>
              </form>
            )}
            {!isOver && (
              <details class="ending">
                <summary>{texts.end}</summary>
                <form class="amount" method="post" action={`${path}/end`}>
                  <p>{texts.endAsk}</p>
                  <input type="hidden" name="lang" value={language} />
                  <button class="button quiet">{texts.endYes}</button>
                </form>
              </details>
            )}
          </section>
        </article>
        {merchant && <MerchantFoot merchant={merchant} words={voice.texts} />}
      </main>
    </Document>
  )
}

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { Clock, Pictures, PlayLedger } from '../kernel/ports.ts'
import {
  type Checkout,
  type CheckoutCtx,
  amountToPay,
  askedRaw,
  chooseAmount,
  excessOf,
  getCheckout,
  isOpenAmount,
  paymentLink,
  readChoice,
  readPageFacts,
  servePage,
  showRecord,
  worthOf,
} from '../modules/checkout/index.ts'
import { currencyOf, showWorth } from '../modules/checkout/pages/formats.ts'
import { renderPage } from '../web/layout.tsx'
import { PayPage, PayProblem } from '../modules/checkout/pages/pay-page.tsx'
import { ReceiptPage } from '../modules/checkout/pages/pay-receipt.tsx'
import { type ShownCheckout, stateOf } from '../modules/checkout/pages/pay-state.ts'
import { type Voice, negotiate } from '../modules/checkout/texts/index.ts'
import type { DeveloperDoor } from './developer-door.ts'
import { isForm, readForm } from './forms.ts'
import { PAGE_HEADERS, contentPolicy } from './page-headers.ts'

/** A page is not kept waiting for a price that it only mentions. */
const WORTH_MILLISECONDS = 500
const PICTURE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'public, max-age=300',
}

export interface PayPagesOptions {
  ctx: CheckoutCtx
  clock: Clock
  pictures: Pictures
  /** Undefined with real nodes. */
  playLedger: PlayLedger | undefined
  ipOf(request: IncomingMessage): string
  developers: DeveloperDoor
  onError(error: unknown, requestId: string): void
}

type Query = Readonly<Record<string, unknown>>

/** What payers look at: the page of a checkout, its receipt, its picture, and the form for an amount of their own. */
export function mountPayPages(pages: FastifyInstance, options: PayPagesOptions): void {
  const { ctx, pictures, playLedger } = options
  const devnet = playLedger !== undefined

  pages.get('/pay/:id', async (request, reply) => {
    if (wantsJson(request)) {
      const checkout = await servePage(ctx, idOf(request))
      return showRecord(ctx, checkout, await readChoice(ctx, checkout, (request.query as Query).choice))
    }
    const embed = readEmbed((request.query as Query).embed)
    return forReader(options, { request, reply, embed }, (voice) => showPage(options, request, { voice, embed }))
  })
  pages.get('/pay/:id/receipt', (request, reply) =>
    forReader(options, { request, reply, embed: undefined }, async (voice) => {
      const { checkout, payments } = await readPageFacts(ctx, await getCheckout(ctx, idOf(request)))
      // There is none before the payment, or once it went back; the page says how it stands.
      if (checkout.status !== 'complete') return { goTo: `/pay/${checkout.id}?lang=${voice.language}` }
      const blockUrl = (hash: string) => ctx.till.links.block(hash)
      return { page: <ReceiptPage {...{ checkout: toShown(checkout), payments, blockUrl, devnet, voice }} /> }
    }),
  )
  pages.get('/pay/:id/image', async (request, reply) => {
    const { image } = await getCheckout(ctx, idOf(request))
    const picture = image === null ? undefined : await pictures.find(image)
    if (!picture) throw new AppError('not_found', 'There is no picture.')
    return reply.headers(PICTURE_HEADERS).type(picture.type).send(Buffer.from(picture.bytes))
  })
  pages.post('/pay/:id/amount', async (request, reply) => {
    const { id } = await getCheckout(ctx, idOf(request))
    const fields = readForm(request)
    const visitor = options.ipOf(request.raw)
    if (!isForm(request)) {
      const choice = await chooseAmount(ctx, id, { amount: fields.amount, visitor })
      return showRecord(ctx, await getCheckout(ctx, id), choice)
    }
    const kept = { lang: fields.lang, embed: fields.embed }
    try {
      const { amountRaw } = await chooseAmount(ctx, id, { amount: toPlainDecimal(fields.amount), visitor })
      return reply.redirect(pageUrl(id, { ...kept, choice: amountRaw.toString() }), 303)
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 429) throw error
      const wrong = error.code === 'invalid_amount' ? { amount: 'wrong' } : {}
      return reply.redirect(pageUrl(id, { ...kept, ...wrong }), 303)
    }
  })
}

type Shown = { page: Parameters<typeof renderPage>[0] } | { goTo: string }

/** Answers in the reader's language, refusals too. */
async function forReader(
  { ctx, playLedger, onError }: PayPagesOptions,
  { request, reply, embed }: { request: FastifyRequest; reply: FastifyReply; embed: string | undefined },
  show: (voice: Voice) => Promise<Shown>,
): Promise<FastifyReply> {
  const query = request.query as Query
  const voice = negotiate(request.headers['accept-language'], query.lang)
  void reply.headers(headersFor(ctx, { voice, embed }))
  try {
    const shown = await show(voice)
    return 'goTo' in shown ? reply.redirect(shown.goTo, 303) : reply.send(renderPage(shown.page))
  } catch (error) {
    const status = error instanceof AppError ? error.status : 500
    if (status !== 404 && status < 500) throw error
    if (status === 500) onError(error, request.id)
    if (error instanceof AppError && error.retryAfterSeconds !== undefined) {
      void reply.header('retry-after', error.retryAfterSeconds)
    }
    const problem = status === 404 ? 'notFound' : 'unavailable'
    const page = <PayProblem problem={problem} voice={voice} devnet={playLedger !== undefined} />
    return reply.code(status).send(renderPage(page))
  }
}

function headersFor({ till }: CheckoutCtx, { voice, embed }: { voice: Voice; embed: string | undefined }) {
  return {
    ...PAGE_HEADERS,
    'content-security-policy': contentPolicy(embed),
    'content-language': voice.language,
    vary: 'accept, accept-language',
    'x-robots-tag': 'noindex, nofollow',
    ...(embed === undefined && { 'x-frame-options': 'DENY' }),
    ...(till.links.pay('').startsWith('https:') && { 'strict-transport-security': 'max-age=63072000' }),
  }
}

async function showPage(
  options: PayPagesOptions,
  request: FastifyRequest,
  { voice, embed }: { voice: Voice; embed: string | undefined },
): Promise<Shown> {
  const { ctx, clock, playLedger, developers } = options
  const query = request.query as Query
  const mayPlay = playLedger !== undefined && (await developers.mayEnter(request))
  const { checkout, quotedUntil, refund } = await readPageFacts(ctx, await servePage(ctx, idOf(request)))
  const plan = readPlan(query.plan, checkout)
  const choice = await readChoice(ctx, checkout, query.choice)
  const planRaw = checkout.plans[plan]?.amountRaw
  const asked = { ...checkout, amountRaw: planRaw ?? choice?.amountRaw ?? checkout.amountRaw }
  const dueRaw = amountToPay(asked)
  // Until somebody has said how much there is nothing to pay, and nothing is shown to scan.
  const link = paymentLink(asked) ?? ctx.till.links.pay(checkout.id)
  const now = clock.now()
  const kept = {
    lang: query.lang === undefined ? undefined : voice.language,
    embed,
    choice: choice?.amountRaw.toString(),
  }
  const shown = toShown(choice ? { ...asked, price: choice.chosen } : checkout)
  const page = (
    <PayPage
      checkout={shown}
      plan={plan}
      dueRaw={dueRaw}
      totalRaw={totalOf(checkout, dueRaw)}
      link={link}
      code={ctx.till.qrOutline(link)}
      worth={await aboutWorth(options, { checkout, dueRaw, voice })}
      quotedUntil={choice ? choice.quotedUntil : quotedUntil}
      refund={refund && { ...refund, url: refund.hash === null ? undefined : ctx.till.links.block(refund.hash) }}
      successUrl={toLink(ctx, checkout.successUrl, checkout.id)}
      cancelUrl={toLink(ctx, checkout.cancelUrl, checkout.id)}
      devnet={playLedger !== undefined}
      voice={voice}
      now={now}
      embed={embed}
      wrongAmount={query.amount === 'wrong'}
      openAmount={isOpenAmount(checkout)}
      choosing={choice !== undefined && query.amount !== undefined && stateOf(shown, now) === 'waiting'}
      developer={mayPlay ? { holds: playLedger.holds, waiting: playLedger.listWaiting().length } : undefined}
      hrefOf={(changes) => pageUrl(checkout.id, { plan: plan === 0 ? undefined : plan, ...kept, ...changes })}
    />
  )
  return { page }
}

/** What pages show: a price may be the payer's own, and more may have come than was asked for. */
function toShown(checkout: Checkout): ShownCheckout {
  const price = checkout.price ?? checkout.chosen
  return { ...checkout, price, askedRaw: askedRaw(checkout), excessRaw: excessOf(checkout) }
}

/** The number at the top: what was paid, or all that is asked for, of which a part may have come. */
function totalOf({ status, paidRaw, amountRaw }: Checkout, dueRaw: bigint | undefined): bigint | undefined {
  if (status === 'complete' || status === 'refunded') return paidRaw
  return status === 'partial' ? amountRaw : dueRaw
}

/** What a price in nano is about worth to the reader. Prices in other money say it themselves. */
async function aboutWorth(
  { ctx, clock }: PayPagesOptions,
  { checkout, dueRaw, voice }: { checkout: Checkout; dueRaw: bigint | undefined; voice: Voice },
): Promise<string | undefined> {
  const currency = currencyOf(voice.locale, ctx.till.prices.currencies)
  const shownRaw = totalOf(checkout, dueRaw)
  if (checkout.currency !== 'NANO' || shownRaw === undefined || currency === undefined) return undefined
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = clock.after(WORTH_MILLISECONDS, () => resolve(undefined))
  const worth = await Promise.race([worthOf(ctx, shownRaw, currency), late])
  cancel()
  return worth === undefined ? undefined : showWorth(voice.locale, worth, currency)
}

function readPlan(value: unknown, { plans, plan }: Checkout): number {
  if (plan !== null) return plan
  const chosen = typeof value === 'string' && /^[0-9]{1,2}$/.test(value) ? Number(value) : 0
  return chosen < plans.length ? chosen : 0
}

/**
 * The origin of the page that wants to frame this one. Only that origin may, and only it is told what happens, so that
 * naming another gains nothing.
 */
function readEmbed(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\/[a-z0-9.-]{1,253}(?::[0-9]{1,5})?$/.test(value) ? value : undefined
}

/** A merchant's address as it may stand in a link. It was checked when it came; the scheme is looked at once more. */
function toLink({ till }: CheckoutCtx, url: string | null, id: string): string | undefined {
  const filled = url?.replaceAll('{{id}}', encodeURIComponent(id)) ?? ''
  if (!URL.canParse(filled)) return undefined
  const { protocol, href } = new URL(filled)
  return protocol === 'https:' || (protocol === 'http:' && till.rules.plainHttpAllowed) ? href : undefined
}

function pageUrl(id: string, parameters: Query): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === 'string' || typeof value === 'number') query.set(name, String(value))
  }
  return query.size === 0 ? `/pay/${id}` : `/pay/${id}?${query}`
}

/** Many write a comma where others write a point. */
function toPlainDecimal(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[0-9]*,[0-9]*\s*$/.test(value) ? value.replace(',', '.') : value
}

function wantsJson({ query, headers }: { query: unknown; headers: IncomingHttpHeaders }): boolean {
  const { json } = query as Query
  const accept = headers.accept ?? ''
  return json === 'true' || json === '1' || (/\bapplication\/json\b/.test(accept) && !/text\/html/.test(accept))
}

const idOf = ({ params }: FastifyRequest) => (params as { id: string }).id

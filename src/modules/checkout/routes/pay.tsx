import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Pictures, DevelopmentLedger } from '../../../kernel/ports.ts'
import {
  type Refusal,
  type Route,
  type RouteLimit,
  type RouteRequest,
  type ShownPage,
  wantsJson,
} from '../../../kernel/route.ts'
import type { CheckoutContext } from '../context.ts'
import { mayLeave } from '../buyers/leave-email.ts'
import { findBuyer } from '../buyers/store.ts'
import { isOpenAmount, readChoice } from '../domain/choose-amount.ts'
import { getCheckout, merchantOf, readPageFacts, servePage, showRecord, worthOf } from '../domain/show.ts'
import { currencyOf, showWorth } from '../../../web/formats.ts'
import { RECORD } from '../views.ts'
import { PayPage, PayProblem } from '../pages/pay-page.tsx'
import { ReceiptPage } from '../pages/pay-receipt.tsx'
import { type ShownCheckout, stateOf } from '../pages/pay-state.ts'
import { listProved } from '../proofs.ts'
import { amountToPay, askedRaw, excessOf, paymentLink } from '../shape.ts'
import { type Checkout, SERVICE, isFromLink } from '../record.ts'
import { type Voice, negotiate } from '../texts/index.ts'
import { pageUrl, takeEmail, takeAmount } from './pay-forms.ts'

/** The longest that a page waits for an approximate value, which is only a hint. */
const WORTH_MILLISECONDS = 500

const PROVED_WITHIN = 10_000

const PICTURE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'public, max-age=300',
}

export interface PayPorts {
  ctx: CheckoutContext
  limit: RouteLimit
  pictures: Pictures
  /** Undefined with real nodes. */
  developmentLedger: DevelopmentLedger | undefined
}

/** What payers open: the page of a checkout, its receipt, its QR code, and the form for an amount of their own. */
export function payRoutes(ports: PayPorts): readonly Route[] {
  const { ctx, limit, pictures, developmentLedger } = ports
  const devnet = developmentLedger !== undefined
  return [
    {
      method: 'GET',
      path: '/pay/:id',
      access: 'open',
      limit,
      async run(request) {
        if (!wantsJson(request)) return showPage(ports, request)
        const checkout = await servePage(ctx, request.params.id!)
        return { json: await showRecord(ctx, checkout, await readChoice(ctx, checkout, request.query.choice)) }
      },
      problem(refusal, request) {
        const embed = readEmbed(request.query.embed)
        return wantsJson(request) ? undefined : showProblem(ports, refusal, { request, embed })
      },
    },
    {
      method: 'GET',
      path: '/pay/:id/receipt',
      access: 'open',
      limit,
      async run(request) {
        const voice = voiceFor(request)
        const { checkout, payments } = await readPageFacts(ctx, await getCheckout(ctx, request.params.id!))
        const headers = headersFor(ctx, { voice, embed: undefined })
        // A receipt exists only for a payment that was not refunded; otherwise the page shows the state.
        if (checkout.status !== 'complete') {
          return { goTo: `/pay/${checkout.id}?lang=${voice.language}`, asPage: true, headers }
        }
        const blockUrl = (hash: string) => ctx.ports.links.block(hash)
        const proved = ctx.ports.proofs.isOn ? await listProved(ctx.db, checkout.id) : new Set()
        const proofUrl = (hash: string) => (proved.has(hash) ? `${proofPath(checkout.id)}?block=${hash}` : undefined)
        const merchant = await merchantOf(ctx, checkout)
        return {
          page: (
            <ReceiptPage {...{ checkout: toShown(checkout), payments, merchant, blockUrl, proofUrl, devnet, voice }} />
          ),
          headers,
        }
      },
      problem: (refusal, request) => showProblem(ports, refusal, { request }),
    },
    {
      method: 'GET',
      path: '/pay/:id/image',
      access: 'open',
      limit,
      async run({ params }) {
        const { image, owner } = await getCheckout(ctx, params.id!)
        const picture = image === null ? undefined : await pictures.find(image, owner)
        if (!picture) throw new AppError('not_found', 'Image not found.')
        return { bytes: picture.bytes, type: picture.type, headers: PICTURE_HEADERS }
      },
    },
    { method: 'POST', path: '/pay/:id/amount', access: 'open', limit, run: (request) => takeAmount(ctx, request) },
    { method: 'POST', path: '/pay/:id/email', access: 'open', limit, run: (request) => takeEmail(ctx, request) },
  ]
}

const { text, record, words } = answer

export const describedPayRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/pay/{id}',
    id: 'getPaymentPage',
    tag: 'checkout',
    summary: 'The page of a checkout; for `Accept: application/json`, or with `json`, its record.',
    who: 'anybody',
    query: [
      { name: 'json', schema: words('true', '1'), description: 'Returns the record, whatever `Accept` says.' },
      { name: 'choice', schema: text, description: 'What this payer chose to pay, in raw.' },
    ],
    answer: RECORD,
    refuses: [503],
  },
  {
    method: 'post',
    path: '/pay/{id}/amount',
    id: 'chooseAmount',
    tag: 'checkout',
    summary: 'Set the amount, if the payer decides it.',
    who: 'anybody',
    body: { schema: record({ amount: answer.oneOf(text, answer.number) }), example: { amount: '1.5' } },
    answer: RECORD,
    refuses: [409, 503],
  },
  {
    method: 'post',
    path: '/pay/{id}/email',
    id: 'leaveEmail',
    tag: 'checkout',
    summary: 'Leave an email address for the receipt of a payment.',
    who: 'anybody',
    body: { schema: record({ email: text, lang: answer.optional(text) }), example: { email: 'ann@example.com' } },
    answer: record({ success: answer.bool }),
    refuses: [409],
  },
]

/** Shows just enough of an address for its owner to recognise it, because everyone with the page's link reads it. */
function masked(email: string): string {
  const [local = '', domain = ''] = email.split('@')
  return `${local.slice(0, 1)}…@${domain}`
}

export const voiceFor = ({ header, query }: RouteRequest) => negotiate(header('accept-language'), query.lang)

/** A page that shows an error to readers; programs, and requests that are wrong in themselves, get the error as JSON. */
export function showProblem(
  { ctx, developmentLedger }: PayPorts,
  { status }: Refusal,
  { request, embed }: { request: RouteRequest; embed?: string | undefined },
): ShownPage | undefined {
  if (status !== 404 && status < 500) return undefined
  const voice = voiceFor(request)
  const problem = status === 404 ? 'notFound' : 'unavailable'
  const page = <PayProblem problem={problem} voice={voice} devnet={developmentLedger !== undefined} />
  return { page, frame: embed, headers: headersFor(ctx, { voice, embed }) }
}

export function headersFor({ ports }: CheckoutContext, { voice, embed }: { voice: Voice; embed: string | undefined }) {
  return {
    'content-language': voice.language,
    vary: 'accept, accept-language',
    'x-robots-tag': 'noindex, nofollow',
    ...(embed === undefined && { 'x-frame-options': 'DENY' }),
    ...(ports.links.pay('').startsWith('https:') && { 'strict-transport-security': 'max-age=63072000' }),
  }
}

async function showPage({ ctx, developmentLedger }: PayPorts, request: RouteRequest): Promise<ShownPage> {
  const { query, params } = request
  const embed = readEmbed(query.embed)
  const voice = voiceFor(request)
  const mayPlay = developmentLedger !== undefined && (await request.mayPlay())
  const { checkout, quotedUntil, refund } = await readPageFacts(ctx, await servePage(ctx, params.id!))
  const plan = readPlan(query.plan, checkout)
  // A purchase from the service is final, so no plan is preselected: the buyer must read the offer and choose.
  const isService = checkout.owner === SERVICE
  const isUnchosen = isService && checkout.plans.length > 1 && checkout.plan === null && query.plan === undefined
  const choice = await readChoice(ctx, checkout, query.choice)
  const planRaw = checkout.plans[plan]?.amountRaw
  const asked = { ...checkout, amountRaw: planRaw ?? choice?.amountRaw ?? checkout.amountRaw }
  const dueRaw = amountToPay(asked)
  // Until the payer has chosen an amount, there is nothing to pay: the code leads to the page instead.
  const link = paymentLink(asked) ?? ctx.ports.links.pay(checkout.id)
  const buyer = await findBuyer(ctx.db, checkout.id)
  const now = ctx.clock.now()
  const kept = {
    lang: query.lang === undefined ? undefined : voice.language,
    embed,
    choice: choice?.amountRaw.toString(),
  }
  const shown = toShown(choice ? { ...asked, price: choice.chosen } : checkout)
  const page = (
    <PayPage
      checkout={shown}
      merchant={await merchantOf(ctx, checkout)}
      plan={isUnchosen ? undefined : plan}
      isService={isService}
      dueRaw={dueRaw}
      totalRaw={totalOf(checkout, dueRaw)}
      link={link}
      code={ctx.ports.qrOutline(link)}
      worth={await aboutWorth(ctx, { checkout, dueRaw, voice })}
      quotedUntil={choice ? choice.quotedUntil : quotedUntil}
      refund={refund && { ...refund, url: refund.hash === null ? undefined : ctx.ports.links.block(refund.hash) }}
      successUrl={toLink(ctx, checkout.successUrl, checkout.id)}
      cancelUrl={toLink(ctx, checkout.cancelUrl, checkout.id)}
      againAt={isFromLink(checkout) ? await ctx.ports.linkSales.againAt(ctx, checkout) : undefined}
      wallets={ctx.ports.walletsFor(request.header('user-agent'))}
      devnet={developmentLedger !== undefined}
      voice={voice}
      now={now}
      embed={embed}
      wrongAmount={query.amount === 'wrong'}
      openAmount={isOpenAmount(checkout)}
      choosing={choice !== undefined && query.amount !== undefined && stateOf(shown, now) === 'waiting'}
      proofUrl={await findProofUrl(ctx, checkout)}
      receipt={{
        isAsked: mayLeave(checkout, buyer),
        goesTo: buyer?.email ? masked(buyer.email) : undefined,
        wrong: query.email === 'wrong' ? 'email' : query.email === 'share' ? 'share' : undefined,
      }}
      developer={
        mayPlay ? { holds: developmentLedger.holds, waiting: developmentLedger.listWaiting().length } : undefined
      }
      hrefOf={(changes) =>
        pageUrl(checkout.id, { plan: isUnchosen || (plan === 0 && !isService) ? undefined : plan, ...kept, ...changes })
      }
    />
  )
  return { page, frame: embed, headers: headersFor(ctx, { voice, embed }) }
}

/** The checkout as pages show it, with the payer's own price and what was overpaid. */
function toShown(checkout: Checkout): ShownCheckout {
  const price = checkout.price ?? checkout.chosen
  return { ...checkout, price, askedRaw: askedRaw(checkout), excessRaw: excessOf(checkout) }
}

const proofPath = (id: string) => `/checkout/${id}/proof`

/** A fresh payment gets the link before its proof is stored, which happens a moment later, just when the payer looks. */
async function findProofUrl(
  { db, clock, ports }: CheckoutContext,
  { id, status, blockHash, paidAt }: Checkout,
): Promise<string | undefined> {
  if (!ports.proofs.isOn || status !== 'complete' || blockHash === null) return undefined
  const isFresh = clock.now() - (paidAt ?? 0) < PROVED_WITHIN
  return isFresh || (await listProved(db, id)).has(blockHash) ? proofPath(id) : undefined
}

/** The number at the top of the page: what was paid, or the whole amount asked for even if a part was paid. */
function totalOf({ status, paidRaw, amountRaw }: Checkout, dueRaw: bigint | undefined): bigint | undefined {
  if (status === 'complete' || status === 'refunded') return paidRaw
  return status === 'partial' ? amountRaw : dueRaw
}

/** Approximate value of a price in nano. Prices in other currencies state their value themselves. */
async function aboutWorth(
  ctx: CheckoutContext,
  { checkout, dueRaw, voice }: { checkout: Checkout; dueRaw: bigint | undefined; voice: Voice },
): Promise<string | undefined> {
  const currency = currencyOf(voice.locale, ctx.ports.prices.currencies)
  const shownRaw = totalOf(checkout, dueRaw)
  if (checkout.currency !== 'NANO' || shownRaw === undefined || currency === undefined) return undefined
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const cancel = ctx.clock.after(WORTH_MILLISECONDS, () => resolve(undefined))
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
 * The origin of the page that wants to embed this one. Only that origin may do so, and only it receives messages about the payment, so a
 * false origin gains nothing.
 */
function readEmbed(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\/[a-z0-9.-]{1,253}(?::[0-9]{1,5})?$/.test(value) ? value : undefined
}

/** A merchant's URL that may become a link. It was validated when it was stored; its scheme is checked again here. */
function toLink({ ports }: CheckoutContext, url: string | null, id: string): string | undefined {
  const filled = url?.replaceAll('{{id}}', encodeURIComponent(id)) ?? ''
  if (!URL.canParse(filled)) return undefined
  const { protocol, href } = new URL(filled)
  return protocol === 'https:' || (protocol === 'http:' && ports.rules.plainHttpAllowed) ? href : undefined
}

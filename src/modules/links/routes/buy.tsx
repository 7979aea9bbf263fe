import { randomId } from '../../../kernel/api-key.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Pictures } from '../../../kernel/ports.ts'
import type { Fields, Reply, Route, RouteLimit, RouteRequest, ShownPage } from '../../../kernel/route.ts'
import { findMerchant } from '../../accounts/index.ts'
import { type Voice, negotiate, toCheckoutId } from '../../checkout/index.ts'
import { orderAgain } from '../domain/again.ts'
import { getOffer, orderFromLink, readStatus } from '../domain/order.ts'
import { type LinkStatus, leftOf } from '../domain/status.ts'
import { BuyPage, OfferProblem, type ShownOffer } from '../pages/buy-page.tsx'
import type { Typed } from '../pages/buyer-fields.tsx'
import type { LinkContext } from '../context.ts'
import type { PaymentLink } from '../payment-link.ts'

const PICTURE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'public, max-age=300',
}
const TOKEN_LENGTH = 22
const TOKEN = /^\w{22}$/

export interface BuyPorts {
  context: LinkContext
  limits: { look: RouteLimit; order: RouteLimit }
  pictures: Pictures
  devnet: boolean
}

/** The public page of a link, and the form that makes a visitor's checkout. */
export function buyRoutes(ports: BuyPorts): readonly Route[] {
  const { context, limits, pictures } = ports
  return [
    {
      method: 'GET',
      path: '/buy/:slug',
      access: 'open',
      limit: limits.look,
      run: (request) => showOffer(ports, request, {}),
      problem: ({ status }, request) => showProblem(ports, status, request),
    },
    {
      method: 'GET',
      path: '/buy/:slug/image',
      access: 'open',
      limit: limits.look,
      async run({ params }) {
        const { image, owner } = await getOffer(context, params.slug!)
        const picture = image === null ? undefined : await pictures.find(image, owner)
        if (!picture) throw new AppError('not_found', 'Image not found.')
        return { ...picture, headers: PICTURE_HEADERS }
      },
    },
    {
      method: 'POST',
      path: '/buy/:slug',
      access: 'open',
      limit: limits.order,
      run: (request) => takeOrder(ports, request),
      problem: ({ status }, request) => showProblem(ports, status, request),
    },
    {
      method: 'POST',
      path: '/buy/:slug/again',
      access: 'open',
      limit: limits.order,
      run: (request) => startAgain(ports, request),
      problem: ({ status }, request) => showProblem(ports, status, request),
    },
  ]
}

const WRONG = ['plan', 'quantity', 'amount', 'email', 'buyer_name', 'buyer_address', 'buyer_tax_id'] as const

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

async function takeOrder(ports: BuyPorts, request: RouteRequest): Promise<Reply> {
  const fields = request.fields()
  const { plan, quantity, amount, own, token, lang, email } = fields
  const buyer = { name: fields.buyer_name, address: fields.buyer_address, taxId: fields.buyer_tax_id }
  // Another site's page could make its visitors hold pieces, each from another network address: such requests only show the offer.
  if (request.header('sec-fetch-site') === 'cross-site')
    return { goTo: `/buy/${encodeURIComponent(request.params.slug!)}` }
  try {
    const { id } = await orderFromLink(ports.context, request.params.slug!, {
      token: TOKEN.test(textOf(token)) ? textOf(token) : undefined,
      plan,
      quantity,
      // An amount that the payer typed takes precedence over a suggested one.
      amount: textOf(own).trim() === '' ? amount : own,
      email,
      buyer,
      language: voiceFor(request, lang).language,
      visitor: request.ip,
    })
    const language = textOf(lang) === '' ? '' : `?lang=${voiceFor(request, lang).language}`
    return { goTo: `/pay/${id}${language}` }
  } catch (error) {
    const wrong = toWrong(error)
    if (wrong === undefined) throw error
    const { status } = error as AppError
    return { status, ...(await showOffer(ports, request, { ...toTyped(fields), wrong })) }
  }
}

/** Starts an expired order again. If the same order is not possible, the payer chooses again at the offer. */
async function startAgain(ports: BuyPorts, request: RouteRequest): Promise<Reply> {
  const { order, lang } = request.fields()
  const { language } = voiceFor(request, lang)
  const slug = request.params.slug!
  const offer = { goTo: `/buy/${encodeURIComponent(slug)}?lang=${language}` }
  if (request.header('sec-fetch-site') === 'cross-site') return offer
  try {
    const asked = { checkoutId: toCheckoutId(textOf(order)) ?? '', visitor: request.ip }
    const made = await orderAgain(ports.context, slug, asked)
    return made ? { goTo: `/pay/${made.id}?lang=${language}` } : offer
  } catch (error) {
    const wrong = toWrong(error)
    if (wrong !== 'share' && wrong !== 'closed') throw error
    return { status: (error as AppError).status, ...(await showOffer(ports, request, { wrong })) }
  }
}

/** Errors that are shown at their field; a closed offer is shown by its page. */
function toWrong(error: unknown): Typed['wrong'] | 'closed' | undefined {
  if (!(error instanceof AppError)) return undefined
  if (error.code === 'too_many_requests') return 'share'
  if (error.code === 'conflict') return 'closed'
  const { field } = error.body
  return error.status === 400 ? WRONG.find((one) => one === field) : undefined
}

const toTyped = ({ plan, quantity, amount, own, email, ...fields }: Fields): Typed => ({
  buyer_name: textOf(fields.buyer_name).slice(0, 500),
  buyer_address: textOf(fields.buyer_address).slice(0, 2_000),
  buyer_tax_id: textOf(fields.buyer_tax_id).slice(0, 500),
  email: textOf(email).slice(0, 254),
  plan: textOf(plan),
  quantity: textOf(quantity).slice(0, 10),
  amount: textOf(amount),
  own: textOf(own).slice(0, 40),
})

export const voiceFor = ({ header, query }: RouteRequest, lang: unknown = query.lang): Voice =>
  negotiate(header('accept-language'), lang)

export const headersFor = ({ language }: Voice) => ({
  'content-language': language,
  vary: 'accept-language',
  'x-robots-tag': 'noindex, nofollow',
})

async function showOffer(
  { context, devnet }: BuyPorts,
  request: RouteRequest,
  typed: Omit<Typed, 'wrong'> & { wrong?: Typed['wrong'] | 'closed' },
): Promise<ShownPage> {
  const { db, random } = context.checkouts
  const link = await getOffer(context, request.params.slug!)
  const voice = voiceFor(request, request.isForm ? request.fields().lang : undefined)
  const { wrong, ...kept } = typed
  const page = (
    <BuyPage
      offer={toOffer(link, await readStatus(context, link))}
      merchant={await findMerchant(db, link.owner)}
      typed={{ ...kept, ...(wrong !== undefined && wrong !== 'closed' && { wrong }) }}
      token={randomId(random, TOKEN_LENGTH)}
      devnet={devnet}
      voice={voice}
    />
  )
  return { page, headers: headersFor(voice) }
}

const toOffer = (link: PaymentLink, status: LinkStatus): ShownOffer => ({
  ...link,
  status,
  left: leftOf(link),
  isReserved: link.held > 0,
  hasImage: link.image !== null,
  price: link.plans.length > 0 ? null : link.amount,
  quantity: { min: link.quantityMin, max: link.quantityMax },
  invoice: link.invoice?.buyer ?? null,
})

export function showProblem(
  { devnet }: Pick<BuyPorts, 'devnet'>,
  status: number,
  request: RouteRequest,
): ShownPage | undefined {
  if (status !== 404 && status < 500) return undefined
  const voice = voiceFor(request)
  const problem = status === 404 ? 'notFound' : 'unavailable'
  return { page: <OfferProblem problem={problem} voice={voice} devnet={devnet} />, headers: headersFor(voice) }
}

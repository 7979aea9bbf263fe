import { AppError } from '../../../kernel/errors.ts'
import { type Fields, type Reply, type RouteRequest } from '../../../kernel/route.ts'
import { readTypedDecimal } from '../../../kernel/free-field.ts'
import type { CheckoutContext } from '../context.ts'
import { leaveEmail } from '../buyers/leave-email.ts'
import { chooseAmount } from '../domain/choose-amount.ts'
import { getCheckout, showRecord } from '../domain/show.ts'
import { negotiate } from '../texts/index.ts'

export async function takeAmount(ctx: CheckoutContext, request: RouteRequest): Promise<Reply> {
  const { id } = await getCheckout(ctx, request.params.id!)
  const fields = request.fields()
  const visitor = request.ip
  if (!request.isForm) {
    const choice = await chooseAmount(ctx, id, { amount: fields.amount, visitor })
    return { json: await showRecord(ctx, await getCheckout(ctx, id), choice) }
  }
  const kept = { lang: fields.lang, embed: fields.embed }
  try {
    const { amountRaw } = await chooseAmount(ctx, id, { amount: readTypedDecimal(fields.amount), visitor })
    return { goTo: pageUrl(id, { ...kept, choice: amountRaw.toString() }) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 429) throw error
    const wrong = error.code === 'invalid_amount' ? { amount: 'wrong' } : {}
    return { goTo: pageUrl(id, { ...kept, ...wrong }) }
  }
}

/** Parameters of the page that the payer came from; everything else about it follows from the checkout. */
const KEPT = ['plan', 'choice', 'embed'] as const

export async function takeEmail(ctx: CheckoutContext, request: RouteRequest): Promise<Reply> {
  const { id } = await getCheckout(ctx, request.params.id!)
  const fields = request.fields()
  // Another site's page could make its visitors leave addresses, each from a network address of its own.
  const isForeign = request.header('sec-fetch-site') === 'cross-site'
  const left = { email: fields.email, language: negotiate(request.header('accept-language'), fields.lang).language }
  if (!request.isForm) {
    if (!isForeign) await leaveEmail(ctx, id, { ...left, visitor: request.ip })
    return { json: { success: !isForeign } }
  }
  const given = new URLSearchParams(typeof fields.back === 'string' ? fields.back : '')
  const kept = { lang: fields.lang, ...Object.fromEntries(KEPT.map((name) => [name, given.get(name)])) }
  try {
    if (!isForeign) await leaveEmail(ctx, id, { ...left, visitor: request.ip })
    return { goTo: pageUrl(id, kept) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status > 429) throw error
    const wrong = { invalid_email: 'wrong', too_many_requests: 'share' }[error.code as string]
    return { goTo: pageUrl(id, { ...kept, ...(wrong !== undefined && { email: wrong }) }) }
  }
}

export function pageUrl(id: string, parameters: Fields): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value === 'string' || typeof value === 'number') query.set(name, String(value))
  }
  return query.size === 0 ? `/pay/${id}` : `/pay/${id}?${query}`
}

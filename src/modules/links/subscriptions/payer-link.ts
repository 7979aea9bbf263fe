import { timingSafeEqual } from 'node:crypto'
import type { LinkContext } from '../context.ts'

const TOKEN_LENGTH = 32

/** The secret token in a subscription's mails: it opens the page on which the payer renews or ends it. */
const tokenOf = ({ secrets }: LinkContext, id: string) =>
  secrets
    .fingerprint('subscription', id)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, TOKEN_LENGTH)

export const payerPath = (context: LinkContext, id: string) => `/subscriptions/${id}/${tokenOf(context, id)}`
export const payerLink = (context: LinkContext, id: string) => context.checkouts.ports.links.own(payerPath(context, id))

export function isPayer(context: LinkContext, id: string, token: string): boolean {
  const [wanted, given] = [Buffer.from(tokenOf(context, id)), Buffer.from(token)]
  return wanted.length === given.length && timingSafeEqual(wanted, given)
}

import { timingSafeEqual } from 'node:crypto'
import type { LinkRoom } from '../room.ts'

const TOKEN_LENGTH = 32

/** The secret token in a subscription's mails: it opens the page on which the payer renews or ends it. */
const tokenOf = ({ secrets }: LinkRoom, id: string) =>
  secrets
    .fingerprint('subscription', id)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, TOKEN_LENGTH)

export const payerPath = (room: LinkRoom, id: string) => `/subscriptions/${id}/${tokenOf(room, id)}`
export const payerLink = (room: LinkRoom, id: string) => room.checkouts.ports.links.own(payerPath(room, id))

export function isPayer(room: LinkRoom, id: string, token: string): boolean {
  const [wanted, given] = [Buffer.from(tokenOf(room, id)), Buffer.from(token)]
  return wanted.length === given.length && timingSafeEqual(wanted, given)
}

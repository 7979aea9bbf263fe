import { type Answers, type Gateway, GatewayError, type OwnCheckout } from '../client/index.ts'
import { NanoPaymentError } from './errors.ts'
import { scale } from './price.ts'
import type { NanoOptions } from './options.ts'
import type { Session } from './session.ts'

type Refund = Answers['checkout_refund']

interface WantedRefund {
  /** Medusa's id of it. */
  refundId: string
  /** In the currency of the session. */
  amount: string
  nowSeconds: number
}

/** For this time, the caller who requested a refund may still be storing its result. */
const SETTLING_SECONDS = 120
const TRIES_MAX = 3

const MARK = 'Medusa refund '
/** Medusa's id of the refund, and the requested amount, which older refunds do not contain. */
const readMark = ({ reason }: Refund) => (reason?.startsWith(MARK) ? reason.slice(MARK.length).split(' of ') : [])
const markOf = (refund: Refund) => readMark(refund)[0]

const conflict = (message: string) => new NanoPaymentError('not_allowed', message, { code: 'refund_in_progress' })

/**
 * Makes a refund once, however often Medusa requests it. If the answer is lost, Medusa forgets the refund and requests
 * it again with another id. So the gateway's list of refunds decides, and the idempotency key of a refund is its number
 * in that list: of two simultaneous requests only one makes a refund.
 */
export async function refundOnce(
  gateway: Gateway,
  { session, checkout, options }: { session: Session; checkout: OwnCheckout; options: NanoOptions },
  wanted: WantedRefund,
): Promise<Refund> {
  const all = checkout.refunds ?? []
  const standing = all.filter(({ status }) => status !== 'failed')
  const made = standing.find((refund) => markOf(refund) === wanted.refundId)
  if (made) return made
  const isKnown = ({ id }: Refund) => session.refunds.some((known) => known.id === id)
  const lost = standing.find((refund) => markOf(refund) !== undefined && !isKnown(refund))
  if (lost) return adopt(lost, wanted)
  const fields = {
    id: checkout.id,
    ...toAmount(session, checkout, { options, amount: wanted.amount }),
    ...(options.refundFrom !== undefined && { from: options.refundFrom }),
    reason: `${MARK}${wanted.refundId} of ${wanted.amount}`,
  }
  const idempotencyKey = `medusa-${checkout.id}-refund-${all.length + 1}`
  const refund = await untilAnswered(() => gateway.checkout_refund(fields, { idempotencyKey }))
  if (markOf(refund) === wanted.refundId) return refund
  throw conflict(`Another refund of checkout ${checkout.id} is being made: ask again in two minutes.`)
}

/** Uses a refund whose answer was lost when the same refund is requested again. */
function adopt(lost: Refund, { amount, nowSeconds }: WantedRefund): Refund {
  // If more than the price was paid, the gateway's amount is less than the requested one.
  const [, wanted = lost.fiat_amount ?? lost.amount] = readMark(lost)
  const about = `Refund ${lost.id} of ${wanted} ${lost.currency ?? 'NANO'}`
  if (nowSeconds - lost.created_unix < SETTLING_SECONDS) {
    throw conflict(`${about} is being made: ask again in two minutes.`)
  }
  if (scale(wanted) === scale(amount)) return lost
  throw conflict(`${about} was paid, and this shop has not written it down: ask for the same amount first.`)
}

/** All that is left, if the full price is refunded: rates are rounded, and a late payer may have paid slightly less. */
function toAmount(
  session: Session,
  checkout: OwnCheckout,
  { options: { refundRate = 'paid' }, amount }: { options: NanoOptions; amount: string },
): { amount?: string; fiat_amount?: string; rate?: 'paid' | 'now' } {
  const before = session.refunds.reduce((sum, known) => sum + scale(known.amount), 0n)
  const isWhole = before + scale(amount) === scale(session.amount)
  const isPlain = checkout.amount_excess === undefined && (checkout.refunds ?? []).every((each) => markOf(each))
  if (isWhole && isPlain && refundRate === 'paid') return {}
  return session.currency === 'NANO' ? { amount } : { fiat_amount: amount, rate: refundRate }
}

/** If the answer is lost, sends the same request with the same key again, which pays once. */
async function untilAnswered(call: () => Promise<Refund>): Promise<Refund> {
  for (let tries = 1; ; tries++) {
    try {
      return await call()
    } catch (error) {
      const isLost = error instanceof GatewayError && (error.code === 'network_error' || error.code === 'timeout')
      if (!isLost || tries >= TRIES_MAX) throw error
    }
  }
}

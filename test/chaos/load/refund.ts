import { formatNano, toRaw } from '../../../src/kernel/money.ts'
import type { AskedCheckout, AskedRefund } from '../made.ts'
import { type Caller, type Errand, isUnclear } from './caller.ts'
import { planClaim } from './claim.ts'

/** In raw, the default of the setting: links for less are refused, because nobody could receive them. */
const LINK_MIN = 10n ** 24n

/** A refund and its request, repeated until the outcome is known. */
interface Asking {
  refund: AskedRefund
  /** Unset means all that is left. */
  amountRaw: bigint | undefined
  from: string | undefined
  /** The refusal is expected if other refunds have taken the rest. */
  mayBeTooMuch: boolean
  isClear: boolean
}

/** A merchant refunds a payment: all of it, in two parts, by a link, or all of it twice at once. */
export function planRefund(caller: Caller, checkout: AskedCheckout): void {
  const { random, money, made, payer } = caller.options
  const { id, mode, amountRaw: paidRaw } = checkout
  const begin = (as: AskedRefund['as'], amountRaw?: bigint, mayBeTooMuch = false): Asking => {
    const key = caller.nextKey('refund')
    const refund: AskedRefund = { key, checkoutId: id, paidRaw, payer: payer.account.address, as, id: undefined }
    made.refunds.push(refund)
    // The money may still be in the checkout's wallet, on its way to the merchant.
    const fromOwn = mode === 'generated_wallet' && random.below(2) === 0
    return { refund, amountRaw, from: fromOwn ? undefined : random.pick(money.wallets), mayBeTooMuch, isClear: false }
  }
  const part = (paidRaw * BigInt(1 + random.below(99))) / 100n
  const linked = part < LINK_MIN ? LINK_MIN : part
  const ways = [
    () => [begin('send')],
    () => [begin('send', part), begin('send', paidRaw - part)],
    () => [begin('send', undefined, true), begin('send', undefined, true)],
    () => [begin('link')],
    () => [begin('link', linked), begin('send', paidRaw - linked)],
  ]
  caller.later(refundErrand(caller, checkout, random.pick(ways)()))
}

function refundErrand(caller: Caller, { id }: AskedCheckout, askings: readonly Asking[]): Errand {
  let isComplete = false
  return {
    what: `refunds of checkout ${id}`,
    async step() {
      if (!isComplete) {
        const check = await caller.options.client.get(`/check/${id}`)
        isComplete = check?.status === 200 && check.body.success === true
        if (!isComplete) return false
      }
      await Promise.all(askings.filter(({ isClear }) => !isClear).map((asking) => ask(caller, asking)))
      if (!askings.every(({ isClear }) => isClear)) return false
      const made = askings.filter(({ refund }) => refund.id !== undefined)
      if (made.length > 1 && askings.every(({ mayBeTooMuch }) => mayBeTooMuch)) {
        caller.options.client.violations.push(`checkout ${id} was given back as a whole ${made.length} times`)
      }
      return true
    },
  }
}

async function ask(caller: Caller, asking: Asking): Promise<void> {
  const { client, made, money, random } = caller.options
  const { refund, amountRaw, from, mayBeTooMuch } = asking
  const request = {
    action: 'checkout_refund',
    id: refund.checkoutId,
    as: refund.as,
    ...(amountRaw !== undefined && { amount: formatNano(toRaw(amountRaw)) }),
    ...(from !== undefined && { from }),
  }
  const answer = await client.post(request, refund.key)
  if (!answer || isUnclear(answer)) return
  const { code } = answer.body
  if (code === 'refund_source_required' && from === undefined) {
    // The merchant already has the money, so another wallet pays.
    asking.from = random.pick(money.wallets)
    refund.key = caller.nextKey('refund')
    return
  }
  asking.isClear = true
  if (answer.status === 200) {
    const { id, amount_raw: amount, claim_url: link } = answer.body as Record<string, string>
    refund.id = id
    if (random.below(3) === 0) await caller.repeat(request, refund.key, 'id', id!)
    if (link !== undefined) {
      const share = { kind: 'refund', of: id!, amountRaw: BigInt(amount!) } as const
      planClaim(caller, share, { code: () => link.split('#')[1], checkoutId: refund.checkoutId })
    }
  } else if (code === 'insufficient_funds' && !money.isPlay) made.unaffordable++
  else if (code !== 'refund_too_large' || !mayBeTooMuch) caller.complain('a refusal of a right refund', answer)
}

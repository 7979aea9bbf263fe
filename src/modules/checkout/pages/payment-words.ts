import { formatNano } from '../../../kernel/money.ts'
import { showMoney } from '../../../web/formats.ts'

/* What merchants read about a payment. */

interface Stated {
  status: string
  additional: string
  currency: string
  price: string | null
  plans: readonly { title: string; value: string }[]
  plan: number | null
  amountRaw: bigint | undefined
  paidRaw: bigint
}

const LOCALE = 'en'

/** An amount as merchants read it. */
export const moneyOf = (currency: string, text: string) =>
  currency === 'NANO' ? `${text} nano` : showMoney(LOCALE, text, currency)

/** The price of what was bought, in its currency; undefined where the payer decides and has not. */
export function priceOf({ currency, price, plans, plan, amountRaw, paidRaw }: Stated): string | undefined {
  const value = plan === null ? price : (plans[plan]?.value ?? price)
  if (currency !== 'NANO') return value === null ? undefined : moneyOf(currency, value)
  const raw = amountRaw ?? (paidRaw > 0n ? paidRaw : undefined)
  return raw === undefined ? undefined : `${formatNano(raw)} nano`
}

export interface StatusWord {
  text: string
  tone: 'good' | 'warn' | 'bad' | 'info' | 'quiet'
}

export function statusWord(checkout: Stated): StatusWord {
  const { status, additional, amountRaw, paidRaw } = checkout
  if (additional === 'refunded') return { text: 'Refunded', tone: 'quiet' }
  if (additional === 'partly_refunded') return { text: 'Partly refunded', tone: 'info' }
  if (status === 'complete') {
    if (additional === 'overpaid') return { text: 'Paid, more than asked', tone: 'warn' }
    return { text: additional === 'marked' ? 'Paid, by your word' : 'Paid', tone: 'good' }
  }
  if (additional === 'paid_late') return { text: 'Paid late: you decide', tone: 'warn' }
  if (status === 'partial') {
    const of = amountRaw === undefined ? '' : ` of ${formatNano(amountRaw)}`
    return { text: `Partly paid: ${formatNano(paidRaw)}${of} nano`, tone: 'warn' }
  }
  const words: Record<string, StatusWord> = {
    pending: { text: 'Waiting', tone: 'info' },
    detected: { text: 'Arriving', tone: 'info' },
    expired: { text: 'Expired', tone: 'quiet' },
    cancelled: { text: 'Cancelled', tone: 'quiet' },
  }
  return words[status] ?? { text: status, tone: 'quiet' }
}

/** What each entry of the timeline says. A reason that is not here is shown as it was stored. */
const SENTENCES: Record<string, string> = {
  created: 'The payment was asked for.',
  quoted: 'The price was converted to nano for the payer.',
  seen: 'A payment is arriving.',
  'not confirmed': 'The payment that was arriving did not come.',
  paid: 'Money arrived and is final.',
  'paid late': 'Money arrived after the end.',
  'not counted': 'Money arrived that does not count for this payment.',
  expired: 'It was not paid in time.',
  cancelled: 'You cancelled it.',
  hidden: 'You removed it from the list.',
  'marked by the merchant': 'You marked it as paid.',
  'changed by the merchant': 'You changed it.',
  'terms changed by the merchant': 'You changed the price or the address.',
  'receipt asked for': 'The buyer left an email address for the receipt.',
  'receipt sent by the merchant': 'You sent the receipt.',
  'refund asked for': 'You asked for a refund.',
  'cancelled for a refund': 'You refunded it before it was paid in full, which ended it.',
  'refund sent': 'A refund left your wallet.',
  'refund failed': 'A refund failed. The money is still yours.',
  'refund claimed': 'The buyer collected the refund.',
  'ended early by a developer': 'It was ended by hand on the development ledger.',
}

export const sentenceOf = (reason: string): string => SENTENCES[reason] ?? reason

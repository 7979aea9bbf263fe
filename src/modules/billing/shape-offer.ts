import Type from 'typebox'
import { answer } from '../../kernel/answers.ts'
import { formatNano } from '../../kernel/money.ts'
import { toPaymentUri } from '../../kernel/nano/payment-uri.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { type CheckoutPorts, type Checkout } from '../checkout/index.ts'

/** Members of the answer of whatever is offered. */
export const OFFERED = {
  id: Type.String({ pattern: '^[0-9a-f]{16}$', description: 'Id of the checkout.' }),
  address: answer.address,
  browser: answer.url,
  check: answer.url,
  json: answer.url,
  expires_unix: answer.unix,
}

export const OFFERED_PLAN = answer.record({
  title: answer.text,
  value: answer.nano,
  value_raw: answer.raw,
  link: answer.paymentUri,
  qrcode: answer.optional(answer.png),
})

/** The offer of contract 2: where to pay how much for what. Each plan has an amount of its own. */
export function toOffer(
  { links, qrPng }: CheckoutPorts,
  { id, address, plans, expiresAt }: Checkout,
  { qrcode = false }: { qrcode?: boolean } = {},
): JsonObject {
  return {
    id,
    address,
    browser: links.pay(id),
    check: links.check(id),
    json: links.record(id),
    plans: plans.map(({ title, amountRaw }) => {
      const link = toPaymentUri({ address, amount: amountRaw })
      const picture = qrcode && { qrcode: qrPng(link) }
      return { title, value: formatNano(amountRaw!), value_raw: amountRaw!.toString(), link, ...picture }
    }),
    expires_unix: Math.floor(expiresAt / 1000),
  }
}

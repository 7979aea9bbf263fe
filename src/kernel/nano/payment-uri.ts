import type { Raw } from '../money.ts'

export interface PaymentRequest {
  address: string
  amount?: Raw | undefined
  label?: string | undefined
  message?: string | undefined
}

/** A `nano:` link that wallets open. Its amount is always in raw. */
export function toPaymentUri({ address, amount, label, message }: PaymentRequest): string {
  const parts = [
    amount === undefined ? undefined : `amount=${amount}`,
    label === undefined ? undefined : `label=${encodeText(label)}`,
    message === undefined ? undefined : `message=${encodeText(message)}`,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? `nano:${address}` : `nano:${address}?${parts.join('&')}`
}

/** A label that was cut inside an emoji ends with half a character, for which `encodeURIComponent` throws. */
function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

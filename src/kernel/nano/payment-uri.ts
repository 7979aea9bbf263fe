import { parseRaw, type Raw } from '../money.ts'
import { fromAddress, toAddress } from './address.ts'

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

/** Reads a payment link, also with `nano://`; undefined if address or amount is wrong. */
export function fromPaymentUri(uri: string): PaymentRequest | undefined {
  const match = /^nano:(?:\/\/)?([^?]+)(?:\?(.*))?$/i.exec(uri)
  const key = match?.[1] === undefined ? undefined : fromAddress(match[1])
  if (key === undefined) return undefined
  const query = new URLSearchParams((match?.[2] ?? '').replaceAll('+', '%2B'))
  const amountText = query.get('amount')
  const amount = amountText === null ? undefined : parseRaw(amountText)
  if (amountText !== null && amount === undefined) return undefined
  const request: PaymentRequest = { address: toAddress(key) }
  if (amount !== undefined) request.amount = amount
  const label = query.get('label')
  if (label !== null) request.label = label
  const message = query.get('message')
  if (message !== null) request.message = message
  return request
}

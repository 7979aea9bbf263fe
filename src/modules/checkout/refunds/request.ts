import { type Raw, parseNano, toPlainDecimal } from '../../../kernel/money.ts'
import { BURN_ADDRESS, fromAddress, toAddress } from '../../../kernel/nano/address.ts'
import { parseFiat } from '../domain/fiat.ts'
import { badField } from '../errors.ts'
import { INVISIBLE, given, readText } from '../../../kernel/shown-fields.ts'

/** The amount to refund. */
export type RefundAsked =
  | { kind: 'all' }
  | { kind: 'nano'; raw: Raw }
  /** In the currency of the checkout, at the rate of the payment or at today's rate. */
  | { kind: 'fiat'; e8: bigint; rate: 'paid' | 'now' }

export interface RefundRequest {
  asked: RefundAsked
  /** Undefined means the payer's address. */
  address: string | undefined
  /** A cloud wallet of the account. */
  from: string | undefined
  as: 'send' | 'link'
  reason: string | null
}

type Body = Readonly<Record<string, unknown>>

const REASON_MAX = 280

/** Reads a refund request and names the first wrong field. */
export function readRefund(body: Body): RefundRequest {
  const as = readWord('as', body.as, ['send', 'link']) ?? 'send'
  const address = readAddress('address', body.address)
  if (as === 'link' && address !== undefined) {
    throw badField('address', 'A claim link has no address. Leave address out.')
  }
  if (address === BURN_ADDRESS) throw badField('address', 'Funds sent there are lost.', 'invalid_account')
  return {
    asked: readAsked(body),
    address,
    from: readAddress('from', body.from),
    as,
    reason: readText('reason', body.reason, REASON_MAX, INVISIBLE),
  }
}

function readAsked(body: Body): RefundAsked {
  const rate = readWord('rate', body.rate, ['paid', 'now'])
  const [nano, fiat] = [given(body.amount), given(body.fiat_amount)]
  if (fiat === undefined) {
    if (rate !== undefined) throw badField('rate', 'rate goes with fiat_amount.')
    if (nano === undefined) return { kind: 'all' }
    const raw = parseNano(toText('amount', nano))
    if (raw === undefined || raw === 0n) throw badField('amount', 'Invalid amount number', 'invalid_amount')
    return { kind: 'nano', raw }
  }
  if (nano !== undefined) throw badField('fiat_amount', 'Give amount or fiat_amount, not both.')
  const e8 = parseFiat(toText('fiat_amount', fiat))
  if (e8 === undefined || e8 === 0n) throw badField('fiat_amount', 'Invalid amount number', 'invalid_amount')
  return { kind: 'fiat', e8, rate: rate ?? 'paid' }
}

/** The requested amount as one text, by which equal requests are recognised. */
export function namesOf(asked: RefundAsked): string {
  if (asked.kind === 'all') return 'all'
  return asked.kind === 'nano' ? `nano ${asked.raw}` : `fiat ${asked.e8} ${asked.rate}`
}

function toText(field: string, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw badField(field, 'Invalid amount number', 'invalid_amount')
  }
  return toPlainDecimal(String(value).trim())
}

function readWord<T extends string>(field: string, value: unknown, words: readonly T[]): T | undefined {
  if (given(value) === undefined) return undefined
  const word = words.find((one) => one === value)
  if (word === undefined) throw badField(field, `${field} must be one of ${words.join(', ')}.`)
  return word
}

function readAddress(field: string, value: unknown): string | undefined {
  if (given(value) === undefined) return undefined
  const key = typeof value === 'string' ? fromAddress(value.trim()) : undefined
  if (key === undefined) throw badField(field, 'Bad account number', 'invalid_account')
  return toAddress(key)
}

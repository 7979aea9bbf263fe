import type { Db } from '../../../kernel/db.ts'
import { AppError } from '../../../kernel/errors.ts'
import { type Raw, formatNano, toRaw } from '../../../kernel/money.ts'
import type { Rate } from '../../../kernel/ports.ts'
import { findOwnedWallet, findWallet, findWalletByAddress, lockUsableWallet, refusedSend } from '../../wallets/index.ts'
import { decimalsOf, toNanoAt, worthAt } from '../domain/fiat.ts'
import { badField } from '../errors.ts'
import { type Payment, listPayers } from '../payments-store.ts'
import type { Checkout } from '../record.ts'
import type { CheckoutContext } from '../context.ts'
import { askedRaw } from '../shape.ts'
import type { RefundAsked, RefundRequest } from './request.ts'

/** The amount of a refund. */
interface RefundAmount {
  amountRaw: Raw
  /** The part that was paid beyond the price. */
  excessRaw: Raw
  /** The part of a fiat price that is refunded; undefined where the price is in nano, or not known. */
  fiatE8: bigint | undefined
  rate: string | null
  rateSource: string | null
}

export const refundable = ({ paidRaw, refundedRaw }: Pick<Checkout, 'paidRaw' | 'refundedRaw'>): Raw =>
  toRaw(paidRaw - refundedRaw)

/** The rate at which a checkout was paid: that of its last payment with a rate. */
const paidRateOf = (payments: readonly Payment[]): Payment | undefined =>
  payments.findLast(({ kind, rate }) => kind !== 'unmatched' && rate !== null)

/** Decides the amount to refund; `today` is the current rate, where the request asks for it. */
export function decideAmount(
  checkout: Checkout,
  payments: readonly Payment[],
  { asked, today, given }: { asked: RefundAsked; today: Rate | undefined; given: GivenBack },
): RefundAmount {
  const left = refundable(checkout)
  const paid = paidRateOf(payments)
  if (asked.kind === 'fiat') {
    if (checkout.currency === 'NANO') throw badField('fiat_amount', 'The price was in nano. Use amount instead.')
    const [rate, source] = asked.rate === 'now' ? [today?.rate, today?.source] : [paid?.rate, paid?.rateSource]
    if (rate === undefined || rate === null) throw badField('rate', 'The rate at payment is not known. Use now.')
    const converted = toNanoAt(asked.e8, rate)
    if (converted === undefined) throw refundTooLarge(left)
    // Conversions are rounded up, and a unique amount is above its price: a refund of the last of the price refunds all that is left.
    const isLast =
      asked.rate === 'paid' && excessLeft(checkout, given) === 0n && priceLeft(checkout, given) === asked.e8
    const isWorthIt = converted > left && (worthAt(left, rate) ?? 0n) >= asked.e8
    const amountRaw = isLast || isWorthIt ? left : converted
    if (amountRaw > left) throw refundTooLarge(left)
    return { amountRaw, ...valueOf(checkout, given, amountRaw, asked.e8), rate, rateSource: source ?? null }
  }
  const amountRaw = asked.kind === 'all' ? left : asked.raw
  if (amountRaw === 0n || amountRaw > left) throw refundTooLarge(left)
  const value = valueOf(checkout, given, amountRaw)
  if (checkout.currency === 'NANO') return { amountRaw, ...value, rate: null, rateSource: null }
  return { amountRaw, ...value, rate: paid?.rate ?? null, rateSource: paid?.rateSource ?? null }
}

/** The sums of a checkout's refunds that have not failed. */
interface GivenBack {
  e8: bigint
  excessRaw: bigint
}

/**
 * The value of a refund in the currency of the price, as every report counts it. What was paid beyond the price is refunded first and has
 * no value there; after that each raw is worth its share of the price, or what was requested, in whole minor units. The last refund
 * takes the remainder.
 */
function valueOf(
  checkout: Checkout,
  given: GivenBack,
  amountRaw: Raw,
  wantedE8?: bigint,
): Pick<RefundAmount, 'excessRaw' | 'fiatE8'> {
  const left = refundable(checkout)
  const { currency, paidRaw, priceE8 } = checkout
  const excessRaw = toRaw(min(amountRaw, excessLeft(checkout, given)))
  if (currency === 'NANO' || priceE8 === undefined) return { excessRaw, fiatE8: undefined }
  const leftE8 = priceLeft(checkout, given)
  if (amountRaw === left) return { excessRaw, fiatE8: leftE8 }
  const round = roundingOf(currency, priceE8)
  const part = amountRaw - excessRaw
  const fiatE8 =
    wantedE8 === undefined
      ? round(paidOf(checkout, priceE8) * part, min(paidRaw, askedRaw(checkout) ?? paidRaw))
      : round(wantedE8 * part, amountRaw)
  return { excessRaw, fiatE8: min(fiatE8, leftE8) }
}

/** What was paid beyond the price and is not refunded yet. */
function excessLeft(checkout: Checkout, given: GivenBack): bigint {
  const excess = checkout.paidRaw - (askedRaw(checkout) ?? checkout.paidRaw) - given.excessRaw
  return min(max(excess, 0n), refundable(checkout))
}

/** Divides, rounding to whole minor units, unless the price itself is finer than those. */
function roundingOf(currency: string, priceE8: bigint): (top: bigint, bottom: bigint) => bigint {
  const unit = 10n ** BigInt(8 - decimalsOf(currency))
  if (priceE8 % unit !== 0n) return (top, bottom) => top / bottom
  return (top, bottom) => ((2n * top + bottom * unit) / (2n * bottom * unit)) * unit
}

/** The part of a price that was paid, and so can be refunded. */
function paidOf(checkout: Checkout, priceE8: bigint): bigint {
  const { currency, paidRaw, status } = checkout
  const asked = askedRaw(checkout) ?? paidRaw
  return status === 'complete' || paidRaw >= asked ? priceE8 : roundingOf(currency, priceE8)(priceE8 * paidRaw, asked)
}

/** The part of the price, in its currency, that is not refunded yet. */
const priceLeft = (checkout: Checkout, given: GivenBack): bigint =>
  checkout.priceE8 === undefined ? 0n : max(paidOf(checkout, checkout.priceE8) - given.e8, 0n)

const min = (one: bigint, other: bigint) => (one < other ? one : other)
const max = (one: bigint, other: bigint) => (one > other ? one : other)

/** Where a refund goes: to the address in the request, or to the payer if that address reaches them. */
export async function decideAddress(
  { db, ports }: CheckoutContext,
  { id }: Checkout,
  { address }: RefundRequest,
): Promise<string> {
  const payers = await listPayers(db, id)
  const [payer] = payers
  const destination = address ?? payer
  if (destination === undefined || (address === undefined && payers.length > 1))
    throw refundAddressRequired('several', payers)
  if (address === undefined && ports.isExchange(destination)) throw refundAddressRequired('exchange', payers)
  const wallet = await findWalletByAddress(db, destination)
  // Wallets of email payments, of checkouts and of the service itself: a refund there would not reach the customer.
  if (wallet && wallet.purpose !== 'cloud') throw refundAddressRequired('service', payers)
  return destination
}

interface RefundSource {
  walletId: string
  address: string
}

/**
 * The wallet that pays: the one in the request, otherwise the checkout's own while it holds the money, otherwise the cloud wallet that
 * was paid. Call it in the transaction that queues the send.
 */
export async function decideSource(db: Db, checkout: Checkout, from: string | undefined): Promise<RefundSource> {
  const { owner, walletId, address, merchantAddress } = checkout
  if (from === undefined && walletId !== null) {
    // While the wallet is active, nothing was swept: it holds the whole payment, or can still receive it.
    const wallet = await findWallet(db, walletId)
    // Locked from here on, because a sweep that began now would leave the refund without its wallet.
    if (wallet?.status === 'active' && (await lockUsableWallet(db, walletId))) return { walletId, address }
  }
  const own = await findOwnedWallet(db, owner, from ?? merchantAddress)
  if (own && own.frozenAt !== null) throw refusedSend('wallet_frozen')
  if (own) return { walletId: own.id, address: own.address }
  throw from === undefined ? refundSourceRequired() : badField('from', 'Wallet not found.', 'wallet_not_found')
}

/** It is unclear who would receive the money. */
const refundAddressRequired = (why: 'exchange' | 'service' | 'several', payers: readonly string[]) =>
  new AppError(
    'refund_address_required',
    `${WHY[why]} Set address to where the refund should go, or send it as a link.`,
    {
      body: { field: 'address', payers: [...payers] },
    },
  )

const WHY = {
  exchange: 'The payment came from an exchange, which would not credit a refund.',
  service: 'This is an internal wallet of this service, which no customer keeps.',
  several: 'The payment came from several addresses.',
} as const

export const paysItself = () =>
  badField('address', 'This wallet pays the refund. Set another address, or another from.', 'invalid_account')

const refundSourceRequired = () =>
  new AppError(
    'refund_source_required',
    'The money is no longer held by this service. Set from to one of your cloud wallets.',
    { body: { field: 'from' } },
  )

const refundTooLarge = (left: Raw) =>
  new AppError(
    'refund_too_large',
    left === 0n ? 'There is nothing left to refund.' : `At most ${formatNano(left)} nano can be refunded.`,
    { body: { field: 'amount', refundable: formatNano(left), refundable_raw: left.toString() } },
  )

import { formatNano } from '../../../kernel/money.ts'
import { formatFiat } from '../domain/fiat.ts'
import { badField } from '../errors.ts'
import type { Price } from '../price-fields.ts'

/** Who buys, as far as the merchant says. It tells of people: it is shown to the holder of the link, and to the merchant. */
interface Buyer {
  name: string | null
  /** With its line breaks. */
  address: string | null
  taxId: string | null
}

interface InvoiceLine {
  title: string
  /** A decimal of up to three places. */
  quantity: string
  /** Of one, in the currency of the checkout; a discount is below zero. */
  price: string
}

interface TaxLine {
  title: string
  amount: string
}

/** What stands on the invoice of a checkout, as its merchant has written it. */
export interface Invoice {
  /** The merchant's own; without one the gateway gives the next when it is paid. */
  number: string | null
  /** Address and tax number of the merchant, where a law wants them. */
  seller: string | null
  buyer: Buyer | null
  lines: InvoiceLine[]
  tax: TaxLine[]
}

const QUANTITY_SCALE = 1_000n
const scaleOf = (currency: string) => (currency === 'NANO' ? 30 : 8)

/** In raw, or in 10^-8 of a currency; undefined where it has more decimals than that. */
function toUnits(text: string, scale: number): bigint | undefined {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  if (fraction.length > scale) return undefined
  const units = BigInt(whole + fraction.padEnd(scale, '0'))
  return text.startsWith('-') ? -units : units
}

export const formatUnits = (currency: string, units: bigint): string => {
  const text = (positive: bigint) => (currency === 'NANO' ? formatNano(positive) : formatFiat(positive))
  return units < 0n ? `-${text(-units)}` : text(units)
}

export interface Sums {
  /** Of each line: quantity times price. */
  lines: bigint[]
  tax: bigint[]
  net: bigint
  total: bigint
}

/** What an invoice comes to, exactly; what cannot be said exactly in the currency is refused by its field. */
export function sumInvoice({ lines, tax }: Invoice, currency: string): Sums {
  const scale = scaleOf(currency)
  const units = (field: string, text: string) => {
    const read = toUnits(text, scale)
    if (read === undefined) throw badField(field, `${field} takes up to ${scale} decimals.`, 'invalid_amount')
    return read
  }
  const costs = lines.map(({ quantity, price }, at) => {
    const field = `invoice.lines[${at}]`
    const cost = units(`${field}.price`, price) * toUnits(quantity, 3)!
    if (cost % QUANTITY_SCALE !== 0n) {
      throw badField(`${field}.quantity`, 'quantity times price is not an exact amount.', 'invalid_amount')
    }
    return cost / QUANTITY_SCALE
  })
  const taxes = tax.map(({ amount }, at) => units(`invoice.tax[${at}].amount`, amount))
  const net = costs.reduce((sum, cost) => sum + cost, 0n)
  return { lines: costs, tax: taxes, net, total: taxes.reduce((sum, one) => sum + one, net) }
}

interface Asked {
  currency: string
  price: Price | undefined
  plans: readonly unknown[]
}

/** Refuses an invoice that says something else than the price: one of them would be wrong on paper. */
export function requireSameTotal(invoice: Invoice, { currency, price, plans }: Asked): void {
  if (plans.length > 0 || price === undefined || price.kind === 'wildcards') {
    throw badField('invoice', 'An invoice needs one fixed amount, without plans or X digits.')
  }
  const { total } = sumInvoice(invoice, currency)
  const asked = price.kind === 'nano' ? price.raw : price.e8
  if (total === asked) return
  const [is, should] = [formatUnits(currency, total), formatUnits(currency, asked)]
  throw badField('invoice.lines', `The lines and taxes add up to ${is}, but the price is ${should}.`, 'invalid_amount')
}

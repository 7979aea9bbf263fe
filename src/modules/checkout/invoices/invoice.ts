import { formatNano } from '../../../kernel/money.ts'
import { formatFiat } from '../domain/fiat.ts'
import { badField } from '../errors.ts'
import type { Price } from '../price-fields.ts'

/** The buyer as the merchant entered it. This is personal data: only the holder of the link and the merchant see it. */
interface Buyer {
  name: string | null
  /** May contain line breaks. */
  address: string | null
  taxId: string | null
}

interface InvoiceLine {
  title: string
  /** A decimal with up to three places. */
  quantity: string
  /** The price of one, in the currency of the checkout; negative for a discount. */
  price: string
}

interface TaxLine {
  title: string
  amount: string
}

/** The invoice of a checkout as its merchant entered it. */
export interface Invoice {
  /** The merchant's own number; without one, the gateway assigns the next number when it is paid. */
  number: string | null
  /** The merchant's address and tax number, where the law requires them. */
  seller: string | null
  buyer: Buyer | null
  lines: InvoiceLine[]
  tax: TaxLine[]
}

const QUANTITY_SCALE = 1_000n
const scaleOf = (currency: string) => (currency === 'NANO' ? 30 : 8)

/** In raw, or in 10^-8 of a currency; undefined when the text has too many decimals. */
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
  /** Quantity times price of each line. */
  lines: bigint[]
  tax: bigint[]
  net: bigint
  total: bigint
}

/** The exact totals of an invoice; a value that the currency cannot express exactly is refused by its field. */
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

/** Refuses an invoice whose total differs from the price: one of the two would be wrong on paper. */
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

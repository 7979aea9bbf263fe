import { answer } from '../../kernel/answers.ts'
import { badField } from '../../kernel/errors.ts'
import { readFlag } from '../../kernel/fields.ts'
import { formatNano, parseNano, toRaw } from '../../kernel/money.ts'
import { form } from '../../kernel/free-field.ts'
import type { Labelled } from '../../kernel/resource/field.ts'
import { asJson, field } from '../../kernel/resource/fields.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { INVISIBLE, INVISIBLE_BUT_LINES, given, readText } from '../../kernel/shown-fields.ts'
import {
  type TypedTax,
  WHOLE,
  formatFiat,
  parseFiat,
  partOf,
  readPrice,
  readTypedInvoice,
  toThousandths,
} from '../checkout/index.ts'
import { free } from './link-fields.ts'

const NAME_MAX = 120
const ADDRESS_MAX = 500
const TAX_ID_MAX = 40
const TITLE_MAX = 200

/** What the invoices of a link's orders contain beside the purchase, in the form in which the API shows it. */
export type LinkInvoice = {
  /** Whether visitors must or may enter the buyer. */
  buyer: 'optional' | 'required'
  seller: string | null
  /** The taxes of one piece, included in its price. */
  tax: TypedTax[]
}

/** The invoices of its orders: none, or what they have in common. */
export function invoice(labelled: Labelled) {
  const schema = answer.record({
    buyer: answer.words('optional', 'required'),
    seller: answer.orNull(answer.text),
    tax: answer.list(
      answer.record({
        title: answer.text,
        percent: answer.optional(answer.text),
        amount: answer.optional(answer.text),
      }),
    ),
  })
  return field<LinkInvoice | null, string>({
    personal: true,
    erased: '{}',
    schema: answer.orNull(schema),
    takes: free(
      form.oneOf(
        form.flag,
        form.record({
          buyer: form.optional(form.words('optional', 'required')),
          seller: form.optional(form.text),
          tax: form.optional(
            form.list(
              form.record({
                title: form.text,
                percent: form.optional(form.amount),
                amount: form.optional(form.amount),
              }),
            ),
          ),
        }),
      ),
      'Whether each order has an invoice: `buyer` says whether the page asks for the buyer, `optional` or `required`; `tax` is included in the price: percentages of the price without taxes, or amounts per item.',
      { buyer: 'required', tax: [{ title: 'VAT', percent: '20' }] },
    ),
    control: {
      as: 'group',
      parts: {
        buyer: {
          as: 'choice',
          label: 'Invoice for every order',
          hint: 'Numbered when it is paid. Buyers enter their details on the link’s page.',
          options: () => [
            ['', 'None'],
            ['optional', 'Yes, buyer details optional'],
            ['required', 'Yes, name and address required'],
          ],
        },
        seller: {
          as: 'text',
          label: 'Your details on the invoice',
          hint: 'Address and tax number, where required.',
          lines: 2,
          max: 500,
        },
        tax: {
          as: 'rows',
          label: 'Taxes in the price',
          hint: 'In percent of the price without taxes.',
          columns: {
            title: { control: { as: 'text', label: 'Tax', placeholder: 'VAT' } },
            percent: { control: { as: 'text', label: '%', decimal: true } },
            amount: { control: { as: 'text', label: 'Amount', decimal: true, isRare: true } },
          },
          max: 10,
          one: 'Tax',
          add: 'Add a tax',
        },
      },
      // Taxes or a seller alone are refused instead of being lost.
      tidy: (typed) => ({ buyer: 'none', ...typed }),
      ...labelled,
    },
    ...asJson<LinkInvoice | null>(),
    read: readLinkInvoice,
  })
}

/** The buyer as a visitor enters it. */
export interface TypedBuyer {
  name: unknown
  address: unknown
  taxId: unknown
}

/** Reads the invoice settings of a link and names the first wrong member. */
function readLinkInvoice(value: unknown): LinkInvoice | null {
  const asked = given(value)
  const isWanted = readFlag(asked)
  if (asked === undefined || isWanted === false) return null
  if (isWanted === true) return { buyer: 'optional', seller: null, tax: [] }
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) {
    throw badField('invoice', 'invoice must be true, or an object with buyer, seller and tax.')
  }
  const { buyer, seller, tax, ...others } = asked as Record<string, unknown>
  const [other] = Object.keys(others)
  // A number or lines would be the same for every buyer.
  if (other !== undefined) throw badField(`invoice.${other}`, `invoice.${other} is made for each order by itself.`)
  const wanted = given(buyer) ?? 'optional'
  if (wanted !== 'optional' && wanted !== 'required') {
    throw badField('invoice.buyer', 'invoice.buyer must be optional or required.')
  }
  const read = readTypedInvoice({ seller, tax, lines: [{ title: 'Order', price: '1' }] })!
  return { buyer: wanted, seller: read.seller, tax: read.tax }
}

/** Taxes that are amounts require a single price. */
export function checkLinkInvoice(
  { tax }: LinkInvoice,
  { isOnePrice, isFilled }: { isOnePrice: boolean; isFilled: boolean },
): void {
  if (isFilled) throw badField('invoice', 'invoice needs a price without X.')
  if (tax.some((line) => 'amount' in line) && !isOnePrice) {
    throw badField(
      'invoice.tax',
      'Amounts of taxes need a single price. With plans, or without a price, use percentages.',
    )
  }
}

/** Reads the visitor's entries; undefined when they are empty. */
export function readBuyer({ buyer }: LinkInvoice, typed: TypedBuyer): JsonObject | undefined {
  const name = readText('buyer_name', typed.name, NAME_MAX, INVISIBLE)
  const address = readText('buyer_address', typed.address, ADDRESS_MAX, INVISIBLE_BUT_LINES)
  const taxId = readText('buyer_tax_id', typed.taxId, TAX_ID_MAX, INVISIBLE)
  if (buyer === 'required') {
    if (name === null) throw badField('buyer_name', 'buyer_name is required')
    if (address === null) throw badField('buyer_address', 'buyer_address is required')
  }
  return name === null && address === null && taxId === null ? undefined : { name, address, tax_id: taxId }
}

interface Order {
  currency: string
  title: string
  /** The price of one piece, taxes included. */
  price: string
  quantity: number
  buyer: JsonObject | undefined
}

const sum = (parts: readonly bigint[]) => parts.reduce((total, part) => total + part, 0n)

/** The invoice of one order, whose lines and taxes add up exactly to the price. */
export function toInvoice(
  { seller, tax }: LinkInvoice,
  { currency, title, price, quantity, buyer }: Order,
): JsonObject {
  const show = (units: bigint) => (currency === 'NANO' ? formatNano(toRaw(units)) : formatFiat(units))
  const asked = readPrice('amount', price, currency)
  if (!asked || asked.kind === 'wildcards') throw badField('amount', 'Invalid amount number', 'invalid_amount')
  const gross = asked.kind === 'nano' ? asked.raw : asked.e8
  const amounts = tax.map((line, at) => {
    if ('percent' in line) return 0n
    const units = currency === 'NANO' ? parseNano(line.amount) : parseFiat(line.amount)
    if (units === undefined) throw badField(`invoice.tax[${at}].amount`, 'Invalid amount number', 'invalid_amount')
    return units
  })
  const parts = tax.map((line) => ('percent' in line ? toThousandths(line.percent) : 0n))
  const whole = WHOLE + sum(parts)
  const rest = gross - sum(amounts)
  const taxes = tax.map((_, at) => amounts[at]! + partOf(currency, rest, parts[at]!, whole))
  const net = gross - sum(taxes)
  if (net < 0n) throw badField('invoice.tax', 'The taxes are more than the price.', 'invalid_amount')
  return {
    lines: [{ title: title.slice(0, TITLE_MAX), quantity: String(quantity), price: show(net) }],
    tax: tax.map((line, at) => ({ title: line.title, amount: show(taxes[at]! * BigInt(quantity)) })),
    ...(seller !== null && { seller }),
    ...(buyer && { buyer }),
  }
}

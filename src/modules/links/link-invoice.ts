import { answer } from '../../kernel/answers.ts'
import { badField, missingField } from '../../kernel/errors.ts'
import { readFlag } from '../../kernel/fields.ts'
import { formatNano, parseNano, toRaw } from '../../kernel/money.ts'
import { form } from '../../kernel/free-field.ts'
import type { Labelled } from '../../kernel/resource/field.ts'
import { asJson, field } from '../../kernel/resource/fields.ts'
import type { JsonObject } from '../../kernel/shape.ts'
import { INVISIBLE, INVISIBLE_BUT_LINES, given, readText } from '../../kernel/shown-fields.ts'
import { formatFiat, parseFiat, readInvoice, readPrice } from '../checkout/index.ts'
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
  /** The tax of one piece, included in its price. */
  tax: { title: string; amount: string }[]
}

/** The invoices of its orders: none, or what they have in common. */
export function invoice(labelled: Labelled) {
  const schema = answer.record({
    buyer: answer.words('optional', 'required'),
    seller: answer.orNull(answer.text),
    tax: answer.list(answer.record({ title: answer.text, amount: answer.text })),
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
          tax: form.optional(form.list(form.record({ title: form.text, amount: form.amount }))),
        }),
      ),
      'Whether each order has an invoice: `buyer` says whether the page asks for the buyer, `optional` or `required`; `tax` are amounts per item, included in its price.',
      { buyer: 'required', tax: [{ title: 'VAT 20 %', amount: '0.25' }] },
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
          hint: 'Per item.',
          columns: {
            title: { control: { as: 'text', label: 'Tax', placeholder: 'VAT 20 %' } },
            amount: { control: { as: 'text', label: 'Amount', decimal: true } },
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
  const read = readInvoice({ seller, tax, lines: [{ title: 'Order', price: '1' }] })!
  return { buyer: wanted, seller: read.seller, tax: read.tax }
}

/** Taxes are amounts, as on every invoice, so they require a single price. */
export function checkLinkInvoice(
  { tax }: LinkInvoice,
  { isOnePrice, isFilled }: { isOnePrice: boolean; isFilled: boolean },
): void {
  if (isFilled) throw badField('invoice', 'invoice needs a price without X.')
  if (tax.length > 0 && !isOnePrice) {
    throw badField('invoice.tax', 'Taxes need a single price. Links with plans, or without a price, cannot have them.')
  }
}

/** Reads the visitor's entries; undefined when they are empty. */
export function readBuyer({ buyer }: LinkInvoice, typed: TypedBuyer): JsonObject | undefined {
  const name = readText('buyer_name', typed.name, NAME_MAX, INVISIBLE)
  const address = readText('buyer_address', typed.address, ADDRESS_MAX, INVISIBLE_BUT_LINES)
  const taxId = readText('buyer_tax_id', typed.taxId, TAX_ID_MAX, INVISIBLE)
  if (buyer === 'required') {
    if (name === null) throw missingField('buyer_name')
    if (address === null) throw missingField('buyer_address')
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

/** The invoice of one order, whose lines and taxes add up exactly to the price. */
export function toInvoice(
  { seller, tax }: LinkInvoice,
  { currency, title, price, quantity, buyer }: Order,
): JsonObject {
  const show = (units: bigint) => (currency === 'NANO' ? formatNano(toRaw(units)) : formatFiat(units))
  const asked = readPrice('amount', price, currency)
  if (!asked || asked.kind === 'wildcards') throw badField('amount', 'Invalid amount number', 'invalid_amount')
  const gross = asked.kind === 'nano' ? asked.raw : asked.e8
  const taxes = tax.map(({ amount }, at) => {
    const units = currency === 'NANO' ? parseNano(amount) : parseFiat(amount)
    if (units === undefined) throw badField(`invoice.tax[${at}].amount`, 'Invalid amount number', 'invalid_amount')
    return units
  })
  const net = taxes.reduce<bigint>((left, units) => left - units, gross)
  if (net < 0n) throw badField('invoice.tax', 'The taxes are more than the price.', 'invalid_amount')
  return {
    lines: [{ title: title.slice(0, TITLE_MAX), quantity: String(quantity), price: show(net) }],
    tax: tax.map((line, at) => ({ title: line.title, amount: show(taxes[at]! * BigInt(quantity)) })),
    ...(seller !== null && { seller }),
    ...(buyer && { buyer }),
  }
}

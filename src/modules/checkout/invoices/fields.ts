import { INVISIBLE, INVISIBLE_BUT_LINES, given, readText } from '../../../kernel/shown-fields.ts'
import { type Wrong, attempt, refuseIfAny, toWrong } from '../../../kernel/resource/wrong-fields.ts'
import { badField } from '../errors.ts'
import { toDecimalText } from '../price-fields.ts'
import { type Invoice, formatUnits, sumInvoice } from './invoice.ts'
import { isGivenByUs } from './numbers.ts'
import { type TypedTax, WHOLE, partOf, readPercent, toThousandths } from './percent.ts'

const LINES_MAX = 100
const TAX_MAX = 10
const NUMBER_MAX = 40
const TITLE_MAX = 200
const NAME_MAX = 120
const ADDRESS_MAX = 500
const PRICE = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,30})?$/
const TAX = /^(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,30})?$/
const QUANTITY = /^(?:0|[1-9][0-9]{0,5})(?:\.[0-9]{1,3})?$/

type Body = Readonly<Record<string, unknown>>

/** An invoice as it is entered. */
type TypedInvoice = Omit<Invoice, 'tax'> & { tax: TypedTax[] }

/** Reads the invoice of a checkout, with taxes as amounts. Its total is compared later, where the price is known. */
export function readInvoice(value: unknown, currency: string): Invoice | null {
  const typed = readTypedInvoice(value)
  if (typed === null) return null
  const { net } = sumInvoice({ ...typed, tax: [] }, currency)
  const tax = typed.tax.map((line) =>
    'amount' in line
      ? line
      : {
          title: line.title,
          amount: formatUnits(currency, partOf(currency, net, toThousandths(line.percent), WHOLE)),
        },
  )
  return { ...typed, tax }
}

/** Reads an invoice and names every wrong member. */
export function readTypedInvoice(value: unknown): TypedInvoice | null {
  const asked = given(value)
  if (asked === undefined) return null
  const { number, seller, buyer, lines, tax } = toBody('invoice', asked)
  const wrong: Wrong[] = []
  const part = <T>(name: string, label: string, readPart: (path: string) => T) =>
    attempt(wrong, { field: `invoice.${name}`, label }, () => readPart(`invoice.${name}`))
  const rows = <T>(name: string, label: string, sent: unknown, max: number, one: (path: string, row: unknown) => T) =>
    part(name, label, (path) =>
      // A row that was left empty in a form is undefined.
      listOf(path, sent, max).flatMap((row, at) =>
        row === undefined ? [] : [part(`${name}[${at}]`, `${label} ${at + 1}`, (place) => one(place, row))!],
      ),
    )
  const read = {
    number: part('number', 'Invoice number', (path) => readNumber(path, number)),
    seller: part('seller', 'Seller', (path) => readText(path, seller, ADDRESS_MAX, INVISIBLE_BUT_LINES)),
    buyer: part('buyer', 'Buyer', () => readBuyer(buyer)),
    lines: rows('lines', 'Line', lines, LINES_MAX, readLine),
    tax: rows('tax', 'Tax', tax, TAX_MAX, readTax),
  }
  if (read.lines?.length === 0)
    wrong.push(toWrong({ field: 'invoice.lines', label: 'Invoice lines' }, 'An invoice needs at least one line.'))
  refuseIfAny(wrong)
  return read as TypedInvoice
}

function readNumber(path: string, value: unknown): string | null {
  const own = readText(path, value, NUMBER_MAX, INVISIBLE)
  if (own !== null && isGivenByUs(own)) throw badField(path, 'Numbers such as INV-000001 are assigned by the gateway.')
  return own
}

function toBody(field: string, value: unknown): Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badField(field, `${field} must be an object.`)
  }
  return value as Body
}

function listOf(field: string, value: unknown, max: number): unknown[] {
  const listed = given(value) ?? []
  if (!Array.isArray(listed) || listed.length > max) throw badField(field, `${field} must be a list of up to ${max}.`)
  return listed
}

function readBuyer(value: unknown): Invoice['buyer'] {
  if (given(value) === undefined) return null
  const { name, address, tax_id: taxId } = toBody('invoice.buyer', value)
  const buyer = {
    name: readText('invoice.buyer.name', name, NAME_MAX, INVISIBLE),
    address: readText('invoice.buyer.address', address, ADDRESS_MAX, INVISIBLE_BUT_LINES),
    taxId: readText('invoice.buyer.tax_id', taxId, NUMBER_MAX, INVISIBLE),
  }
  return Object.values(buyer).every((member) => member === null) ? null : buyer
}

function readTitle(field: string, value: unknown): string {
  const title = readText(`${field}.title`, value, TITLE_MAX, INVISIBLE)
  if (title === null) throw badField(`${field}.title`, 'A line needs a title.')
  return title
}

function readDecimal(field: string, value: unknown, form: RegExp, hint: string): string {
  const text = toDecimalText(value)
  if (text === undefined || !form.test(text)) throw badField(field, `${field} must be ${hint}.`, 'invalid_amount')
  return text
}

function readLine(field: string, value: unknown): Invoice['lines'][number] {
  const { title, quantity, price } = toBody(field, value)
  const many = given(quantity) === undefined ? '1' : readDecimal(`${field}.quantity`, quantity, QUANTITY, 'a number')
  if (/^[0.]+$/.test(many)) throw badField(`${field}.quantity`, 'quantity must be above zero.')
  return {
    title: readTitle(field, title),
    quantity: many,
    price: readDecimal(`${field}.price`, price, PRICE, 'an amount such as 12.50'),
  }
}

function readTax(field: string, value: unknown): TypedTax {
  const { title, amount, percent } = toBody(field, value)
  const called = readTitle(field, title)
  if (percent === undefined || (percent === '' && given(amount) !== undefined))
    return { title: called, amount: readDecimal(`${field}.amount`, amount, TAX, 'an amount such as 2.50') }
  if (given(amount) !== undefined)
    throw badField(`${field}.percent`, 'A tax is a percentage or an amount, not both.', 'invalid_amount')
  return { title: called, percent: readPercent(`${field}.percent`, percent) }
}

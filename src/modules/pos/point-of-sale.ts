import { answer } from '../../kernel/answers.ts'
import { isTimeZone } from '../../kernel/calendar.ts'
import { badField } from '../../kernel/errors.ts'
import type { Labelled } from '../../kernel/resource/field.ts'
import {
  asked,
  askedFlag,
  count,
  field,
  flag,
  list,
  rows,
  secret,
  secretOrNone,
  text,
} from '../../kernel/resource/fields.ts'
import { records } from '../../kernel/resource/records.ts'
import { type RecordOf, type RowOf, type ValuesOf, resource } from '../../kernel/resource/resource.ts'
import { given } from '../../kernel/shown-fields.ts'
import { currency, payout, price } from '../checkout/index.ts'
import type { PosContext } from './context.ts'

/** Tips offered, as percentages of the price. */
const PERCENT = {
  schema: answer.integer,
  read(value: unknown, path: string): number {
    const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
    if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= 100) return Number(text)
    throw badField(path, `${path} must be whole percentages from 1 to 100.`)
  },
}

/** A point of sale: what is sold there, and who may sell. */
export const pointOfSale = resource({
  plural: 'points_of_sale',
  table: 'points_of_sale',
  path: '/api/pos',
  scope: 'checkout',
  tag: 'pos',
  owner: 'owner',
  times: 'unix',
  marksDeleted: true,
  rules: ({ checkouts }: PosContext) => ({ currencies: checkouts.ports.prices.currencies }),
  fields: {
    title: text({
      label: 'Title',
      hint: 'Shown to cashiers and payers.',
      placeholder: 'Counter',
      max: 80,
      required: true,
      personal: true,
      example: 'Counter',
    }),
    address: payout({
      label: 'Your address',
      hint: 'Leave it empty to be paid where your money goes. Otherwise nano_… or @name.',
      example: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
    }),
    // Fixed, because a day's totals are in one currency.
    currency: currency({
      label: 'Currency',
      hint: 'Used on the keypad. It cannot be changed later.',
      isBeside: true,
      isForNew: true,
      set: 'once',
      example: 'EUR',
    }),
    items: rows(
      {
        title: text({ label: 'Item', max: 60, required: true }),
        price: price({ label: 'Price', in: 'currency' }),
      },
      {
        label: 'Items',
        hint: 'Buttons next to the keypad.',
        one: 'Item',
        add: 'More items',
        max: 60,
        personal: true,
        example: [{ title: 'Espresso', price: '2.20' }],
      },
    ),
    tips: list(PERCENT, {
      label: 'Tips',
      hint: 'Up to four percentages that payers can choose.',
      placeholder: '10',
      one: 'Tip',
      add: 'Add a tip',
      decimal: true,
      of: 'percentages',
      max: 4,
      personal: 'no: numbers',
      example: [5, 10],
    }),
    timeZone: timeZone({
      label: 'Time zone',
      hint: 'Used for daily totals, such as Europe/Berlin. Defaults to that of the shop.',
      isBeside: true,
    }),
    isPaused: flag(),
    pin: pin({
      label: 'PIN',
      hint: '4 to 8 digits that cashiers enter once per shift. Without one, anyone with the link can sell.',
      isForNew: true,
    }),
    pinRequired: askedFlag(),
    /** The token of its link, encrypted, and as a keyed hash to compare with. */
    token: secret(),
    tokenMark: secret(),
    /** A keyed hash; null where no PIN is required. */
    pinMark: secretOrNone(),
    /** Wrong PINs of new devices since the PIN was set. */
    wrongPins: count(),
  },
  derived: {
    url: { as: answer.url, from: ({ id }, { urlOf }) => urlOf(id) },
    pin_required: { as: answer.bool, from: ({ pinMark }) => pinMark !== null },
  },
  refuse: {
    pin: ({ pin, pinRequired }, held) =>
      pinRequired === true && typeof pin !== 'string' && (held?.pinMark ?? null) === null
        ? 'pin must be 4 to 8 digits.'
        : undefined,
  },
})

export type PointOfSale = RecordOf<typeof pointOfSale.fields>
export type PosValues = ValuesOf<typeof pointOfSale.fields>
export type PosColumns = RowOf<typeof pointOfSale.fields>

export const tills = records(pointOfSale)

/** The PIN of a request: undefined leaves it as it is, null removes it. */
export const pinOf = ({ pin, pinRequired }: Partial<Pick<PosValues, 'pin' | 'pinRequired'>>) =>
  pinRequired === false ? null : pin

/** The time zone whose midnight ends a day; empty when the request names none and so leaves the choice to the shop's settings. */
function timeZone(labelled: Labelled) {
  return field<string>({
    schema: answer.text,
    takes: answer.text,
    personal: 'no: one of some hundred names',
    example: 'Europe/Berlin',
    control: { as: 'text', ...labelled },
    read(value, { path }) {
      const zone = given(value)
      if (zone === undefined) return ''
      if (typeof zone === 'string' && zone.length <= 60 && isTimeZone(zone)) return zone
      throw badField(path, `${path} must be a time zone such as Europe/Berlin.`)
    },
  })
}

function pin(labelled: Labelled) {
  return asked<string | null | undefined>({
    takes: answer.orNull(answer.text),
    example: '4711',
    control: { as: 'text', isSecret: true, digits: true, max: 8, ...labelled },
    read(value, { path }) {
      if (given(value) === undefined) return value === null ? null : undefined
      const digits = typeof value === 'string' ? value.trim() : ''
      if (!/^[0-9]{4,8}$/.test(digits)) throw badField(path, `${path} must be a text of 4 to 8 digits.`)
      return digits
    },
  })
}

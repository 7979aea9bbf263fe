import { answer } from '../../kernel/answers.ts'
import { dateAt, dayOf, isDate } from '../../kernel/calendar.ts'
import { badField } from '../../kernel/errors.ts'
import { optional } from '../../kernel/fields.ts'
import { form, freeField } from '../../kernel/free-field.ts'
import type { Labelled, Reading } from '../../kernel/resource/field.ts'
import { field, readWhole } from '../../kernel/resource/fields.ts'
import { given } from '../../kernel/shown-fields.ts'
import { readMode, readPrice } from '../checkout/index.ts'
import { type Every, toEvery } from './subscriptions/periods.ts'

/* The fields that only payment links have. */

const { text: TEXT, integer, orNull, words } = answer
const QUANTITY_MAX = 1_000
const SLUG = /^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/
const DAY = 86_400_000
const YEARS = 10 * 366 * DAY
export const free = (...described: Parameters<typeof freeField>) => optional(freeField(...described))

declare module '../../kernel/resource/field.ts' {
  interface Rules {
    now: number
  }
}

/** An amount that the page suggests. */
export const SUGGESTION = {
  schema: TEXT,
  read(value: unknown, path: string, { others: { currency: known } }: Reading): string {
    const price = typeof known === 'string' ? readPrice(path, value, known) : undefined
    if (typeof known === 'string' && (!price || price.kind === 'wildcards'))
      throw badField(path, 'Invalid amount number', 'invalid_amount')
    return price?.text ?? ''
  },
}

/** Empty where one has to be generated. It is printed and shared. */
export function slug(labelled: Labelled) {
  return field<string>({
    set: 'once',
    emptyLeaves: true,
    personal: 'no: no other link may ever get it',
    schema: TEXT,
    takes: free(
      form.text,
      'The last part of its URL: 3 to 40 letters, digits and dashes. By default one is generated.',
      'blue-mug',
    ),
    control: { as: 'text', max: 40, ...labelled },
    read(value, { path }) {
      if (given(value) === undefined) return ''
      const read = typeof value === 'string' ? value.trim().toLowerCase() : ''
      if (SLUG.test(read)) return read
      throw badField(path, `${path} must be 3 to 40 letters, digits and dashes, such as blue-mug.`)
    },
  })
}

/** Whether it is in the future is checked only for a new value. */
export function end(labelled: Labelled) {
  return field<number | null>({
    wire: 'ends_unix',
    column: 'number | null',
    schema: orNull(answer.unix),
    takes: free(form.moment, 'When it stops taking orders.'),
    control: {
      as: 'text',
      type: 'date',
      toInput: (shown, zone) => dateAt(zone, Number(shown) * 1000 - 1),
      fromInput: (typed, zone) => (isDate(typed) ? Math.floor(dayOf(zone, typed).to / 1000) : typed),
      ...labelled,
    },
    toColumn: (value) => value,
    fromColumn: (stored) => stored,
    show: (value) => value && Math.floor(value / 1000),
    read(value, { path, others: { endsAt }, rules: { now = 0 } }) {
      if (given(value) === undefined) return null
      const read = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : ''
      const at = /^[0-9]{1,12}$/.test(read) ? Number(read) * 1000 : Number.NaN
      if (!(at > 0 && at < now + YEARS)) throw badField(path, `${path} must be a time of the next ten years.`)
      if (at !== endsAt && at <= now) throw badField(path, `${path} is in the past.`)
      return at
    },
  })
}

export function readQuantity(path: string, value: unknown): { min: number; max: number } | undefined {
  if (given(value) === undefined) return { min: 1, max: 1 }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badField(path, `${path} must be an object with min and max.`)
  const { min: least, max: most } = value as Readonly<Record<string, unknown>>
  const min = readWhole(path, least, QUANTITY_MAX) ?? 1
  const max = readWhole(path, most, QUANTITY_MAX) ?? QUANTITY_MAX
  if (min > max) throw badField(path, 'The smallest quantity is larger than the largest.')
  return { min, max }
}

export function every(labelled: Labelled) {
  return field<Every | null>({
    column: 'string | null',
    personal: 'no: a period',
    schema: orNull(TEXT),
    takes: free(
      form.amount,
      '`month`, `year`, or a number of days: payers are reminded by email to pay again. Nothing is charged automatically.',
      'month',
    ),
    control: {
      as: 'choice',
      options: () => [
        ['month', 'month'],
        ['year', 'year'],
        ['7', 'week'],
        ['14', '2 weeks'],
        ['28', '4 weeks'],
        ['90', '90 days'],
        ['180', '180 days'],
      ],
      ...labelled,
    },
    read(value, { path }) {
      if (given(value) === undefined) return null
      const read = toEvery(value)
      if (read === undefined) throw badField(path, `${path} must be month, year, or a number of days from 1 to 366.`)
      return read
    },
  })
}

export function grace(labelled: Labelled) {
  return field<number>({
    column: 'number',
    schema: integer,
    takes: free(form.amount, 'Days after the end of a period before a subscription lapses: 0 to 30.', 3),
    control: { as: 'text', digits: true, ...labelled },
    read(value, { path, others }) {
      const isNone = value === undefined || value === null || value === 0
      const isEmpty = typeof value === 'string' && /^0?$/.test(value.trim())
      const days = isNone || isEmpty ? 0 : readWhole(path, value, 30)!
      if (days > 0 && others.every === null) throw badField(path, `${path} only works with every.`)
      return days
    },
  })
}

export function mode(labelled: Labelled) {
  return field<ReturnType<typeof readMode>>({
    personal: 'no: one of two words',
    schema: words('unique_amount', 'generated_wallet'),
    takes: TEXT,
    control: {
      as: 'choice',
      options: ({ hasWallets }) =>
        hasWallets
          ? [
              ['unique_amount', 'By amount: a few extra digits make it unique'],
              ['generated_wallet', 'By wallet: a new wallet that forwards to your address'],
            ]
          : [],
      ...labelled,
    },
    read(value, { path }) {
      const read = readMode({ mode: value })
      if (read !== 'unique_address') return read
      throw badField(path, 'A link makes many checkouts at once: its mode is unique_amount or generated_wallet.')
    },
  })
}

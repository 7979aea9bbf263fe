import Type, { type TSchema } from 'typebox'
import { badField } from './errors.ts'
import { readFlag } from './fields.ts'

/**
 * A field that its module reads itself, in order to refuse it with a message of its own. No schema checks it; `form`
 * only documents what is accepted.
 */
export function freeField(form: TSchema, description: string, example?: unknown) {
  return Type.Unsafe<unknown>({ description, form, ...(example !== undefined && { examples: [example] }) })
}

/**
 * Reads such a flag: undefined if absent; a value other than yes or no is refused by the field's name (contract 1, rule
 * 6).
 */
export function readFreeFlag(field: string, value: unknown): boolean | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const flag = readFlag(value)
  if (flag === undefined) throw badField(field, `${field} must be true or false.`)
  return flag
}

const text = Type.String()
const number = Type.Number()

export const form = {
  text,
  flag: Type.Union([
    Type.Boolean(),
    Type.String({ enum: ['true', 'false', '1', '0'] }),
    Type.Integer({ minimum: 0, maximum: 1 }),
  ]),
  /** A decimal as text, or as a number that prints as one. */
  amount: Type.Union([text, number]),
  /** A date, or seconds since 1970. */
  moment: Type.Union([text, number]),
  texts: Type.Array(text),
  words: (...words: string[]) => Type.String({ enum: words }),
  oneOf: (...forms: TSchema[]) => Type.Union(forms),
  object: Type.Object({}, { additionalProperties: true }),
  record: Type.Object,
  optional: Type.Optional,
  list: (items: TSchema) => Type.Array(items),
} as const

/** Code points of the first Arabic and Persian digits. */
const ARABIC = 0x660
const PERSIAN = 0x6f0

/** A decimal as people type it: with a comma or a point, and European, Arabic or Persian digits. */
export function readTypedDecimal(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const plain = value
    .replaceAll(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - ARABIC))
    .replaceAll(/[\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) - PERSIAN))
    .replaceAll('\u066b', '.')
  return /^\s*[0-9]*,[0-9]*\s*$/.test(plain) ? plain.replace(',', '.') : plain
}

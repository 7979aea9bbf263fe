import type { Action } from '../kernel/action.ts'
import type { FieldRefusal, ReaderName } from '../kernel/fields.ts'
import type { Json, JsonObject } from '../kernel/shape.ts'

/** What the schema of a field may say; whatever it leaves out is not limited by the schema. */
interface FieldSchema {
  type?: string
  anyOf?: FieldSchema[]
  enum?: string[]
  format?: string
  minimum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  description?: string
  examples?: Json[]
  reader?: ReaderName
  refusal?: FieldRefusal
}

/** A field as the reference shows it. */
export interface FieldView {
  name: string
  required: boolean
  type: string
  limits: string
  description: string
  synonyms: string[]
  refusal: FieldRefusal | undefined
  control: 'flag' | 'choice' | 'long' | 'text'
  choices: string[]
  placeholder: string
}

/** Fields of an action in the order of its schema. */
export function fieldsOf({ input, fieldSynonyms = {}, example }: Action): FieldView[] {
  const required = new Set((input as { required?: string[] }).required ?? [])
  const properties = input.properties as Record<string, FieldSchema>
  return Object.entries(properties).map(([name, schema]) => {
    const shown = schema.examples?.[0]
    return {
      name,
      required: required.has(name),
      type: typeOf(schema, example.request[name] ?? shown),
      limits: limitsOf(schema),
      description: schema.description ?? '',
      synonyms: Object.keys(fieldSynonyms).filter((other) => fieldSynonyms[other] === name),
      refusal: schema.refusal,
      control: controlOf(schema, example.request[name] ?? shown),
      choices: schema.enum?.filter((choice) => choice !== '') ?? [],
      placeholder: shown === undefined ? '' : toText(shown),
    }
  })
}

const READ_AS: Partial<Record<ReaderName, string>> = {
  address: 'address',
  flag: 'flag',
  whole: 'whole number',
  multiplier: 'number',
  nano: 'amount in nano',
  raw: 'amount in raw',
  nanoOrAll: 'amount in nano, or all',
  duration: 'duration',
  metadata: 'object',
}
const FORMATTED: Record<string, string> = {
  'block-hash': '64 hexadecimal digits',
  'election-root': '128 hexadecimal digits',
  'work-value': '16 hexadecimal digits',
}

function typeOf(schema: FieldSchema, example: Json | undefined): string {
  const { reader, type, anyOf, format } = schema
  if (reader !== undefined && READ_AS[reader] !== undefined) return READ_AS[reader]
  if (format !== undefined && FORMATTED[format] !== undefined) return 'hexadecimal'
  if (type === 'array') return 'list'
  if (type === 'object') return 'object'
  if (anyOf) return [...new Set(anyOf.map((form) => typeOf(form, undefined)))].join(' or ')
  if (type === 'number' || type === 'integer') return 'number'
  if (type !== undefined || example === undefined) return 'text'
  if (Array.isArray(example)) return 'list'
  if (typeof example === 'boolean') return 'flag'
  return typeof example === 'object' ? 'object' : typeof example === 'number' ? 'number' : 'text'
}

function limitsOf({ format, anyOf, minLength = 0, maxLength, maxItems, minimum, enum: choices }: FieldSchema): string {
  const least = minimum ?? anyOf?.find((form) => form.minimum !== undefined)?.minimum
  const limits = [
    FORMATTED[format ?? ''],
    maxLength !== undefined && `${minLength > 0 ? `${minLength} to` : 'up to'} ${maxLength} characters`,
    maxItems !== undefined && `up to ${maxItems} entries`,
    least !== undefined && `from ${least}`,
    choices && `one of ${choices.filter((choice) => choice !== '').join(', ')}`,
  ]
  return limits.filter((limit) => typeof limit === 'string').join('; ')
}

function controlOf({ reader, enum: choices, type, anyOf }: FieldSchema, example: Json | undefined) {
  if (reader === 'flag' || typeof example === 'boolean') return 'flag'
  if (choices) return 'choice'
  const isLong = type === 'array' || type === 'object' || anyOf?.some((form) => /array|object/.test(form.type ?? ''))
  return isLong || (typeof example === 'object' && example !== null) ? 'long' : 'text'
}

/** A value as it stands in a form. */
export function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** What a form asks for: an empty field is not given, and what begins like an object or a list is one. */
export function toRequest(action: Action, form: Readonly<Record<string, string | undefined>>): JsonObject {
  const properties = action.input.properties as Record<string, FieldSchema>
  const request: JsonObject = {}
  for (const [name, schema] of Object.entries(properties)) {
    const text = form[name]?.trim()
    if (text === undefined || text === '') continue
    request[name] = schema.type === 'array' && !text.startsWith('[') ? text.split(/[\s,]+/) : readValue(text)
  }
  return request
}

function readValue(text: string): Json {
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

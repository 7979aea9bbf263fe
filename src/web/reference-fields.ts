import type { TSchema } from 'typebox'
import type { Action } from '../kernel/action.ts'
import { movesMoney } from '../kernel/rights.ts'
import { type ErrorCode, statusOf } from '../kernel/errors.ts'
import type { FieldRefusal, ReaderName } from '../kernel/fields.ts'
import type { Json, JsonObject } from '../kernel/shape.ts'

/** The parts of a field's schema that the reference shows. */
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

/** A value as a form shows it. */
export function toText(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** The request of a form: an empty field is left out, and a value that begins like an object or a list is parsed. */
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

/** A member of an answer, by its path: `history[].amount`. */
export interface AnswerMember {
  path: string
  type: string
  optional: boolean
}

interface AnswerSchema {
  type?: string
  description?: string
  enum?: string[]
  anyOf?: AnswerSchema[]
  items?: AnswerSchema
  properties?: Record<string, AnswerSchema>
  required?: string[]
  additionalProperties?: AnswerSchema | boolean
}

const DEPTH_MAX = 4
const NAMES: Record<string, string> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
}

/** The members that an answer always or sometimes has, nested ones after the one that contains them. */
export function membersOf(output: TSchema): AnswerMember[] {
  return inner(output, '', 0)
}

function inner(schema: AnswerSchema, path: string, depth: number): AnswerMember[] {
  if (depth > DEPTH_MAX) return []
  const { anyOf = [], items, properties = {}, required = [], additionalProperties: others } = schema
  const join = (name: string) => (path === '' ? name : `${path}.${name}`)
  const own = Object.entries(properties).flatMap(([name, member]) => [
    { path: join(name), type: answerTypeOf(member), optional: !required.includes(name) },
    ...inner(member, join(name), depth + 1),
  ])
  const found = [
    ...own,
    ...(typeof others === 'object' ? inner(others, join('…'), depth + 1) : []),
    ...(items ? inner(items, `${path}[]`, depth + 1) : []),
    ...anyOf.flatMap((form) => inner(form, path, depth)),
  ]
  // Variants of one answer share members; each is listed once.
  return [...new Map(found.toReversed().map((member) => [member.path, member])).values()].toReversed()
}

function answerTypeOf({ type = '', description, enum: words, anyOf, additionalProperties }: AnswerSchema): string {
  if (anyOf) return [...new Set(anyOf.map(answerTypeOf))].join(', or ')
  if (words) return words.map((word) => `“${word}”`).join(' or ')
  if (description !== undefined) return description.replace(/\.$/, '').replace(/^An? /, '').toLowerCase()
  return typeof additionalProperties === 'object' ? 'map' : (NAMES[type] ?? type)
}

/** One possible refusal of a call. */
export interface ErrorView {
  status: number
  code: string
  when: string
}

const EVERYWHERE: Partial<Record<ErrorCode, string>> = {
  invalid_json: 'The body is not a JSON object.',
  invalid_action: 'There is no action with this name.',
  username_not_found: 'A `@name` is unknown.',
  invalid_key: 'The API key is unknown.',
  conflicting_credentials: 'Two different API keys were given.',
  origin_not_allowed: 'A public key was used on a page of another origin.',
  body_too_large: 'The body is too large.',
  too_many_requests: 'Too many requests. `retry_after` says how many seconds to wait.',
  internal_error: 'An error on our side. The header `X-Request-Id` identifies it in the log.',
  no_node: 'No node responds.',
  node_timeout: 'The nodes took too long.',
  overloaded: 'Too many requests at once. Try again in a moment.',
}

const toView = ([code, when]: [string, string]): ErrorView => ({ status: statusOf(code as ErrorCode), code, when })

/** Refusals that any action may give. */
export const COMMON_ERRORS: readonly ErrorView[] = Object.entries(EVERYWHERE).map(toView)

/** Refusals of this action, beside the common ones. */
export function errorsOf(action: Action, hasPrice: boolean): ErrorView[] {
  const fields = fieldsOf(action)
  const missing = fields.filter(({ required }) => required).map(({ name }) => `\`${name}\``)
  const errors = new Map<string, string[]>()
  const add = (code: ErrorCode, when: string) => errors.set(code, [...(errors.get(code) ?? []), when])
  if (missing.length > 0) add('invalid_request', `${missing.join(' or ')} is missing.`)
  for (const { name, refusal } of fields) if (refusal) add(refusal.code, `\`${name}\`: “${refusal.text}”`)
  if (action.auth !== 'none') add('key_required', 'No API key was given.')
  if (hasPrice) add('payment_required', 'No key and no payment. The header `PAYMENT-REQUIRED` has the price.')
  if (action.meter !== undefined) add('insufficient_credits', 'The free quota is used up, and there are no credits.')
  if (action.once || action.onceWhen) {
    add('idempotency_conflict', 'The `Idempotency-Key` was used with another request.')
    add('idempotency_in_flight', 'The first request with this `Idempotency-Key` is still running.')
    if (movesMoney(action.scope))
      add('restored', 'The gateway was restored from a backup and may not know this `Idempotency-Key`.')
  }
  for (const [code, when] of Object.entries(action.errors ?? {})) add(code as ErrorCode, when)
  const refusals = action.refusals ?? []
  return [
    ...[...errors]
      .map(([code, reasons]) => toView([code, unique(reasons).join(' ')]))
      .sort((a, b) => a.status - b.status),
    ...refusals.map((text) => ({ status: 200, code: '–', when: `The ledger: “${text}”` })),
  ]
}

const unique = (texts: readonly string[]) => [...new Set(texts)]

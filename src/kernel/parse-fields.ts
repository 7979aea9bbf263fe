import { isDeepStrictEqual } from 'node:util'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { Action } from './action.ts'
import type { Described } from './described.ts'
import { AppError, badField, missingField } from './errors.ts'
import { FORMATS, type FieldRefusal, LIST_ENTRIES_MAX, READERS, type ReaderName } from './fields.ts'

interface FieldSchema {
  refusal?: FieldRefusal
  reader?: ReaderName
}

/** Converts the fields of a request to an action's input; throws an error that names the wrong field. */
export type Parser = (params: Readonly<Record<string, unknown>>) => Record<string, unknown>

// Schemas are validated by a test. Doing it here would compile the schema of schemas before the first answer.
const ajv = new Ajv({
  strict: true,
  allErrors: false,
  validateFormats: true,
  allowUnionTypes: true,
  validateSchema: false,
})
for (const [name, check] of Object.entries(FORMATS)) ajv.addFormat(name, check)
for (const keyword of ['refusal', 'reader', 'form']) ajv.addKeyword(keyword)

/**
 * Makes the parser of an action. The schema is compiled at the first request, because compiling all of them would delay
 * every start.
 */
export function createParser(action: Action): Parser {
  let compiled: ValidateFunction | undefined
  const fields = Object.entries(action.input.properties as Record<string, FieldSchema>)
  const synonyms = Object.entries(action.fieldSynonyms ?? {})
  const required = new Set(action.input.required)
  const movesSomething = action.once === true || action.onceWhen !== undefined
  const neverEmpty = (action.neverEmpty ?? []).flatMap((name) => [
    name,
    ...synonyms.flatMap(([other, meant]) => (meant === name ? [other] : [])),
  ])
  const isGiven = (name: string, value: unknown) =>
    value !== undefined && ((value !== null && value !== '') || (action.ofNode === true && required.has(name)))
  return (params) => {
    const validate = (compiled ??= ajv.compile(action.input))
    for (const name of neverEmpty) {
      if (params[name] === null || params[name] === '') throw badField(name, `${name} cannot be empty.`)
    }
    const given: Record<string, unknown> = {}
    for (const [name] of fields) if (isGiven(name, params[name])) given[name] = params[name]
    for (const [other, name] of synonyms) {
      if (!isGiven(name, params[other])) continue
      given[name] ??= params[other]
      // Both names were sent, and the caller may have meant either. If the action neither makes nor moves anything, the
      // field's own name counts.
      if (movesSomething && !isDeepStrictEqual(params[other], given[name])) throw ambiguous(other, name)
    }
    if (!validate(given)) throw refuse(validate.errors![0]!, fields)
    for (const [name, { reader, refusal }] of fields) {
      if (reader === undefined || given[name] === undefined) continue
      given[name] = READERS[reader](given[name])
      if (given[name] !== undefined) continue
      if (reader !== 'flag') throw invalid(name, refusal)
      if (!action.ofNode) throw invalid(name, { code: 'invalid_request', text: `${name} must be true or false.` })
    }
    return given
  }
}

function ambiguous(other: string, name: string): AppError {
  const detail = `The fields ${other} and ${name} mean the same and have different values.`
  return new AppError('invalid_request', detail, { body: { field: other } })
}

function refuse(error: ErrorObject, fields: [string, FieldSchema][]): AppError {
  if (error.keyword === 'required') return missingField(String(error.params.missingProperty))
  const name = error.instancePath.split('/')[1] ?? ''
  if (error.keyword === 'maxItems') {
    const text = `${name} takes at most ${LIST_ENTRIES_MAX} entries.`
    return new AppError('invalid_list', text, { body: { field: name } })
  }
  return invalid(name, fields.find(([field]) => field === name)?.[1].refusal)
}

function invalid(name: string, refusal: FieldRefusal | undefined): AppError {
  const { code, text } = refusal ?? { code: 'invalid_request' as const, text: `Invalid ${name}` }
  return new AppError(code, text, { body: { field: name } })
}

/*
 * Finds fields of a request that nothing uses. Otherwise a misspelt field would go unnoticed: `titel` would make a page
 * without a title.
 */

/** Fields that the guards read before any action or route. */
const EVERYWHERE = ['key', 'idempotency_key']
const NAMES_MAX = 20
/** Longer names are not repeated in errors: they may be keys, seeds or signatures in the wrong place. */
const NAME_CHARACTERS_MAX = 32

type Fields = Readonly<Record<string, unknown>>

/** What to do with fields that an action does not use. */
export interface UnusedFields {
  /** Their names for the header; undefined if there are none. */
  ignored(body: Fields): string | undefined
  /** Refuses them (400). Those of a node's actions, and those that standard clients send, are ignored instead. */
  refuse(body: Fields): void
}

export function unusedOf({ input, fieldSynonyms = {}, ofNode, unusedByClients = [] }: Action): UnusedFields {
  const used = new Set(['action', ...EVERYWHERE, ...Object.keys(input.properties), ...Object.keys(fieldSynonyms)])
  const accepted = new Set([...used, ...unusedByClients])
  return {
    ignored(body) {
      let ignored: string[] | undefined
      for (const field in body) if (!used.has(field)) (ignored ??= []).push(field)
      return ignored?.slice(0, NAMES_MAX).map(toToken).join(', ')
    },
    refuse: ofNode ? () => undefined : (body) => refuseOthers(accepted, body),
  }
}

/**
 * Refuses fields and query parameters that a route does not use; a route without a description uses none. If a declared
 * resource reads the body, unknown fields are reported together with all other errors.
 */
export function unusedOfRoute({ query = [], body }: Pick<Described, 'query' | 'body'> = {}) {
  const parameters = new Set(['key', ...query.map(({ name }) => name)])
  const { properties = {} } = (body?.schema ?? {}) as { properties?: object }
  const fields = new Set([...EVERYWHERE, ...Object.keys(properties), ...Object.keys(body?.synonyms ?? {})])
  return (request: { query: Fields; body(): Fields }): void => {
    refuseOthers(parameters, request.query)
    for (const [name, value] of Object.entries(request.query)) {
      if (Array.isArray(value) && name !== 'key') throw badField(name, `${name} was given more than once.`)
    }
    if (!body?.isOfResource) refuseOthers(fields, request.body())
  }
}

function refuseOthers(used: ReadonlySet<string>, given: Fields): void {
  for (const field in given) {
    if (used.has(field)) continue
    const name = callable(field)
    throw badField(name, `The field ${name} is not used here.`)
  }
}

export const LONG_NAME = '(a long name)'

/** The name of an unknown field in the form in which an error may repeat it. */
export const callable = (field: string) => (field.length > NAME_CHARACTERS_MAX ? LONG_NAME : field.toWellFormed())

/** Whether the guards read this field of a body. */
export const isReadElsewhere = (field: string) => EVERYWHERE.includes(field)

/** Callers choose these names, so all characters except letters, digits and a few signs are escaped for the header. */
const toToken = (field: string) =>
  field.length > NAME_CHARACTERS_MAX ? LONG_NAME : encodeURIComponent(field.toWellFormed())

import { form } from '../../kernel/free-field.ts'

export type Schema = Record<string, unknown>

/** Our own notes in a schema mean nothing to its readers. */
const PRIVATE = new Set(['refusal', 'reader', 'format', 'form'])
/** Members whose names are the API's, and not those of the language of schemas. */
const NAMED = new Set(['properties', 'patternProperties', '$defs'])

/** A schema as anybody may read it: without our notes, and with what a field takes that no schema checks. */
export function publicSchema(value: unknown): Schema {
  return show(value) as Schema
}

function show(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(show)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
    .filter(([name]) => !PRIVATE.has(name) && !name.startsWith('~'))
    .map(([name, inner]) => [name, showMember(name, inner)])
  return withForm(value as Schema, Object.fromEntries(members) as Schema)
}

function showMember(name: string, inner: unknown): unknown {
  // Values, in which anything may stand.
  if (name === 'enum' || name === 'examples' || name === 'const' || name === 'required') return inner
  if (!NAMED.has(name)) return show(inner)
  return Object.fromEntries(Object.entries(inner as object).map(([each, schema]) => [each, show(schema)]))
}

function withForm(own: Schema, shown: Schema): Schema {
  if (own.form !== undefined) return { ...shown, ...publicSchema(own.form) }
  if (own.reader === 'flag' && own.type === undefined) return { ...shown, ...publicSchema(form.flag) }
  // An object without members is one with any; generators would take it for one that must be empty.
  const { type, properties = {}, additionalProperties } = shown
  if (type === 'object' && additionalProperties === undefined && Object.keys(properties as object).length === 0) {
    return { ...shown, additionalProperties: true }
  }
  return shown
}

import { form } from './free-field.ts'

export type Schema = Record<string, unknown>

/** Schemas that a document lists by name and refers to by that name. */
export type Names = ReadonlyMap<unknown, string>

/** Internal members of a schema, which are not for readers. */
const PRIVATE = new Set(['refusal', 'reader', 'format', 'form'])
/** Members whose keys are names of the API, not keywords of JSON Schema. */
const NAMED = new Set(['properties', 'patternProperties'])
/** Members that contain values and not schemas. */
const VALUES = new Set(['enum', 'const', 'examples', 'default', 'required'])

export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** A schema for readers: without internal members, and with the documented form of fields that no schema checks. */
export function publicSchema(schema: unknown, names: Names = new Map()): Schema {
  const name = names.get(schema)
  return name === undefined ? unnamed(schema, names) : refTo(name)
}

/** The same for a schema listed under its name. */
export function unnamed(schema: unknown, names: Names): Schema {
  const own = schema as Schema
  const shown: Schema = {}
  for (const [name, inner] of Object.entries(own)) {
    if (!PRIVATE.has(name) && !name.startsWith('~')) shown[name] = showMember(name, inner, names)
  }
  return withForm(own, shown)
}

function showMember(name: string, inner: unknown, names: Names): unknown {
  if (VALUES.has(name) || typeof inner !== 'object' || inner === null) return inner
  if (Array.isArray(inner)) return inner.map((each) => publicSchema(each, names))
  if (!NAMED.has(name)) return publicSchema(inner, names)
  return Object.fromEntries(Object.entries(inner).map(([each, schema]) => [each, publicSchema(schema, names)]))
}

function withForm(own: Schema, shown: Schema): Schema {
  if (own.form !== undefined) return { ...shown, ...publicSchema(own.form) }
  if (own.reader === 'flag' && own.type === undefined) return { ...shown, ...publicSchema(form.flag) }
  // In our schemas an object without members may have any; generators would take it for an empty one.
  const { type, properties = {}, additionalProperties } = shown
  if (type === 'object' && additionalProperties === undefined && Object.keys(properties as object).length === 0) {
    return { ...shown, additionalProperties: true }
  }
  return shown
}

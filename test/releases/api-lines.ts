import { OFFERED } from '../../src/offered.ts'
import { toOpenApi } from '../../src/http/openapi/index.ts'
import { VERSION } from '../../src/version.ts'

/*
 * The API as lines, one for each field: `account_info > balance! string ~^[0-9]{1,39}$`. `<` marks a field of a request, `>` one of an answer; `!` means
 * required or always present; then come the allowed types and values.
 */

interface Schema {
  type?: string
  enum?: unknown[]
  pattern?: string
  anyOf?: Schema[]
  allOf?: Schema[]
  $ref?: string
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  [bound: string]: unknown
}

interface Operation {
  operationId?: string
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses?: Record<string, { content?: Record<string, { schema: Schema }> }>
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']

/** The allowed types and values, a word for each. */
function formsOf(schema: Schema): string[] {
  if (schema.anyOf) return schema.anyOf.flatMap((each, at) => formsOf(each).map((form) => nameObject(form, at)))
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value))
  const bounds = BOUNDS.filter((name) => schema[name] !== undefined).map((name) => ` ${name}=${String(schema[name])}`)
  const pattern = schema.pattern === undefined ? '' : ` ~${schema.pattern}`
  return [`${schema.type ?? 'anything'}${bounds.join('')}${pattern}`]
}

/** A union of object types: each has its own fields, named by its position. */
const nameObject = (form: string, at: number) => (/^(object|array)/.test(form) ? `${form} ${at}` : form)

function linesOf(path: string, schema: Schema, mark = ''): string[] {
  const own = `${path}${mark} ${formsOf(schema).sort().join(' | ')}`
  return [own, ...membersOf(path, schema)]
}

function membersOf(path: string, schema: Schema): string[] {
  const { anyOf = [], properties = {}, required = [], items, additionalProperties: others } = schema
  const dot = path.endsWith(' ') ? '' : '.'
  return [
    ...anyOf.flatMap((each, at) => membersOf(`${path}|${at}`, each)),
    ...Object.entries(properties).flatMap(([name, each]) =>
      linesOf(`${path}${dot}${name}`, each, required.includes(name) ? '!' : ''),
    ),
    ...(items ? linesOf(`${path}[]`, items) : []),
    ...(typeof others === 'object' ? linesOf(`${path}${dot}*`, others) : []),
  ]
}

/** Resolves all references of a schema. */
function whole(value: unknown, schemas: Record<string, Schema>): unknown {
  if (Array.isArray(value)) return value.map((each) => whole(each, schemas))
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as Schema
  if (typeof $ref === 'string') return whole(schemas[$ref.slice($ref.lastIndexOf('/') + 1)], schemas)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, whole(inner, schemas)]))
}

const answersOf = (name: string, schema: Schema) => [
  `${name} > . ${formsOf(schema).sort().join(' | ')}`,
  ...membersOf(`${name} > `, schema),
]

/** Actions are described by their schemas; this is for all other paths. */
function linesOfRoute(path: string, { operationId, requestBody, responses = {} }: Operation): string[] {
  if (operationId === undefined || path === '/' || path.startsWith('/actions/')) return []
  const answer = (responses['200'] ?? responses['201'])?.content?.['application/json']?.schema
  const body = requestBody?.content['application/json']?.schema
  return [...(answer ? answersOf(operationId, answer) : []), ...(body ? membersOf(`${operationId} < `, body) : [])]
}

/** Everything in an API description that clients may rely on. */
export function toLines(document: OpenApi): string[] {
  const { paths, components } = whole(document, document.components.schemas) as OpenApi
  const { schemas } = components
  const endpoints = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path} endpoint`),
  )
  const fields = Object.entries(schemas).flatMap(([name, schema]) => {
    if (name === 'Error') return membersOf('Error > ', schema)
    const [, action] = /^(.+)\.answer$/.exec(name) ?? []
    if (action !== undefined) return answersOf(action, schema)
    // The request's fields; the action's name too, if it is in the body.
    const parts = schema.allOf ?? (schema.properties?.action ? [schema] : [])
    return parts.flatMap((part) => membersOf(`${name} < `, part))
  })
  const routes = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.values(verbs).flatMap((operation) => linesOfRoute(path, operation)),
  )
  return [...endpoints, ...fields, ...routes].sort()
}

/** The API of the current code. */
export const currentLines = () => toLines(toOpenApi(OFFERED, { baseUrl: '', version: VERSION }) as unknown as OpenApi)

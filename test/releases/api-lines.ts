import { listActions } from '../../src/actions.ts'
import { toOpenApi } from '../../src/http/openapi/index.ts'
import { VERSION } from '../../src/version.ts'

/*
 * The API as lines, one for each field: `account_info > balance! string ~^[0-9]{1,39}$`. Behind `<` stands what may be
 * asked, behind `>` what is answered; `!` is a field that must be given, or is always there; then what it may be.
 */

interface Schema {
  type?: string
  enum?: unknown[]
  pattern?: string
  anyOf?: Schema[]
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: Schema | boolean
  [bound: string]: unknown
}

export interface OpenApi {
  paths: Record<string, Record<string, unknown>>
  components: { schemas: Record<string, Schema> }
}

const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems']

/** What a value may be, each way as a word of its own. */
function formsOf(schema: Schema): string[] {
  if (schema.anyOf) return schema.anyOf.flatMap((each, at) => formsOf(each).map((form) => nameObject(form, at)))
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value))
  const bounds = BOUNDS.filter((name) => schema[name] !== undefined).map((name) => ` ${name}=${String(schema[name])}`)
  const pattern = schema.pattern === undefined ? '' : ` ~${schema.pattern}`
  return [`${schema.type ?? 'anything'}${bounds.join('')}${pattern}`]
}

/** Objects of several kinds have fields of their own, and are told apart by their place. */
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

/** Everything that clients may rely on in a description of the API. */
export function toLines({ paths, components: { schemas } }: OpenApi): string[] {
  const doors = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path} door`),
  )
  const fields = Object.entries(schemas).flatMap(([name, schema]) => {
    const [, action] = /^(.+)\.answer$/.exec(name) ?? []
    if (action !== undefined)
      return [`${action} > . ${formsOf(schema).sort().join(' | ')}`, ...membersOf(`${action} > `, schema)]
    return name === 'Error' ? membersOf('Error > ', schema) : membersOf(`${name} < `, schema)
  })
  return [...doors, ...fields].sort()
}

/** The API of the code beside this file. */
export const currentLines = () => toLines(toOpenApi(listActions().actions, { baseUrl: '', version: VERSION }))

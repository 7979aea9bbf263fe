import type { TSchema } from 'typebox'

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

/** The members that an answer always or sometimes has, inner ones after the one that holds them. */
export function membersOf(output: TSchema): AnswerMember[] {
  return inner(output, '', 0)
}

function inner(schema: AnswerSchema, path: string, depth: number): AnswerMember[] {
  if (depth > DEPTH_MAX) return []
  const { anyOf = [], items, properties = {}, required = [], additionalProperties: others } = schema
  const join = (name: string) => (path === '' ? name : `${path}.${name}`)
  const own = Object.entries(properties).flatMap(([name, member]) => [
    { path: join(name), type: typeOf(member), optional: !required.includes(name) },
    ...inner(member, join(name), depth + 1),
  ])
  const found = [
    ...own,
    ...(typeof others === 'object' ? inner(others, join('…'), depth + 1) : []),
    ...(items ? inner(items, `${path}[]`, depth + 1) : []),
    ...anyOf.flatMap((form) => inner(form, path, depth)),
  ]
  // Forms of one answer share members; each is listed once.
  return [...new Map(found.toReversed().map((member) => [member.path, member])).values()].toReversed()
}

function typeOf({ type = '', description, enum: words, anyOf, additionalProperties }: AnswerSchema): string {
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(', or ')
  if (words) return words.map((word) => `“${word}”`).join(' or ')
  if (description !== undefined) return description.replace(/\.$/, '').replace(/^An? /, '').toLowerCase()
  return typeof additionalProperties === 'object' ? 'map' : (NAMES[type] ?? type)
}

import type { Schema } from '../../kernel/public-schema.ts'
import { type Json, textOf } from '../../kernel/shape.ts'

/*
 * Schemas in the strict form that the frameworks of agents need for models: no objects with unknown members, and no
 * alternatives that have optional members.
 */

const isObject = ({ type }: Schema) => type === 'object'
const membersOf = ({ properties }: Schema) => Object.entries((properties ?? {}) as Record<string, Schema>)
const isOpen = (schema: Schema) => isObject(schema) && membersOf(schema).length === 0

/** The fields of a tool, with every member declared. */
export function toClosed(input: Schema): Schema {
  return { ...input, properties: closeMembers(input), additionalProperties: false }
}

const closeMembers = (schema: Schema) =>
  Object.fromEntries(membersOf(schema).map(([name, member]) => [name, close(member)]))

function close(schema: Schema): Schema {
  const { anyOf, ...about } = schema
  if (Array.isArray(anyOf)) return closeAlternatives(about, anyOf as Schema[])
  if (isOpen(schema)) return toText(schema)
  if (isObject(schema)) return { ...schema, properties: closeMembers(schema), additionalProperties: false }
  return schema.items === undefined ? schema : { ...schema, items: close(schema.items as Schema) }
}

function closeAlternatives(about: Schema, alternatives: Schema[]): Schema {
  // Of several alternatives one is enough, if it is an object whose optional members cover the shorter ones.
  const whole = alternatives.find((each) => isObject(each) && !isOpen(each) && hasOptional(each))
  if (whole) return { ...close(whole), ...about }
  const closed = alternatives.map(close)
  const texts = closed.filter(({ type }) => type === 'string')
  const isText = texts.length === closed.length && texts.some((each) => Object.keys(each).length === 1)
  return isText ? { ...about, type: 'string' } : { ...about, anyOf: closed }
}

const hasOptional = (schema: Schema) => {
  const required = (schema.required ?? []) as string[]
  return membersOf(schema).some(([name]) => !required.includes(name))
}

/** Turns an object with unknown members into a text that contains JSON. */
function toText({ description, examples }: Schema): Schema {
  return {
    type: 'string',
    ...(description !== undefined && { description: `${textOf(description)} As JSON in a text.` }),
    ...(Array.isArray(examples) && { examples: examples.map((each) => JSON.stringify(each)) }),
  }
}

/** The fields that agents send as text and actions take as objects. */
export const textFieldsOf = (input: Schema): ReadonlySet<string> =>
  new Set(membersOf(input).flatMap(([name, member]) => (isOpen(member) ? [name] : [])))

/** Parses these texts. A text that is not JSON is left as it is; the action refuses it. */
export function readTexts(
  names: ReadonlySet<string>,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const read = Object.entries(fields).map(([name, value]) => [name, names.has(name) ? parse(value) : value] as const)
  return Object.fromEntries(read)
}

function parse(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as Json
  } catch {
    return value
  }
}

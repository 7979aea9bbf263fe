import type { Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import { authorize } from '../../guard/authorize.ts'
import type { Registry } from '../../guard/registry.ts'
import { type Action, mayAct } from '../../kernel/action.ts'
import type { Caller } from '../../kernel/ctx.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Schema, publicSchema } from '../../kernel/public-schema.ts'
import type { Scope } from '../../kernel/rights.ts'
import { type Json, textOf } from '../../kernel/shape.ts'

/** A tool of an agent: an action, or one operation of an action. */
export interface AgentTool {
  name: string
  summary: string
  module: string
  action: Action
  /** Fields with fixed values, which make the action this operation. */
  fixed: Readonly<Record<string, Json>>
  input(): Schema
  output: unknown
  scope: Scope
  acts: boolean
  annotations: ToolAnnotations
}

/** Tools that remove or overwrite something. All other acting tools only add: an offer, a checkout, a key. */
const DESTRUCTIVE = new Set(['process', 'update_name', 'checkout_refund'])
/** Publishing a block twice has the effect of publishing it once. */
const IDEMPOTENT = new Set(['process'])

const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Choose a new one for each operation: calls with the same one act once, so you can retry after a lost answer.',
}

const known = new WeakMap<Registry, readonly AgentTool[]>()

export function toolsOf(registry: Registry): readonly AgentTool[] {
  let tools = known.get(registry)
  if (!tools) {
    tools = registry.modules.flatMap(({ name, actions }) => actions.flatMap((action) => split(action, name)))
    known.set(registry, tools)
  }
  return tools
}

/** An agent may also call a whole action by its name, even if the list shows only its operations. */
export function findTool(registry: Registry, name: string): AgentTool | undefined {
  const tool = toolsOf(registry).find((each) => each.name === name)
  const action = tool ? undefined : registry.find(name)?.action
  return action ? whole(action, '') : tool
}

function split(action: Action, module: string): AgentTool[] {
  if (!action.tools) return [whole(action, module)]
  return action.tools.map(({ acts, destructive, idempotent, ...tool }) => ({
    ...tool,
    module,
    action,
    acts,
    input: () => pick(action, tool.fields, tool.required),
    annotations: {
      readOnlyHint: !acts,
      destructiveHint: destructive === true,
      idempotentHint: !acts || idempotent === true,
      openWorldHint: true,
    },
  }))
}

function whole(action: Action, module: string): AgentTool {
  const acts = mayAct(action)
  const { name, summary, scope, output } = action
  const annotations = {
    readOnlyHint: !acts,
    destructiveHint: DESTRUCTIVE.has(name),
    idempotentHint: !acts || IDEMPOTENT.has(name),
    openWorldHint: action.local !== true,
  }
  return {
    name,
    summary,
    module,
    action,
    fixed: {},
    input: () => publicSchema(action.input),
    output,
    scope,
    acts,
    annotations,
  }
}

/** The fields of one operation, under the names that it uses for them. */
function pick({ input, fieldSynonyms = {} }: Action, fields: readonly string[], required: number): Schema {
  const members = fields.map((name) => [name, publicSchema(input.properties[fieldSynonyms[name] ?? name])])
  const properties = Object.fromEntries(members) as Schema
  return { type: 'object', properties, ...(required > 0 && { required: fields.slice(0, required) }) }
}

/** Tools that act need a key; without one, an agent can only read. */
export function mayUse({ action, acts, scope }: AgentTool, caller: Caller): boolean {
  if (caller.kind === 'anonymous' && acts) return false
  try {
    authorize(action, caller, scope)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

const textFields = new WeakMap<AgentTool, ReadonlySet<string>>()

/** Converts the agent's fields to those of the action. */
export function readFields(tool: AgentTool, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const names = textFields.get(tool) ?? textFieldsOf(tool.input())
  textFields.set(tool, names)
  return readTexts(names, fields)
}

/** Schemas are built once, because agents list the tools at each of their starts. */
const written = new WeakMap<AgentTool, Tool>()

export function writeTool(tool: AgentTool, isSold: boolean): Tool {
  let shown = written.get(tool)
  if (!shown) written.set(tool, (shown = write(tool)))
  const price = 'Without a key each call must be paid (x402): the first answer names the price.'
  return isSold ? { ...shown, description: `${shown.description} ${price}` } : shown
}

function write({ name, summary, action, input, output, acts, annotations }: AgentTool): Tool {
  const { refusals = [] } = action
  const refused = refusals.length > 0 ? ` The ledger may refuse with: ${refusals.join('; ')}.` : ''
  const { properties = {}, ...schema } = toClosed(input())
  const all = { ...(properties as object), ...(acts && { idempotency_key: IDEMPOTENCY_KEY }) }
  return {
    name,
    description: `${summary}${refused}`,
    inputSchema: { ...schema, properties: all } as Tool['inputSchema'],
    outputSchema: toObjects(publicSchema(output)) as NonNullable<Tool['outputSchema']>,
    annotations,
  }
}

const isRecord = ({ type }: Schema) => type === 'object'

/** MCP requires an object, so any other schema becomes that of a member `result`. */
function toObjects(schema: Schema): Schema {
  if (isRecord(schema)) return schema
  const forms = Array.isArray(schema.anyOf) ? (schema.anyOf as Schema[]) : [schema]
  const others = forms.filter((form) => !isRecord(form))
  const result = others.length === 1 ? others[0] : { anyOf: others }
  const wrapped = { type: 'object', required: ['result'], properties: { result } }
  const records = forms.filter(isRecord)
  if (records.length === 0) return wrapped
  return { type: 'object', anyOf: others.length === 0 ? records : [...records, wrapped] }
}

/*
 * Schemas in the strict form that the frameworks of agents need for models: no objects with unknown members, and no
 * alternatives that have optional members.
 */

const isObject = ({ type }: Schema) => type === 'object'
const membersOf = ({ properties }: Schema) => Object.entries((properties ?? {}) as Record<string, Schema>)
const isOpen = (schema: Schema) => isObject(schema) && membersOf(schema).length === 0

/** The fields of a tool, with every member declared. */
function toClosed(input: Schema): Schema {
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
const textFieldsOf = (input: Schema): ReadonlySet<string> =>
  new Set(membersOf(input).flatMap(([name, member]) => (isOpen(member) ? [name] : [])))

/** Parses these texts. A text that is not JSON is left as it is; the action refuses it. */
function readTexts(names: ReadonlySet<string>, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
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

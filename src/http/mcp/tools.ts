import type { Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import { authorize } from '../../guard/authorize.ts'
import type { Registry } from '../../guard/registry.ts'
import { type Action, mayAct } from '../../kernel/action.ts'
import type { Caller } from '../../kernel/ctx.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Schema, publicSchema } from '../../kernel/public-schema.ts'
import type { Json, JsonObject } from '../../kernel/shape.ts'

/** What takes away or overwrites; the rest of what acts only adds: an offer, a checkout, a key. */
const DESTRUCTIVE = new Set(['process', 'cloud_wallet', 'update_name', 'checkout_refund'])
/** The same block twice is one block. */
const IDEMPOTENT = new Set(['process'])

const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Choose a new one for each operation: calls with the same one act once, so you can retry after a lost answer.',
}

/** The tools that a caller may use. */
export function listTools({ actions }: Registry, caller: Caller, isSold: (action: string) => boolean): Tool[] {
  return actions.filter((action) => mayUse(action, caller)).map((action) => toTool(action, isSold(action.name)))
}

/** What acts is for those with a key alone: an agent without one only reads. */
function mayUse(action: Action, caller: Caller): boolean {
  if (caller.kind === 'anonymous' && mayAct(action)) return false
  try {
    authorize(action, caller, action.scope)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Schemas are written once: agents ask for all of them whenever they begin. */
const written = new WeakMap<Action, Tool>()

function toTool(action: Action, isSold: boolean): Tool {
  let tool = written.get(action)
  if (!tool) written.set(action, (tool = writeTool(action)))
  const price = 'Without a key each call must be paid (x402): the first answer names the price.'
  return isSold ? { ...tool, description: `${tool.description} ${price}` } : tool
}

function writeTool(action: Action): Tool {
  const { name, summary, refusals = [] } = action
  const refused = refusals.length > 0 ? ` The ledger may refuse with: ${refusals.join('; ')}.` : ''
  return {
    name,
    description: `${summary}${refused}`,
    inputSchema: inputOf(action) as Tool['inputSchema'],
    outputSchema: outputOf(action) as NonNullable<Tool['outputSchema']>,
    annotations: annotationsOf(action),
  }
}

function annotationsOf(action: Action): ToolAnnotations {
  const acts = mayAct(action)
  return {
    readOnlyHint: !acts,
    destructiveHint: DESTRUCTIVE.has(action.name),
    idempotentHint: !acts || IDEMPOTENT.has(action.name),
    openWorldHint: action.local !== true,
  }
}

function inputOf(action: Action): Schema {
  const schema = publicSchema(action.input)
  if (!mayAct(action)) return schema
  return { ...schema, properties: { ...(schema.properties as object), idempotency_key: IDEMPOTENCY_KEY } }
}

const isRecord = (schema: Schema) => schema.type === 'object'

/** A tool answers with an object; what answers with a list, or with either, has it in `result`. */
function outputOf({ output }: Action): Schema {
  const schema = publicSchema(output)
  return isRecord(schema) ? schema : { type: 'object', required: ['result'], properties: { result: schema } }
}

export function toStructured(action: Action | undefined, answer: Json): JsonObject {
  const isWrapped = action === undefined || !isRecord(action.output as unknown as Schema)
  return isWrapped ? { result: answer } : (answer as JsonObject)
}

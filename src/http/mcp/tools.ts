import type { CallToolRequest, CallToolResult, Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import { authorize } from '../../guard/authorize.ts'
import type { Registry } from '../../guard/registry.ts'
import type { RpcOutcome, RpcRequest } from '../../guard/rpc-request.ts'
import { type Action, mayAct } from '../../kernel/action.ts'
import type { Caller } from '../../kernel/ctx.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Schema, publicSchema } from '../../kernel/public-schema.ts'
import type { Json, JsonObject } from '../../kernel/shape.ts'
import type { Ask } from '../ask.ts'
import { toErrorReply } from '../errors.ts'
import { challengeIn } from '../json-rpc.ts'

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

function toStructured(action: Action | undefined, answer: Json): JsonObject {
  const isWrapped = action === undefined || !isRecord(action.output as unknown as Schema)
  return isWrapped ? { result: answer } : (answer as JsonObject)
}

/** Where x402 has its words in MCP. */
const PAYMENT = 'x402/payment'
const PAYMENT_RESPONSE = 'x402/payment-response'
const CHALLENGE = 'x402/error'

interface ToolRoom {
  registry: Registry
  ask: Ask
  /** Whether the caller has shown a key; whose it is, the guards find out. */
  hasKey: boolean
}

/** Runs a tool: the request that it is at `POST /`, through the same guards. What they refuse is an error of the tool, for the agent to read. */
export async function callTool(
  { registry, ask, hasKey }: ToolRoom,
  request: Omit<RpcRequest, 'text'>,
  { name, arguments: fields = {}, _meta: meta = {} }: CallToolRequest['params'],
): Promise<CallToolResult> {
  const action = registry.find(name)?.action
  const isClosed = action !== undefined && mayAct(action) && !hasKey
  const wrong = isClosed ? new AppError('key_required', `API key required for ${name}.`) : undefined
  const payment = paymentIn(meta[PAYMENT])
  const headers = { ...request.headers, ...(payment !== undefined && { 'payment-signature': payment }) }
  const text = JSON.stringify({ ...fields, action: name }, keepNumbers)
  const outcome = await ask({ ...request, headers, text }, wrong)
  const { answer, trace } = outcome
  const settled = trace.payment?.response
  const about = settled === undefined ? {} : { [PAYMENT_RESPONSE]: JSON.parse(fromBase64(settled)) as Json }
  if (answer === undefined) return toToolError(outcome, about)
  return {
    content: [{ type: 'text', text: answer }],
    structuredContent: toStructured(action, JSON.parse(answer) as Json),
    ...(settled !== undefined && { _meta: about }),
  }
}

/** Without structured content: that has the schema of a success. */
function toToolError({ error, trace }: RpcOutcome, about: JsonObject): CallToolResult {
  const { status, body } = toErrorReply(error)
  const challenge = challengeIn(trace)
  const isAsked = Object.keys(challenge).length > 0
  return {
    isError: true,
    content: [{ type: 'text', text: JSON.stringify({ ...challenge, ...body, ...(status !== 200 && { status }) }) }],
    _meta: { ...about, 'nano-gateway/error': { ...body, status }, ...(isAsked && { [CHALLENGE]: challenge }) },
  }
}

/** As the header has it, in which the guards look for it. */
function paymentIn(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  return typeof given === 'object' && given !== null ? Buffer.from(JSON.stringify(given)).toString('base64') : undefined
}

const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString()

/** A number beyond all bounds stays something to refuse; as JSON it would be nothing at all. */
const keepNumbers = (_name: string, value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

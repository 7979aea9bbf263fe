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

/** Tools that remove or overwrite; all other acting tools only add: an offer, a checkout, a key. */
const DESTRUCTIVE = new Set(['process', 'cloud_wallet', 'update_name', 'checkout_refund'])
/** Publishing the same block twice is the same as once. */
const IDEMPOTENT = new Set(['process'])

const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Choose a new one for each operation: calls with the same one act once, so you can retry after a lost answer.',
}

export function listTools({ actions }: Registry, caller: Caller, isSold: (action: string) => boolean): Tool[] {
  return actions.filter((action) => mayUse(action, caller)).map((action) => toTool(action, isSold(action.name)))
}

/** Tools that act need a key: an agent without one only reads. */
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

/** Schemas are built once: agents list the tools whenever they start. */
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

/** MCP requires an object; an action that may answer with a list has its answer in `result`. */
function outputOf({ output }: Action): Schema {
  const schema = publicSchema(output)
  return isRecord(schema) ? schema : { type: 'object', required: ['result'], properties: { result: schema } }
}

function toStructured(action: Action | undefined, answer: Json): JsonObject {
  const isWrapped = action === undefined || !isRecord(action.output as unknown as Schema)
  return isWrapped ? { result: answer } : (answer as JsonObject)
}

/** The field of MCP messages in which x402 puts payments. */
const PAYMENT = 'x402/payment'
const PAYMENT_RESPONSE = 'x402/payment-response'
const CHALLENGE = 'x402/error'

interface ToolRoom {
  registry: Registry
  ask: Ask
  /** Whether the caller has sent a key; the guards find out whose it is. */
  hasKey: boolean
}

/** Runs a tool as the request at `POST /` that it stands for, through the same guards. The agent gets a refusal as an error of the tool. */
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

/** No structured content: its schema is that of a success. */
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

/** The payment in the form of the header, where the guards read it. */
function paymentIn(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  return typeof given === 'object' && given !== null ? Buffer.from(JSON.stringify(given)).toString('base64') : undefined
}

const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString()

/** Infinity would become null in JSON; as a text it is still refused. */
const keepNumbers = (_name: string, value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

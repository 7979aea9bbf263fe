import type { CallToolRequest, CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Registry } from '../../guard/registry.ts'
import type { RpcOutcome, RpcRequest } from '../../guard/rpc-request.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Caller } from '../../kernel/ctx.ts'
import { type Json, type JsonObject, textOf } from '../../kernel/shape.ts'
import type { Ask } from '../ask.ts'
import { toErrorReply } from '../errors.ts'
import { challengeIn } from '../json-rpc.ts'
import { type AgentTool, findTool, mayUse, readFields, toolsOf, writeTool } from './agent-tools.ts'
import { type SetName, rankOf, setOf } from './sets.ts'

/** Most tools for an agent that names no set. More would fill the model's context before it starts. */
const TOOLS_MAX = 40
const BYTES_MAX = 60_000

interface Listing {
  registry: Registry
  caller: Caller
  isSold(action: string): boolean
  /** The sets that the agent has named. Without any, it gets the most useful tools of its key. */
  sets: readonly SetName[] | undefined
}

export function listTools({ registry, caller, isSold, sets }: Listing): Tool[] {
  const usable = toolsOf(registry).filter((tool) => mayUse(tool, caller))
  const write = (tool: AgentTool) => writeTool(tool, isSold(tool.action.name))
  if (sets) return usable.filter(({ module }) => sets.includes(setOf(module).name)).map(write)
  const listed: Tool[] = []
  let bytes = 0
  for (const tool of usable.toSorted((a, b) => rankOf(a.module, a.name) - rankOf(b.module, b.name))) {
    const written = write(tool)
    const size = JSON.stringify(written).length
    if (listed.length === TOOLS_MAX || bytes + size > BYTES_MAX) continue
    listed.push(written)
    bytes += size
  }
  return listed
}

/** The field of MCP messages in which x402 puts payments. */
const PAYMENT = 'x402/payment'
const PAYMENT_RESPONSE = 'x402/payment-response'
const CHALLENGE = 'x402/error'

interface ToolContext {
  registry: Registry
  ask: Ask
  /** Whether the caller has sent a key; the guards check later whose it is. */
  hasKey: boolean
}

/**
 * Runs a tool as the corresponding request at `POST /`, through the same guards. A refusal is returned as an error of
 * the tool.
 */
export async function callTool(
  { registry, ask, hasKey }: ToolContext,
  request: Omit<RpcRequest, 'text'>,
  { name, arguments: fields = {}, _meta: meta = {} }: CallToolRequest['params'],
): Promise<CallToolResult> {
  const tool = findTool(registry, name)
  const isClosed = tool?.acts === true && !hasKey
  const wrong = isClosed ? new AppError('key_required', `API key required for ${name}.`) : undefined
  const payment = paymentIn(meta[PAYMENT])
  const headers = { ...request.headers, ...(payment !== undefined && { 'payment-signature': payment }) }
  const given = tool ? readFields(tool, fields) : fields
  const text = JSON.stringify({ ...given, ...tool?.fixed, action: tool?.action.name ?? name }, keepNumbers)
  const outcome = await ask({ ...request, headers, text }, wrong)
  const { answer, trace } = outcome
  const settled = trace.payment?.response
  const about = settled === undefined ? {} : { [PAYMENT_RESPONSE]: JSON.parse(fromBase64(settled)) as Json }
  if (answer === undefined) return toToolError(outcome, about)
  return {
    content: [{ type: 'text', text: answer }],
    structuredContent: toStructured(JSON.parse(answer) as Json),
    ...(settled !== undefined && { _meta: about }),
  }
}

/** MCP accepts only objects, so a list becomes the member of an object. */
const toStructured = (answer: Json): JsonObject =>
  typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? answer : { result: answer }

/**
 * An error has no structured content, because the tool's schema describes a success. Payment terms stay JSON, because
 * programs that pay parse them.
 */
function toToolError({ error, trace }: RpcOutcome, about: JsonObject): CallToolResult {
  const { status, body } = toErrorReply(error)
  const challenge = challengeIn(trace)
  const isAsked = Object.keys(challenge).length > 0
  const text = isAsked ? JSON.stringify({ ...challenge, ...body, status }) : inWords(body, status)
  return {
    isError: true,
    content: [{ type: 'text', text }],
    _meta: { ...about, 'nano-gateway/error': { ...body, status }, ...(isAsked && { [CHALLENGE]: challenge }) },
  }
}

/** A refusal as a sentence, with every fact that helps the agent to correct the call. */
function inWords({ error, message: _message, detail, code, nearest, ...facts }: JsonObject, status: number): string {
  const said = status === 200 ? `The ledger refuses: ${textOf(error)}.` : textOf(error)
  const given = Object.entries(facts).filter(([, fact]) => fact !== undefined && fact !== null)
  return [
    said,
    textOf(detail),
    nearest === undefined ? '' : `Did you mean ${textOf(nearest)}?`,
    ...given.map(([name, fact]) => `${name}: ${typeof fact === 'object' ? JSON.stringify(fact) : textOf(fact)}.`),
    code === undefined ? '' : `(${textOf(code)}, status ${status})`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** The payment encoded as in the header, where the guards read it. */
function paymentIn(given: unknown): string | undefined {
  if (typeof given === 'string') return given
  return typeof given === 'object' && given !== null ? Buffer.from(JSON.stringify(given)).toString('base64') : undefined
}

const fromBase64 = (text: string) => Buffer.from(text, 'base64').toString()

/** JSON would turn Infinity into null; as text it is refused like any wrong number. */
const keepNumbers = (_name: string, value: unknown) =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { RpcOutcome, RpcRequest } from '../../guard/rpc-request.ts'
import type { Registry } from '../../guard/registry.ts'
import { mayAct } from '../../kernel/action.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Json, JsonObject } from '../../kernel/shape.ts'
import type { Ask } from '../ask.ts'
import { toErrorReply } from '../errors.ts'
import { challengeIn } from '../json-rpc.ts'
import { toStructured } from './tools.ts'

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

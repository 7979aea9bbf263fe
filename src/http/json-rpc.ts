import { InvalidCall } from '../guard/json-rpc.ts'
import type { RpcTrace } from '../guard/rpc-request.ts'
import { LedgerRefusal } from '../kernel/errors.ts'
import type { JsonObject } from '../kernel/shape.ts'
import { toErrorReply } from './errors.ts'

/** The error codes of JSON-RPC, by the HTTP status that the refusal would have elsewhere. */
const CODES: Readonly<Record<number, number>> = {
  400: -32602,
  401: -32001,
  402: -32002,
  403: -32003,
  404: -32005,
  409: -32005,
  429: -32004,
}
const INTERNAL = -32603

/** An answer as JSON-RPC 2.0. */
export const toJsonRpcResult = (id: string, answer: string): string => `{"jsonrpc":"2.0","id":${id},"result":${answer}}`

/** A refusal as JSON-RPC 2.0. Its `data` has what the body has elsewhere. */
export function toJsonRpcError(id: string, error: unknown, trace: Partial<RpcTrace>): string {
  const { body, status, code } = toErrorReply(error)
  const { error: message, message: _same, ...rest } = body
  const data = error instanceof LedgerRefusal ? undefined : { ...rest, ...challengeIn(trace), code, status }
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code: codeOf(error, status, code), message, data })}}`
}

function codeOf(error: unknown, status: number, code: string): number {
  if (error instanceof LedgerRefusal) return -32000
  if (error instanceof InvalidCall) return -32600
  return code === 'invalid_action' ? -32601 : (CODES[status] ?? INTERNAL)
}

/** The payment terms of a 402, which other requests get in a header. */
export function challengeIn({ payment }: Partial<RpcTrace>): JsonObject {
  if (payment?.required === undefined) return {}
  return JSON.parse(Buffer.from(payment.required, 'base64').toString()) as JsonObject
}

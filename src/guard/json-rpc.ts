import { AppError } from '../kernel/errors.ts'
import type { RequestHeaders } from './credential.ts'
import { parseJson } from './json-body.ts'
import type { Registry } from './registry.ts'

/** A request of JSON-RPC 2.0. */
export interface JsonRpcCall {
  /** As the client wrote it; undefined for a notification, which gets no answer. */
  id: string | undefined
  /** The body of the same request at `POST /`, or the reason why there is none. */
  text: string
  wrong: AppError | undefined
}

/** A body that is not a valid request of JSON-RPC. */
export class InvalidCall extends AppError {
  constructor(detail: string) {
    super('invalid_request', 'Invalid Request', { body: { detail } })
  }
}

/**
 * Reads a body with `"jsonrpc": "2.0"`; undefined for any other. Parameters are copied as text, so that both forms of a
 * request share remembered answers, prices and Idempotency-Keys.
 */
export function readJsonRpc(text: string, registry: Registry): JsonRpcCall | undefined {
  // A quick check, because all requests pass here and few contain the word.
  if (!text.includes('"jsonrpc"')) return undefined
  let value: unknown
  try {
    value = parseJson(text, 1)
  } catch {
    // The parser of ordinary requests refuses it with its own message.
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { jsonrpc, id, method, params, action, block } = value as Record<string, unknown>
  if (jsonrpc !== '2.0') return undefined
  // A body with an action, or a block to publish, is an ordinary request, whatever else it contains.
  if (method === undefined && (action !== undefined || block !== undefined)) return undefined
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return { id: 'null', text: '', wrong: new InvalidCall('id must be a string or a number.') }
  }
  const call = { id: findPart(text, 'id'), text: '', wrong: undefined }
  const refused = (wrong: AppError): JsonRpcCall => ({ ...call, id: call.id ?? 'null', wrong })
  if (typeof method !== 'string' || method === '') return refused(new InvalidCall('method must name an action.'))
  if (call.id === undefined && registry.mayAct(method)) {
    return refused(new InvalidCall(`${method} needs an id: its answer says what happened to money.`))
  }
  const fields = params ?? {}
  if (typeof fields !== 'object' || Array.isArray(fields)) {
    return refused(new AppError('invalid_request', 'Fields are given by name.', { body: { field: 'params' } }))
  }
  if (Object.hasOwn(fields, 'action') && (fields as { action: unknown }).action !== method) {
    const text = 'The method and its parameters name different actions.'
    return refused(new AppError('invalid_request', text, { body: { field: 'action' } }))
  }
  return { ...call, text: toBody(method, Object.keys(fields).length === 0 ? '{}' : findPart(text, 'params')!) }
}

const toBody = (method: string, params: string) =>
  `{"action":${JSON.stringify(method)}${params === '{}' ? '}' : `,${params.slice(1)}`}`

const ELEMENTS_MAX = 100

/** Whether a body is a list of requests. */
export const isBatch = (text: string): boolean => text.charCodeAt(0) !== 0x7b && /^\s*\[/.test(text)

/** The requests of a batch as text; an invalid one is answered with an error in its place. */
export function readBatch(text: string, headers: RequestHeaders): string[] {
  const value = parseJson(text, 2) as unknown[]
  if (value.length === 0 || value.length > ELEMENTS_MAX) {
    throw new AppError('invalid_list', `A batch has 1 to ${ELEMENTS_MAX} requests.`)
  }
  refuseHeader(headers, 'Idempotency-Key', 'Each request of a batch has its own, in its field idempotency_key.')
  refuseHeader(headers, 'PAYMENT-SIGNATURE', 'A payment pays for one request: send that one alone.')
  return splitParts(text)
}

/** Refuses a header that belongs to a single request, because it would apply to all of them. */
function refuseHeader(headers: RequestHeaders, field: string, detail: string): void {
  if (headers[field.toLowerCase()] === undefined) return
  throw new AppError('invalid_request', `${field} is of one request, and this is a batch.`, { body: { field, detail } })
}

/** The elements of a JSON array, or the members of an object, as text. The JSON must be valid. */
function splitParts(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let begin = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfString(text, at)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth === 1) begin = at + 1
    } else if ((code === 0x2c && depth === 1) || ((code === 0x7d || code === 0x5d) && --depth === 0)) {
      parts.push(text.slice(begin, at).trim())
      begin = at + 1
    }
  }
  return parts.length === 1 && parts[0] === '' ? [] : parts
}

/** The value of a member as text, because parsing would lose digits of long numbers. Of equal names the last counts. */
function findPart(object: string, name: string): string | undefined {
  const member = splitParts(object).findLast((part) => nameOf(part) === name)
  return member?.slice(member.indexOf(':', endOfString(member, 0)) + 1).trim()
}

/** Most names have no escapes and need no parser, which would be the most expensive part. */
function nameOf(member: string): unknown {
  const text = member.slice(0, endOfString(member, 0) + 1)
  return text.includes('\\') ? JSON.parse(text) : text.slice(1, -1)
}

/** The end of the string that begins here. */
function endOfString(text: string, begin: number): number {
  let at = begin + 1
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1
  return at
}

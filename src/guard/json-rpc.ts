import { AppError } from '../kernel/errors.ts'
import { parseJson } from './json-body.ts'
import { findPart } from './json-parts.ts'
import type { Registry } from './registry.ts'

/** A request in the words of JSON-RPC 2.0. */
export interface JsonRpcCall {
  /** As it was written; none of a notification, which waits for no answer. */
  id: string | undefined
  /** The body that means the same at `POST /`, or why there is none. */
  text: string
  wrong: AppError | undefined
}

/** No request of JSON-RPC at all, whatever it may mean. */
export class InvalidCall extends AppError {
  constructor(detail: string) {
    super('invalid_request', 'Invalid Request', { body: { detail } })
  }
}

/**
 * Reads a body that says `"jsonrpc": "2.0"`; undefined for every other, which is read as it always was. Parameters go on as they were
 * written, so that both forms of a request have the same memory, the same price and the same meaning for an Idempotency-Key.
 */
export function readJsonRpc(text: string, registry: Registry): JsonRpcCall | undefined {
  // Every request passes here, and few have the word at all.
  if (!text.includes('"jsonrpc"')) return undefined
  let value: unknown
  try {
    value = parseJson(text, 1)
  } catch {
    // Refused with the words of every body that cannot be read.
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { jsonrpc, id, method, params, action, block } = value as Record<string, unknown>
  if (jsonrpc !== '2.0') return undefined
  // A body that names its action, or is a block to publish, is what it always was, whatever else it says.
  if (method === undefined && (action !== undefined || block !== undefined)) return undefined
  if (id !== undefined && id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return { id: 'null', text: '', wrong: new InvalidCall('id must be a string or a number.') }
  }
  const call = { id: findPart(text, 'id'), text: '', wrong: undefined }
  const refused = (wrong: AppError): JsonRpcCall => ({ ...call, id: call.id ?? 'null', wrong })
  if (typeof method !== 'string' || method === '') return refused(new InvalidCall('method must name an action.'))
  if (call.id === undefined && registry.mayAct(method)) {
    return refused(new InvalidCall(`${method} needs an id: its answer tells what has become of money.`))
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

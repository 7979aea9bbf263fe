import type { Caller, Ctx, Trace } from '../kernel/ctx.ts'
import { AppError } from '../kernel/errors.ts'
import type { KeyRing, NodePort } from '../kernel/ports.ts'
import type { Json } from '../kernel/shape.ts'
import { authorize } from './authorize.ts'
import { type CredentialSources, extractCredential } from './credential.ts'
import { identify } from './identify.ts'
import type { Registry } from './registry.ts'
import { resolveNames } from './resolve-names.ts'

/** What every request shares; the node and the caller are added for each. */
export interface Gateway {
  registry: Registry
  keys: KeyRing
  nodeFor(trace: Trace): NodePort
  base: Omit<Ctx, 'requestId' | 'caller' | 'node'>
}

export interface RpcRequest {
  requestId: string
  body: Readonly<Record<string, unknown>>
  credentials: CredentialSources
  trace: Trace & { action: string | undefined; caller: Caller['kind'] | undefined }
}

/** One request, guard by guard. The order of these lines is the security model. */
export async function dispatch(gateway: Gateway, { requestId, body, credentials, trace }: RpcRequest): Promise<Json> {
  const { registry, keys, base } = gateway
  const { action, parse } = findAction(registry, body) //                          400
  trace.action = action.name
  const caller = identify(keys, extractCredential(credentials, action)) //         401
  trace.caller = caller.kind
  const { params, resolved } = resolveNames(base.names, body) //                   400
  const input = parse(params) //                                                   400, before anything is charged
  authorize(action, caller) //                                                     401, 403
  const ctx: Ctx = { ...base, requestId, caller, node: gateway.nodeFor(trace) }
  const result = await action.run(ctx, input)
  return resolved === undefined ? result : withAddress(result, resolved)
}

function findAction(registry: Registry, body: Readonly<Record<string, unknown>>) {
  // A published example leaves the action out; a block with a subtype can mean one thing only.
  const implied = body.block !== undefined && body.subtype !== undefined ? 'process' : undefined
  const name = body.action ?? implied
  if (name === undefined || name === null || name === '') throw new AppError('invalid_action', 'Action not provided')
  const found = typeof name === 'string' ? registry.find(name) : undefined
  if (!found) throw new AppError('invalid_action', 'Bad action provided.')
  return found
}

function withAddress(result: Json, address: string): Json {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result
  return 'address' in result ? result : { ...result, address }
}

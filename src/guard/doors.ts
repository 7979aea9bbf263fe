import { AppError } from '../kernel/errors.ts'
import type { Json } from '../kernel/shape.ts'
import { parseBody } from './json-body.ts'
import { NODE_DOOR } from './node-door.ts'
import type { RegisteredAction, Registry } from './registry.ts'
import { resolveNames } from '../modules/names/index.ts'
import type { RpcRequest } from './rpc-request.ts'
import type { Asked, Body, Door } from './door.ts'

const SERVICE_DOOR: Door = {
  prefix: '',
  shape: '',
  parse: parseBody,
  find: findAction,
  ignored: ({ unused }, body) => unused.ignored(body),
  read({ names }, found, body) {
    found.unused.refuse(body)
    const resolving = resolveNames(names, body, found.action)
    return resolving instanceof Promise
      ? resolving.then((resolved) => toAsked(found, resolved))
      : toAsked(found, resolving)
  },
}

/** The service's door where the path names the action: the body need not, and may not name another. */
const actionDoor = (name: string): Door => ({
  ...SERVICE_DOOR,
  prefix: `actions/${name} `,
  parse(text, registry) {
    findNamed(registry, name)
    return parseBody(text === '' ? '{}' : text)
  },
  find(registry, { action }) {
    const found = findNamed(registry, name)
    if (action === undefined || action === null || action === '') return found
    if (typeof action === 'string' && registry.find(action) === found) return found
    throw badAction('The path and the body name different actions.')
  },
})

export function doorOf({ door }: Pick<RpcRequest, 'door'>): Door {
  if (door === undefined) return SERVICE_DOOR
  return door === 'node' ? NODE_DOOR : actionDoor(door.action)
}

type Resolved = Awaited<ReturnType<typeof resolveNames>>

function toAsked({ action, room, parse }: RegisteredAction, { params, resolved }: Resolved): Asked {
  const input = parse(params)
  action.check?.(input, room)
  return {
    once: action.once ?? action.onceWhen?.(input) ?? false,
    scope: action.scopeWhen?.(input) ?? action.scope,
    run:
      resolved === undefined
        ? (ctx) => action.run(ctx, input, room)
        : (ctx) => named(action.run(ctx, input, room), resolved),
  }
}

/** A caller who gave a name learns whose it is. */
async function named(running: Promise<Json> | Json, address: string): Promise<Json> {
  const result = await running
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result
  return 'address' in result ? result : { ...result, address }
}

function findAction(registry: Registry, body: Body): RegisteredAction {
  // A published example leaves the action out; a block with a subtype can mean one thing only.
  const implied = body.block !== undefined && body.subtype !== undefined ? 'process' : undefined
  const name = body.action ?? implied
  if (name === undefined || name === null || name === '') throw badAction('Action not provided')
  const found = typeof name === 'string' ? registry.find(name) : undefined
  if (!found) throw badAction('Bad action provided.', typeof name === 'string' ? meantBy(registry, name) : {})
  return found
}

function findNamed(registry: Registry, name: string): RegisteredAction {
  const found = registry.find(name)
  if (found) return found
  const detail = 'The path names no action. They are listed at /docs and in /openapi.json.'
  const body = { field: 'action', detail, ...meantBy(registry, name) }
  throw new AppError('not_found', 'Bad action provided.', { body })
}

/** The words of a refusal are the contract's; what was probably meant stands beside them. */
function meantBy(registry: Registry, name: string): { nearest?: string } {
  const nearest = registry.nearest(name)
  return nearest === undefined ? {} : { nearest }
}

const badAction = (text: string, meant: { nearest?: string } = {}) =>
  new AppError('invalid_action', text, { body: { field: 'action', ...meant } })

import { isIPv6 } from 'node:net'
import type { Action, NodeQuestion } from '../kernel/action.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { AppError, LedgerRefusal } from '../kernel/errors.ts'
import { LIST_ENTRIES_MAX } from '../kernel/fields.ts'
import { CONTROL_ACTIONS, CONTROL_IS_DISABLED } from '../kernel/nano/control-actions.ts'
import { writeNodeAnswer } from '../kernel/nano/node-answer.ts'
import { NodeRequest } from '../kernel/nano/node-request.ts'
import {
  type RequestTree,
  UnreadableRequest,
  exceedsDepth,
  findMember,
  toUnsigned,
} from '../kernel/nano/request-tree.ts'
import type { Names } from '../kernel/ports.ts'
import type { Scope } from '../kernel/rights.ts'
import { type Json, textOf } from '../kernel/shape.ts'
import { resolveNames } from '../modules/names/index.ts'
import { parseBody } from './json-body.ts'
import type { RegisteredAction, Registry } from './registry.ts'
import type { RpcRequest } from './rpc-request.ts'

const SERVICE_ENDPOINT: Endpoint = {
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
  write: (answer) => JSON.stringify(answer),
}

/** The service's endpoint with the action in the path. The body need not name the action, and must not name another. */
const actionEndpoint = (name: string): Endpoint => ({
  ...SERVICE_ENDPOINT,
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

export function endpointOf({ endpoint }: Pick<RpcRequest, 'endpoint'>): Endpoint {
  if (endpoint === undefined) return SERVICE_ENDPOINT
  return endpoint === 'node' ? NODE_ENDPOINT : actionEndpoint(endpoint.action)
}

type Resolved = Awaited<ReturnType<typeof resolveNames>>

function toAsked({ action, context, parse }: RegisteredAction, { params, resolved }: Resolved): Asked {
  const input = parse(params)
  action.check?.(input, context)
  return {
    once: action.once ?? action.onceWhen?.(input) ?? false,
    scope: action.scopeWhen?.(input) ?? action.scope,
    run:
      resolved === undefined
        ? (ctx) => action.run(ctx, input, context)
        : (ctx) => named(action.run(ctx, input, context), resolved),
  }
}

/** Adds the address to the answer of a caller who gave a username. */
async function named(running: Promise<Json> | Json, address: string): Promise<Json> {
  const result = await running
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result
  return 'address' in result ? result : { ...result, address }
}

function findAction(registry: Registry, body: Body): RegisteredAction {
  // A published example leaves out the action; a block with a subtype can only be meant for `process`.
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

/** The contract fixes the error message, so the nearest name is a separate field. */
function meantBy(registry: Registry, name: string): { nearest?: string } {
  const nearest = registry.nearest(name)
  return nearest === undefined ? {} : { nearest }
}

const badAction = (text: string, meant: { nearest?: string } = {}) =>
  new AppError('invalid_action', text, { body: { field: 'action', ...meant } })

export type Body = Readonly<Record<string, unknown>>

/** What an endpoint needs to read a request. */
export interface Readable {
  names: Names
  /** Most entries of a list. */
  countMax: number
}

/** A request that was read and may be run. */
export interface Asked {
  /** Whether the action moves money or makes something, so that a repetition needs an Idempotency-Key to act once. */
  once: boolean
  /** The scope that a secret key needs for it. */
  scope: Scope
  run(ctx: Ctx): Promise<Json | AsWritten> | Json
}

/** A node's answer, passed on unchanged. */
class AsWritten {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * How an endpoint reads requests and writes answers. There are two: that of the service follows the contract and may
 * have the action in its path, that of the node behaves like a node. Keys, limits and payments are the same for both.
 */
export interface Endpoint {
  /** Prefix of the remembered request, because the same bytes get different answers at different endpoints. */
  prefix: string
  /** Prefix of the request's fingerprint, because the format of the answer depends on the endpoint. */
  shape: string
  parse(text: string, registry: Registry): Body
  find(registry: Registry, body: Body): RegisteredAction
  /** The names of fields that the action does not use. */
  ignored(found: RegisteredAction, body: Body): string | undefined
  /** Reads the parameters, and refuses invalid ones. */
  read(readable: Readable, found: RegisteredAction, body: Body): Asked | Promise<Asked>
  /** The text of an answer. */
  write(answer: Json | AsWritten): string
}

/** The most members that a body may have: a parsed member takes a hundred times the memory of its text. */
const MEMBERS_MAX = 10_000

/** The request from which a body was made. */
const requestOf = new WeakMap<Body, NodeRequest>()

/**
 * The node's endpoint: reads and answers requests like a node V27.1, with status 200 for errors of the ledger and of
 * the request. Refusals of the gateway itself (keys, limits, payment) are as elsewhere.
 */
const NODE_ENDPOINT: Endpoint = {
  prefix: 'node ',
  shape: 'node ',
  parse(text) {
    const request = NodeRequest.parse(text, MEMBERS_MAX)
    const body = toBody(request.tree)
    requestOf.set(body, request)
    return body
  },
  find(registry, body) {
    if (body.action === undefined) throw new UnreadableRequest()
    const name = textOf(body.action)
    const found = registry.findAsNode(name)
    if (found) return found
    refuseBootstrap(name, body)
    // Other callers get the answer of a node without control.
    throw new LedgerRefusal(CONTROL_ACTIONS.has(name) ? CONTROL_IS_DISABLED : 'Unknown command')
  },
  ignored: () => undefined,
  read({ countMax }, { action, context }, body) {
    const question: NodeQuestion = { name: textOf(body.action), request: requestOf.get(body)! }
    refuseLongLists(action, question.request.tree)
    action.asNode?.check?.(question, context)
    const { run } = action.asNode ?? {}
    return {
      once: action.once ?? false,
      scope: action.asNode?.scopeWhen?.(question) ?? action.scope,
      run: run ? (ctx) => run(ctx, question, context) : (ctx) => passOn(action, ctx, question, countMax),
    }
  },
  write: (answer) => (answer instanceof AsWritten ? answer.text : writeNodeAnswer(answer)),
}

/**
 * A node serves these without control. Here callers must not choose where the node gets its blocks, so they are refused
 * as if control were disabled.
 */
function refuseBootstrap(name: string, { address, port }: Body): void {
  if (name === 'bootstrap') {
    if (address === undefined || port === undefined) throw new UnreadableRequest()
    if (!isIPv6(textOf(address))) throw new LedgerRefusal('Invalid IP address')
    if (!/^\d{1,5}$/.test(textOf(port)) || Number(port) > 65_535) throw new LedgerRefusal('Invalid port')
  } else if (name !== 'bootstrap_any') return
  throw new LedgerRefusal('Legacy bootstrap is disabled')
}

/**
 * The members that guards look at: keys, and whatever distinguishes two requests. Of two equal names the first counts.
 */
function toBody(tree: RequestTree): Body {
  return Object.fromEntries(tree.members.map(({ name, tree }): [string, unknown] => [name, toValue(tree)]).reverse())
}

function toValue(tree: RequestTree): unknown {
  if (tree.members.length === 0) return tree.text
  return tree.members.some(({ name }) => name !== '')
    ? toBody(tree)
    : tree.members.map((member) => toValue(member.tree))
}

const typeOf = (schema: { type?: unknown } | undefined) => schema?.type
const isList = (action: Action, name: string) => typeOf(action.input.properties[name]) === 'array'

function refuseLongLists(action: Action, fields: RequestTree): void {
  for (const name of Object.keys(action.input.properties)) {
    if (!isList(action, name) || (findMember(fields, name)?.members.length ?? 0) <= LIST_ENTRIES_MAX) continue
    throw new AppError('invalid_list', `${name} takes at most ${LIST_ENTRIES_MAX} entries.`, { body: { field: name } })
  }
}

/**
 * Sends the client's question to a node: only fields that the action has, as the client wrote them, with limited
 * counts.
 */
async function passOn(action: Action, ctx: Ctx, { name, request }: NodeQuestion, countMax: number): Promise<AsWritten> {
  const params: Record<string, unknown> = {}
  for (const field of [...Object.keys(action.input.properties), ...(action.asNode?.fields ?? [])]) {
    const tree = findMember(request.tree, field)
    if (tree === undefined) continue
    if (isList(action, field)) params[field] = tree.members.map((member) => member.tree.text)
    else params[field] = field === 'block' && tree.members.length > 0 ? toTexts(tree) : tree.text
  }
  if ('count' in action.input.properties) params.count = boundedCount(action, countMax, params.count)
  // A node counts brackets even inside strings, and the client may have written some of them as escapes.
  if (exceedsDepth(JSON.stringify(params))) throw new LedgerRefusal('Max JSON depth exceeded')
  return new AsWritten(await ctx.node.pass(name, params))
}

/** A block with its members as text; the node reads nothing below them. */
function toTexts({ members }: RequestTree): Record<string, string> {
  return Object.fromEntries(members.map(({ name, tree }): [string, string] => [name, tree.text]).reverse())
}

/**
 * Limits a valid count. The node itself refuses a count that it cannot read, and if it requires a count, none is added.
 */
function boundedCount(action: Action, max: number, given: unknown): unknown {
  if (given === undefined) return action.input.required?.includes('count') ? undefined : `${max}`
  const count = toUnsigned(textOf(given))
  return count !== undefined && count > BigInt(max) ? `${max}` : given
}

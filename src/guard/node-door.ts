import type { Action, NodeQuestion } from '../kernel/action.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { AppError, LedgerRefusal } from '../kernel/errors.ts'
import { LIST_ENTRIES_MAX } from '../kernel/fields.ts'
import { CONTROL_ACTIONS, CONTROL_IS_DISABLED } from '../kernel/nano/control-actions.ts'
import { NodeRequest } from '../kernel/nano/node-request.ts'
import {
  type RequestTree,
  UnreadableRequest,
  exceedsDepth,
  findMember,
  toUnsigned,
} from '../kernel/nano/request-tree.ts'
import { type Json, textOf } from '../kernel/shape.ts'
import type { Body, Door } from './door.ts'

/** A member takes a hundred times the two bytes it can be written in. */
const MEMBERS_MAX = 10_000

/** The request that a body was made from. */
const requestOf = new WeakMap<Body, NodeRequest>()

/**
 * The node's own door: requests are read and answered as a node V27.1 does it, errors of the ledger and of the request with
 * status 200. What the gateway itself refuses (keys, limits, payment) it refuses as everywhere.
 */
export const NODE_DOOR: Door = {
  prefix: 'node ',
  shape: 'node ',
  parse(text) {
    const request = NodeRequest.parse(text, MEMBERS_MAX)
    const body = toBody(request.tree)
    requestOf.set(body, request)
    return body
  },
  find(registry, { action }) {
    if (action === undefined) throw new UnreadableRequest()
    const name = textOf(action)
    const found = registry.find(name)
    if (found?.action.ofNode && !found.action.ownSynonyms?.includes(name)) return found
    // To those outside, a node of which they have no control.
    throw new LedgerRefusal(CONTROL_ACTIONS.has(name) ? CONTROL_IS_DISABLED : 'Unknown command')
  },
  ignored: () => undefined,
  read({ countMax }, { action, room }, body) {
    const question: NodeQuestion = { name: textOf(body.action), request: requestOf.get(body)! }
    refuseLongLists(action, question.request.tree)
    action.asNode?.check?.(question, room)
    const { run } = action.asNode ?? {}
    return {
      once: action.once ?? false,
      scope: action.scope,
      run: run ? (ctx) => run(ctx, question, room) : (ctx) => passOn(action, ctx, question, countMax),
    }
  },
}

/** What the guards look at: keys, and what makes two requests the same. The first of two equal names counts. */
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

/** Asks a node the question of the client: the fields that the action has, as the client wrote them, and no more entries than we give. */
async function passOn(action: Action, ctx: Ctx, { name, request }: NodeQuestion, countMax: number): Promise<Json> {
  const params: Record<string, unknown> = {}
  for (const field of [...Object.keys(action.input.properties), ...(action.asNode?.fields ?? [])]) {
    const tree = findMember(request.tree, field)
    if (tree === undefined) continue
    if (isList(action, field)) params[field] = tree.members.map((member) => member.tree.text)
    else params[field] = field === 'block' && tree.members.length > 0 ? toTexts(tree) : tree.text
  }
  if ('count' in action.input.properties) params.count = boundedCount(action, countMax, params.count)
  // A node counts brackets wherever they stand, and these may have come in another spelling.
  if (exceedsDepth(JSON.stringify(params))) throw new LedgerRefusal('Max JSON depth exceeded')
  return (await ctx.node.read(name, params, { verbatim: true })) as Json
}

/** A block as an object; the node reads nothing below its members. */
function toTexts({ members }: RequestTree): Record<string, string> {
  return Object.fromEntries(members.map(({ name, tree }): [string, string] => [name, tree.text]).reverse())
}

/** What the node cannot read is refused by it, and where it asks for a count there is none but the client's. */
function boundedCount(action: Action, max: number, given: unknown): unknown {
  if (given === undefined) return action.input.required?.includes('count') ? undefined : `${max}`
  const count = toUnsigned(textOf(given))
  return count !== undefined && count > BigInt(max) ? `${max}` : given
}

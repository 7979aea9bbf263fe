import type { TSchema } from 'typebox'
import type { Actor } from '../actor.ts'
import { answer } from '../answers.ts'
import { readCursor, readWhole, toCursor } from '../paging.ts'
import type { Described } from '../described.ts'
import type { Idempotency } from '../idempotency.ts'
import type { AccountRequest, Access, Fields, Reply, Route, RouteRequest } from '../route.ts'
import type { JsonObject } from '../shape.ts'
import type { FieldsOf } from './field.ts'
import { readChange, readNew, refuseUnknown } from './read.ts'
import type { Own, PageOf } from './records.ts'
import { type RecordOf, type Resource, type ValuesOf, exampleOf, show, shownSchema, takenSchema } from './resource.ts'

type OfRoute<D extends Access> = Omit<Extract<Route, { access: D }>, 'access' | 'method' | 'path' | 'run'>

/** A route with its description: one object with its path, its input, its answer and its function. */
export type ApiRoute<Context> = Described &
  OfRoute<'account' | 'administrator'> & {
    who: 'account' | 'administrator'
    run(context: Context, request: AccountRequest): Promise<Reply> | Reply
  }

/** The same for callers without an account. */
export type OpenRoute<Context> = Described &
  OfRoute<'open' | 'anyone' | 'developer'> & {
    who: 'anybody'
    access: 'open' | 'anyone'
    run(context: Context, request: RouteRequest): Promise<Reply> | Reply
  }

type ApiRoutes<Context> = readonly (ApiRoute<Context> | OpenRoute<Context>)[]

/** Members that belong only to the description. */
const DESCRIBED = ['id', 'tag', 'summary', 'query', 'body', 'once', 'status', 'answer', 'type', 'refuses', 'otherwise']
const SHARED = ['method', 'path', 'who']

export const routesOf = <Context>(routes: ApiRoutes<Context>, context: Context): Route[] =>
  routes.map((declared) => {
    const { method, path, who, run } = declared as ApiRoute<Context>
    const route = Object.entries(declared).filter(([name]) => !DESCRIBED.includes(name) && name !== 'who')
    return {
      access: who,
      ...Object.fromEntries(route),
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      run: (request: AccountRequest) => run(context, request),
    } as Route
  })

export const describedOf = <Context>(routes: ApiRoutes<Context>): Described[] =>
  routes.map((declared) => {
    const described = Object.entries(declared).filter(([name]) => DESCRIBED.includes(name) || SHARED.includes(name))
    return Object.fromEntries(described) as unknown as Described
  })

/** An object of an account, and who changes it. */
export type ChangedOwn = Own & { actor: Actor }
type Maker = Omit<ChangedOwn, 'id'>

export const ownOf = ({ caller, params }: Pick<AccountRequest, 'caller' | 'params'>): ChangedOwn => ({
  id: params.id!,
  owner: caller.accountId,
  actor: caller.actor,
})

/** Reads a change and compares it with the current record, in the transaction that locks the record. */
export type SaidOf<F extends FieldsOf> = (held: RecordOf<F>) => Partial<ValuesOf<F>>

interface CrudRoutes<F extends FieldsOf, R, Context> {
  /** Operation ids and summaries for the documents. */
  words: Record<'list' | 'create' | 'get' | 'change' | 'delete', readonly [id: string, summary: string]>
  /** Which of these require a recently confirmed identity. */
  proof: Partial<Record<'create' | 'change', { proof: true }>>
  /** The name by which repeated requests are recognised; it is stored and must not change. */
  once: string
  /** Statuses of refusals in addition to 400 and 404. */
  refuses?: readonly number[]
  changeExample: JsonObject
  /** Members that only the answer to `create` contains. */
  secret?: Record<string, TSchema>
  /** Looks up what is needed before a body can be read, such as addresses of usernames. */
  prepare?(context: Context, body: Fields, owner: string): Promise<Fields>
  /** The shown records, with the members that the resource declares as `beside`. */
  showAll?(context: Context, records: readonly R[]): Promise<JsonObject[]>
  /** Set if an account has few of them, so that a list contains all. */
  isShort?: true
  list(context: Context, page: PageOf): Promise<R[]>
  get(context: Context, own: Own): Promise<R>
  /** Returns what is stored, encrypted, for repeated requests. */
  create(context: Context, by: Maker, values: ValuesOf<F>, idempotency?: Idempotency): Promise<JsonObject>
  /** Converts that to the answer, if the two differ. */
  created?(context: Context, owner: string, remembered: JsonObject): Promise<JsonObject>
  change(context: Context, own: ChangedOwn, said: SaidOf<F>): Promise<R>
  remove(context: Context, own: ChangedOwn): Promise<void>
}

const DELETED = answer.record({ success: answer.bool, deleted: answer.bool, id: answer.text })
const LIMIT = { min: 1, max: 100, otherwise: 25 }
/** The parameters of a list with pages. */
export const PAGES = [
  { name: 'limit', schema: answer.integer, description: 'Up to 100; 25 by default.' },
  { name: 'cursor', schema: answer.text, description: '`next_cursor` of the previous page.' },
] as const

/** The five routes of every resource. */
export function crud<F extends FieldsOf, Context>(
  of: Resource<F, Context>,
  routes: CrudRoutes<F, RecordOf<F> & { id: string; createdAt: number }, Context>,
): ApiRoute<Context>[] {
  const { path, tag, scope, plural } = of
  const { words, proof, refuses, isShort = false, prepare = (_context, body) => Promise.resolve(body) } = routes
  type Records = readonly (RecordOf<F> & { id: string; createdAt: number })[]
  const plainly = (context: Context, found: Records) => Promise.resolve(found.map((each) => show(of, context, each)))
  const { showAll = plainly } = routes
  const shownOne = async (context: Context, one: Records[number]) => ({ json: (await showAll(context, [one]))[0]! })
  const named = (name: keyof typeof words) => {
    const [id, summary] = words[name]
    return { tag, scope, who: 'account', id, summary } as const
  }
  const shown = shownSchema(of)
  return [
    {
      ...named('list'),
      method: 'get',
      path,
      ...(!isShort && { query: PAGES }),
      answer: answer.record({
        [plural]: answer.list(shown),
        ...(!isShort && { next_cursor: answer.orNull(answer.text) }),
      }),
      async run(context, { caller: { accountId: owner }, query }) {
        const limit = isShort ? Infinity : readWhole('limit', query.limit, LIMIT)
        const found = await routes.list(context, {
          owner,
          limit,
          after: isShort ? undefined : readCursor(query.cursor),
        })
        const last = found.length === limit ? found.at(-1) : undefined
        const json = { [plural]: await showAll(context, found) }
        return { json: isShort ? json : { ...json, next_cursor: last ? toCursor(last) : null } }
      },
    },
    {
      ...named('create'),
      ...proof.create,
      method: 'post',
      path,
      body: { schema: takenSchema(of, 'create'), example: exampleOf(of), isOfResource: true },
      once: true,
      status: 201,
      answer: shownSchema(of, routes.secret),
      ...(refuses && { refuses }),
      async run(context, { caller: { accountId: owner, actor }, body, once }) {
        const values = readNew(of, context, await prepare(context, body(), owner))
        const remembered = await once(routes.once, (idempotency) =>
          routes.create(context, { owner, actor }, values, idempotency),
        )
        return { status: 201, json: (await routes.created?.(context, owner, remembered)) ?? remembered }
      },
    },
    {
      ...named('get'),
      method: 'get',
      path: `${path}/{id}`,
      answer: shown,
      run: async (context, request) => shownOne(context, await routes.get(context, ownOf(request))),
    },
    {
      ...named('change'),
      ...proof.change,
      method: 'put',
      path: `${path}/{id}`,
      body: { schema: takenSchema(of, 'change'), example: routes.changeExample, isOfResource: true },
      answer: shown,
      async run(context, request) {
        refuseUnknown(of, request.body())
        const body = await prepare(context, request.body(), request.caller.accountId)
        return shownOne(
          context,
          await routes.change(context, ownOf(request), (held) => readChange(of, context, body, held)),
        )
      },
    },
    {
      ...named('delete'),
      method: 'delete',
      path: `${path}/{id}`,
      answer: DELETED,
      async run(context, request) {
        const own = ownOf(request)
        await routes.remove(context, own)
        return { json: { success: true, deleted: true, id: own.id } }
      },
    },
  ]
}

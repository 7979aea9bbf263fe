import type { TSchema } from 'typebox'
import type { Actor } from '../actor.ts'
import { answer } from '../answers.ts'
import { readCursor, readWhole, toCursor } from '../paging.ts'
import type { Described } from '../described.ts'
import type { Idempotency } from '../idempotency.ts'
import type { AccountRequest, Fields, Reply, Route } from '../route.ts'
import type { Scope } from '../rights.ts'
import type { JsonObject } from '../shape.ts'
import type { FieldsOf } from './field.ts'
import { readChange, readNew, refuseUnknown } from './read.ts'
import type { Own, PageOf } from './records.ts'
import { type RecordOf, type Resource, type ValuesOf, exampleOf, show, shownSchema, takenSchema } from './resource.ts'

/** A route with its description: one object with its path, its input, its answer and its function. */
export interface Verb<Room> extends Described {
  scope: Scope
  proof?: true
  bodyBytesMax?: number
  run(room: Room, request: AccountRequest): Promise<Reply> | Reply
}

export const routesOf = <Room>(verbs: readonly Verb<Room>[], room: Room): Route[] =>
  verbs.map(({ method, path, scope, proof, bodyBytesMax, run }) => ({
    door: 'account',
    scope,
    ...(proof && { proof }),
    ...(bodyBytesMax !== undefined && { bodyBytesMax }),
    method: method.toUpperCase() as 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    run: (request) => run(room, request),
  }))

export const describedOf = <Room>(verbs: readonly Verb<Room>[]): Described[] =>
  verbs.map(({ scope: _scope, proof: _proof, bodyBytesMax: _bytes, run: _run, ...described }) => described)

/** An object of an account, and who changes it. */
export type ChangedOwn = Own & { actor: Actor }
type Maker = Omit<ChangedOwn, 'id'>

export const ownOf = ({ caller, params }: Pick<AccountRequest, 'caller' | 'params'>): ChangedOwn => ({
  id: params.id!,
  owner: caller.accountId,
  actor: caller.actor,
})

/** Reads a change against the current record, inside the transaction that holds it. */
export type SaidOf<F extends FieldsOf> = (held: RecordOf<F>) => Partial<ValuesOf<F>>

interface CrudVerbs<F extends FieldsOf, R, Room> {
  /** Operation ids and summaries for the documents. */
  words: Record<'list' | 'create' | 'get' | 'change' | 'delete', readonly [id: string, summary: string]>
  /** Which of them require that the person has confirmed their identity recently. */
  proof: Partial<Record<'create' | 'change', { proof: true }>>
  /** The name under which repeated requests are found; it is stored and must not change. */
  once: string
  /** Statuses of refusals beside 400 and 404. */
  refuses?: readonly number[]
  changeExample: JsonObject
  /** Members that `create` shows once. */
  secret?: Record<string, TSchema>
  /** Looks up what is needed before a body can be read, such as usernames that stand for addresses. */
  prepare?(room: Room, body: Fields): Promise<Fields>
  /** Set where an account has few: a list contains all of them. */
  isShort?: true
  list(room: Room, page: PageOf): Promise<R[]>
  get(room: Room, own: Own): Promise<R>
  /** Returns what is stored, encrypted, for repeated requests. */
  create(room: Room, by: Maker, values: ValuesOf<F>, idempotency?: Idempotency): Promise<JsonObject>
  /** Turns that into the answer, where the two differ. */
  created?(room: Room, owner: string, remembered: JsonObject): Promise<JsonObject>
  change(room: Room, own: ChangedOwn, said: SaidOf<F>): Promise<R>
  remove(room: Room, own: ChangedOwn): Promise<void>
}

const DELETED = answer.record({ success: answer.bool, deleted: answer.bool, id: answer.text })
const LIMIT = { min: 1, max: 100, otherwise: 25 }
const PAGES = [
  { name: 'limit', schema: answer.integer, description: 'Up to 100; 25 by default.' },
  { name: 'cursor', schema: answer.text, description: '`next_cursor` of the previous page.' },
]

/** The five routes that every noun has. */
export function crud<F extends FieldsOf, Room>(
  of: Resource<F, Room>,
  verbs: CrudVerbs<F, RecordOf<F> & { id: string; createdAt: number }, Room>,
): Verb<Room>[] {
  const { path, tag, scope, plural } = of
  const { words, proof, refuses, isShort = false, prepare = (_room, body) => Promise.resolve(body) } = verbs
  const named = (verb: keyof typeof words) => {
    const [id, summary] = words[verb]
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
      async run(room, { caller: { accountId: owner }, query }) {
        const limit = isShort ? Infinity : readWhole('limit', query.limit, LIMIT)
        const found = await verbs.list(room, { owner, limit, after: isShort ? undefined : readCursor(query.cursor) })
        const last = found.length === limit ? found.at(-1) : undefined
        const json = { [plural]: found.map((each) => show(of, room, each)) }
        return { json: isShort ? json : { ...json, next_cursor: last ? toCursor(last) : null } }
      },
    },
    {
      ...named('create'),
      ...proof.create,
      method: 'post',
      path,
      body: { schema: takenSchema(of, 'create'), example: exampleOf(of), isOfNoun: true },
      once: true,
      status: 201,
      answer: shownSchema(of, verbs.secret),
      ...(refuses && { refuses }),
      async run(room, { caller: { accountId: owner, actor }, body, once }) {
        const values = readNew(of, room, await prepare(room, body()))
        const remembered = await once(verbs.once, (idempotency) =>
          verbs.create(room, { owner, actor }, values, idempotency),
        )
        return { status: 201, json: (await verbs.created?.(room, owner, remembered)) ?? remembered }
      },
    },
    {
      ...named('get'),
      method: 'get',
      path: `${path}/{id}`,
      answer: shown,
      run: async (room, request) => ({ json: show(of, room, await verbs.get(room, ownOf(request))) }),
    },
    {
      ...named('change'),
      ...proof.change,
      method: 'put',
      path: `${path}/{id}`,
      body: { schema: takenSchema(of, 'change'), example: verbs.changeExample, isOfNoun: true },
      answer: shown,
      async run(room, request) {
        refuseUnknown(of, request.body())
        const body = await prepare(room, request.body())
        const changed = await verbs.change(room, ownOf(request), (held) => readChange(of, room, body, held))
        return { json: show(of, room, changed) }
      },
    },
    {
      ...named('delete'),
      method: 'delete',
      path: `${path}/{id}`,
      answer: DELETED,
      async run(room, request) {
        const own = ownOf(request)
        await verbs.remove(room, own)
        return { json: { success: true, deleted: true, id: own.id } }
      },
    },
  ]
}

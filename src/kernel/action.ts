import type { Static, TObject, TSchema } from 'typebox'
import type { Ctx, Meter } from './ctx.ts'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './rights.ts'
import type { NodeRequest } from './nano/node-request.ts'
import type { Json, JsonObject } from './shape.ts'

/** The credential that an action requires: none, a key that may be public, or a secret key. */
type KeyNeeded = 'none' | 'public-key' | 'secret-key'

/** A request at the node's endpoint: the name that the client used, and the fields as a node reads them. */
export interface NodeQuestion {
  name: string
  request: NodeRequest
}

/**
 * How an action of the node is served at the node's endpoint, where answers are exactly those of a node. By default the
 * question is passed on to a node with the fields of the input.
 */
interface NodeFace<R> {
  /** Names that only a node uses for it. */
  names?: readonly string[]
  /** Fields that a node reads, in addition to those of the input. */
  fields?: readonly string[]
  /** Refuses an invalid question with the node's error before the caller pays. */
  check?(question: NodeQuestion, context: R): void
  /** For an action with several operations: the scope of a question. */
  scopeWhen?(question: NodeQuestion): Scope
  run?(ctx: Ctx, question: NodeQuestion, context: R): Promise<Json> | Json
}

/** An operation of an action that agents get as a separate tool. */
export interface ActionTool {
  name: string
  summary: string
  /** Names or synonyms of the action's fields, required ones first. */
  fields: readonly string[]
  required: number
  /** The values of the fields that select the operation. */
  fixed: Readonly<Record<string, Json>>
  output: TSchema
  scope: Scope
  acts: boolean
  /** Whether it deletes or overwrites something that cannot be restored. */
  destructive?: true
  /** Whether repeating it has no further effect. */
  idempotent?: true
}

/**
 * One operation of the RPC endpoint, with everything about it; validation and documentation are derived from this. `R`
 * is the context that its module was opened with.
 */
export interface Action<R = never, S extends TObject = TObject> {
  name: string
  synonyms?: readonly string[]
  /** Synonyms that a node does not know. */
  ownSynonyms?: readonly string[]
  summary: string
  /**
   * Set if nodes have this action, too. Wrong input then gets the node's error, and flags are read like a node reads
   * them.
   */
  ofNode?: true
  /** What is different at the node's endpoint, except for passing the question on. */
  asNode?: NodeFace<R>
  input: S
  /** Its operations as tools for agents, which then do not see the action itself. */
  tools?: readonly ActionTool[]
  /** Synonyms of input fields, each with the field that it stands for. */
  fieldSynonyms?: Readonly<Record<string, string>>
  /** Fields that decide what is done. `null` and `""` are refused in these; in other fields they count as absent. */
  neverEmpty?: readonly string[]
  /** Fields that standard clients send although nothing uses them: named in `X-Ignored-Fields` instead of refused. */
  unusedByClients?: readonly string[]
  example: { request: Record<string, Json>; response: Json }
  /** The schema of a successful answer; a refusal of the ledger has an `error` instead. */
  output: TSchema
  auth: KeyNeeded
  /** The scope that a secret key needs for it. */
  scope: Scope
  /** For an action with several operations: the scope of an input. */
  scopeWhen?(input: Static<S>): Scope
  /**
   * It changes nothing and depends only on the ledger, so its answer may be remembered as long as the node's answer.
   */
  readOnly?: true
  /** Answered without asking a node. */
  local?: true
  /**
   * Codes of refusals specific to this action, each with its reason; those for wrong fields, keys and limits are not
   * listed.
   */
  errors?: Readonly<Partial<Record<ErrorCode, string>>>
  /** Refusals of the ledger, which have status 200. */
  refusals?: readonly string[]
  /** What is counted and, beyond the free amount, costs credits. */
  meter?: Meter
  /** It moves money or makes something. A repetition with the same Idempotency-Key acts once. */
  once?: true
  /** For an action with several operations: whether an input does that. */
  onceWhen?(input: Static<S>): boolean
  /** Throws for input that fits the schema but that `run` would refuse anyway. Runs before the caller is charged. */
  check?(input: Static<S>, context: R): void
  run(ctx: Ctx, input: Static<S>, context: R): Promise<Json> | Json
}

/** Declares an action; helps the compiler to infer types. */
export function action<S extends TObject, R = unknown>(definition: Action<R, S>): Action<R> {
  return definition
}

type OfNode = 'ofNode' | 'auth' | 'scope' | 'readOnly'

/** Declares an action that nodes have, too, which only reads and needs no key. Without `run` a node is asked. */
export const nodeRead = <S extends TObject, R = unknown>(
  definition: Omit<Action<R, S>, OfNode | 'run'> & Partial<Pick<Action<R, S>, 'run'>>,
): Action<R> =>
  action<S, R>({
    run: async ({ node }, params) => (await node.read(definition.name, params)) as JsonObject,
    ...definition,
    ofNode: true,
    auth: 'none',
    scope: 'read',
    readOnly: true,
  })

/** Whether an action may move money or make something. */
export const mayAct = ({ once, onceWhen }: Pick<Action, 'once' | 'onceWhen'>): boolean =>
  once !== undefined || onceWhen !== undefined

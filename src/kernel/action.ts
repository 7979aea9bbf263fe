import type { Static, TObject, TSchema } from 'typebox'
import type { Ctx, Meter } from './ctx.ts'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './rights.ts'
import type { NodeRequest } from './nano/node-request.ts'
import type { Json } from './shape.ts'

/** The credential that a caller needs: none, a key that may be public in a browser, or a secret one. */
type KeyNeeded = 'none' | 'public-key' | 'secret-key'

/** A request at the node's own endpoint: the name that was called, and the fields as the node reads them. */
export interface NodeQuestion {
  name: string
  request: NodeRequest
}

/**
 * How an action of the node is served at the node's own endpoint, where answers are exactly the node's. By default the question is
 * passed on to a node, with the fields of the input.
 */
interface NodeFace<R> {
  /** Names that only a node has for it. */
  names?: readonly string[]
  /** Fields that the node reads, beside those of the input. */
  fields?: readonly string[]
  /** Refuses invalid questions with the node's error, before anything is paid for. */
  check?(question: NodeQuestion, context: R): void
  /** The scope by question, for an action of several operations. */
  scopeWhen?(question: NodeQuestion): Scope
  run?(ctx: Ctx, question: NodeQuestion, context: R): Promise<Json> | Json
}

/** An operation of an action that agents get as a tool of its own: what it asks for, and what it does. */
export interface ActionTool {
  name: string
  summary: string
  /** Fields of the action, under their names or synonyms; the required ones first. */
  fields: readonly string[]
  required: number
  /** Fields that select the operation. */
  fixed: Readonly<Record<string, Json>>
  output: TSchema
  scope: Scope
  acts: boolean
  /** Whether it takes away what cannot be brought back. */
  destructive?: true
  /** Whether it does nothing more when it is repeated. */
  idempotent?: true
}

/**
 * One operation of the RPC endpoint, with everything about it: the single source of validation and documentation. `R` is the context
 * with which its module was opened.
 */
export interface Action<R = never, S extends TObject = TObject> {
  name: string
  synonyms?: readonly string[]
  /** The synonyms that the node does not have. */
  ownSynonyms?: readonly string[]
  summary: string
  /** Set where the node has the action too: wrong input is refused with the node's error, and flags are read as by the node. */
  ofNode?: true
  /** How it differs at the node's own endpoint from passing the question on. */
  asNode?: NodeFace<R>
  input: S
  /** Its operations as tools of agents, which then do not see the action itself. */
  tools?: readonly ActionTool[]
  /** Other names of input fields, each with the name it replaces. */
  fieldSynonyms?: Readonly<Record<string, string>>
  /** Fields that decide what is done: `null` and `""` are refused in them; in all other fields they count as absent. */
  neverEmpty?: readonly string[]
  /** Fields that stock clients send and that are not used: they are named in `X-Ignored-Fields` instead of being refused. */
  unusedByClients?: readonly string[]
  example: { request: Record<string, Json>; response: Json }
  /** The schema of a success; refusals of the ledger have an `error` instead. */
  output: TSchema
  auth: KeyNeeded
  /** The scope that a secret key needs for it. */
  scope: Scope
  /** The scope by input, for an action of several operations. */
  scopeWhen?(input: Static<S>): Scope
  /** Changes nothing, and depends on the ledger alone: its answer may be remembered as long as the node's answer is. */
  readOnly?: true
  /** Answered without asking a node. */
  local?: true
  /** Codes of its own refusals, beside wrong fields, keys and limits, each with its reason. */
  errors?: Readonly<Partial<Record<ErrorCode, string>>>
  /** Refusals of the ledger itself, as answers of status 200. */
  refusals?: readonly string[]
  /** What is counted and, beyond the free amount, paid for with credits. */
  meter?: Meter
  /** Moves money or makes something: repeated with the same Idempotency-Key, it acts once. */
  once?: true
  /** The same by input, for an action of several operations. */
  onceWhen?(input: Static<S>): boolean
  /** Throws for input that fits the schema but that `run` would refuse anyway. Called before the caller is charged. */
  check?(input: Static<S>, context: R): void
  run(ctx: Ctx, input: Static<S>, context: R): Promise<Json> | Json
}

/** Declares an action; the function only helps the compiler to infer types. */
export function action<S extends TObject, R = unknown>(definition: Action<R, S>): Action<R> {
  return definition
}

/** Whether an action may move money or make something. */
export const mayAct = ({ once, onceWhen }: Pick<Action, 'once' | 'onceWhen'>): boolean =>
  once !== undefined || onceWhen !== undefined

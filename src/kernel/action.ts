import type { Static, TObject, TSchema } from 'typebox'
import type { Ctx, Meter } from './ctx.ts'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './rights.ts'
import type { NodeRequest } from './nano/node-request.ts'
import type { Json } from './shape.ts'

/** What a caller must show: nothing, a key that may live in a browser, or a secret one. */
type KeyNeeded = 'none' | 'public-key' | 'secret-key'

/** A request at the node's own door: the name that was called, and the fields as the node reads them. */
export interface NodeQuestion {
  name: string
  request: NodeRequest
}

/**
 * How an action of the node is served at the node's own door, where its answers are the node's to the letter. By itself the
 * question is passed on to a node, with the fields of the input.
 */
interface NodeFace<R> {
  /** What the node reads beside the fields of the input. */
  fields?: readonly string[]
  /** Refuses in the node's words what cannot be meant, before anything is paid for. */
  check?(question: NodeQuestion, room: R): void
  run?(ctx: Ctx, question: NodeQuestion, room: R): Promise<Json> | Json
}

/**
 * One operation of the RPC endpoint, with everything about it: the single source of validation and documentation. `R` is the
 * room it belongs to: what its module was given when it was opened.
 */
export interface Action<R = never, S extends TObject = TObject> {
  name: string
  synonyms?: readonly string[]
  /** Those of the synonyms that the node does not have. */
  ownSynonyms?: readonly string[]
  summary: string
  /** An action that the node has too: wrong input is refused in its words, and a flag means what it means to the node. */
  ofNode?: true
  /** What differs from passing the question on, at the node's own door. */
  asNode?: NodeFace<R>
  input: S
  /** Other names of input fields, each with the name it stands for. */
  fieldSynonyms?: Readonly<Record<string, string>>
  /** Fields that decide what is done: `null` and `""` in them are refused, where elsewhere they are absent. */
  neverEmpty?: readonly string[]
  /** What stock clients send and a service action does not use: named in `X-Ignored-Fields`, where any other unknown field is refused. */
  unusedByClients?: readonly string[]
  example: { request: Record<string, Json>; response: Json }
  /** What a success looks like; the ledger's refusals have an `error` instead. */
  output: TSchema
  auth: KeyNeeded
  /** What a secret key must be let do for it. */
  scope: Scope
  /** The same for an action of several operations, of which some need another. */
  scopeWhen?(input: Static<S>): Scope
  /** Changes nothing, and rests on the ledger alone: the answer to a repeated question may be remembered as long as the node's is. */
  readOnly?: true
  /** Answered without asking a node. */
  local?: true
  /** What it can be refused with, beside wrong fields, keys and limits: each code with its reason. */
  errors?: Readonly<Partial<Record<ErrorCode, string>>>
  /** Texts with which the ledger itself refuses, as answers of status 200. */
  refusals?: readonly string[]
  /** What is counted and, beyond what is free, paid for with credits. */
  meter?: Meter
  /** Money moves or something is made: repeated requests with an Idempotency-Key act once. */
  once?: true
  /** The same for an action of several operations, of which only some change anything. */
  onceWhen?(input: Static<S>): boolean
  /** Refuses what no schema can say, before anything is paid for: input that `run` would refuse in any case. */
  check?(input: Static<S>, room: R): void
  run(ctx: Ctx, input: Static<S>, room: R): Promise<Json> | Json
}

/** Declares an action; it exists for the types. */
export function action<S extends TObject, R = unknown>(definition: Action<R, S>): Action<R> {
  return definition
}

/** Whether money may move through an action, or something be made. */
export const mayAct = ({ once, onceWhen }: Pick<Action, 'once' | 'onceWhen'>): boolean =>
  once !== undefined || onceWhen !== undefined

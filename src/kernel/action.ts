import type { Static, TObject, TSchema } from 'typebox'
import type { Ctx, Meter } from './ctx.ts'
import type { ErrorCode } from './errors.ts'
import type { Json } from './shape.ts'

/** What a caller must show: nothing, a key that may live in a browser, or a secret one. */
type Door = 'none' | 'public-key' | 'secret-key'

/** How long an answer may be remembered; the rule itself belongs to the node's policy. */
type CachingClass = 'local' | 'immutable' | 'events' | 'short' | 'never'

/** One operation of the RPC endpoint, with everything about it: the single source of validation and documentation. */
export interface Action<S extends TObject = TObject> {
  name: string
  synonyms?: readonly string[]
  summary: string
  /** An action that the node has too: wrong input is refused in its words, and a flag means what it means to the node. */
  ofNode?: true
  input: S
  /** Other names of input fields, each with the name it stands for. */
  fieldSynonyms?: Readonly<Record<string, string>>
  example: { request: Record<string, Json>; response: Json }
  /** What a success looks like; the ledger's refusals have an `error` instead. */
  output: TSchema
  auth: Door
  caching: CachingClass
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
  check?(limits: Pick<Ctx, 'limits' | 'thresholds'>, input: Static<S>): void
  run(ctx: Ctx, input: Static<S>): Promise<Json> | Json
}

/** Declares an action; it exists for the types. */
export function action<S extends TObject>(definition: Action<S>): Action {
  return definition
}

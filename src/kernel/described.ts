import Type, { type TSchema } from 'typebox'
import type { Action } from './action.ts'
import type { Json } from './shape.ts'

interface Query {
  name: string
  schema: TSchema
  description: string
}

/**
 * The documentation of a route that is not an action, declared beside the route. A test calls every documented route.
 */
export interface Described {
  method: 'get' | 'post' | 'put' | 'delete'
  /** With the names of its parameters in braces. */
  path: string
  /** The operation id, from which generators name functions. */
  id: string
  tag: string
  summary: string
  /** `anybody` needs no credential; `account` and `administrator` need a secret key or a session. */
  who: 'anybody' | 'account' | 'administrator'
  query?: readonly Query[]
  body?: {
    schema: TSchema
    example?: Json
    required?: false
    /** Synonyms of its fields, as in the action. */
    synonyms?: Readonly<Record<string, string>> | undefined
    /** Set if a declared resource reads the body, and refuses unknown fields (`resource/read.ts`). */
    isOfResource?: true
  }
  /** A repetition with the same Idempotency-Key acts once. */
  once?: true
  status?: 201
  answer: TSchema
  /** The content type of the answer, if it is not JSON. */
  type?: 'text/csv' | 'text/event-stream'
  /** Additional statuses of refusals. */
  refuses?: readonly number[]
  /** An answer that is neither a success nor a refusal in the usual format. */
  otherwise?: { status: number; schema: TSchema }
}

/** The body of a route with the fields of an action, except those that it does not use or that are in its path. */
export function bodyOfAction(
  { input, fieldSynonyms = {}, example }: Action,
  ...without: readonly string[]
): Required<Pick<NonNullable<Described['body']>, 'schema' | 'example' | 'synonyms'>> {
  const isTaken = (name: string) => !without.includes(name)
  return {
    schema: Type.Object(Object.fromEntries(Object.entries(input.properties).filter(([name]) => isTaken(name)))),
    synonyms: Object.fromEntries(Object.entries(fieldSynonyms).filter(([, name]) => isTaken(name))),
    example: example.request,
  }
}

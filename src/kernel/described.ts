import Type, { type TSchema } from 'typebox'
import type { Action } from './action.ts'
import type { Json } from './shape.ts'

interface Query {
  name: string
  schema: TSchema
  description: string
}

/** A route beside the actions, as its readers need it. It stands beside the route in its room; a test asks all of them. */
export interface Described {
  method: 'get' | 'post' | 'put' | 'delete'
  /** With the names of its parameters in braces. */
  path: string
  /** What generators call it. */
  id: string
  tag: string
  summary: string
  /** `anybody` needs nothing; `account` and `administrator` need a secret key or a session. */
  who: 'anybody' | 'account' | 'administrator'
  query?: readonly Query[]
  body?: {
    schema: TSchema
    example?: Json
    required?: false
    /** Other names of its fields, as the action has them. */
    synonyms?: Readonly<Record<string, string>> | undefined
    /** A declared noun reads it, and refuses what it does not know (`resource/read.ts`). */
    isOfNoun?: true
  }
  /** Repeated with the same Idempotency-Key it acts once. */
  once?: true
  status?: 201
  answer: TSchema
  /** What the answer is written in, where it is not JSON. */
  type?: 'text/csv' | 'text/event-stream'
  /** Further statuses of refusals. */
  refuses?: readonly number[]
  /** An answer that is neither success nor a refusal in the usual form. */
  otherwise?: { status: number; schema: TSchema }
}

/** The body of a route that takes the fields of an action, less those that the route does not use or has in its path. */
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

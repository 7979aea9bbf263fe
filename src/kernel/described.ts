import type { TSchema } from 'typebox'
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
  body?: { schema: TSchema; example?: Json; required?: false }
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

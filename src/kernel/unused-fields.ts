import type { Action } from './action.ts'
import type { Described } from './described.ts'
import { badField } from './errors.ts'

/* What a request has and nobody uses. A misspelt field would otherwise pass without a word: `titel` makes a page without a title. */

/** Read before any action or route sees the body. */
const EVERYWHERE = ['key', 'idempotency_key']
const NAMES_MAX = 20
/** Names are short; keys, seeds and signatures, which a caller may send in the wrong place, are not, and are not repeated. */
const NAME_CHARACTERS_MAX = 32

type Fields = Readonly<Record<string, unknown>>

/** What becomes of the fields that an action does not use. */
export interface UnusedFields {
  /** Their names, as a header can carry them; undefined where there are none. */
  ignored(body: Fields): string | undefined
  /** Refuses them (400); those of the node's actions, and what stock clients send to the service's, are ignored instead. */
  refuse(body: Fields): void
}

export function unusedOf({ input, fieldSynonyms = {}, ofNode, unusedByClients = [] }: Action): UnusedFields {
  const used = new Set(['action', ...EVERYWHERE, ...Object.keys(input.properties), ...Object.keys(fieldSynonyms)])
  const accepted = new Set([...used, ...unusedByClients])
  return {
    ignored(body) {
      let ignored: string[] | undefined
      for (const field in body) if (!used.has(field)) (ignored ??= []).push(field)
      return ignored?.slice(0, NAMES_MAX).map(toToken).join(', ')
    },
    refuse: ofNode ? () => undefined : (body) => refuseOthers(accepted, body),
  }
}

/**
 * Refuses the fields of a body and the parameters of a query that a route does not use; a route that is not described uses none. A noun
 * that reads the body names them with everything else that is wrong.
 */
export function unusedOfRoute({ query = [], body }: Pick<Described, 'query' | 'body'> = {}) {
  const parameters = new Set(['key', ...query.map(({ name }) => name)])
  const { properties = {} } = (body?.schema ?? {}) as { properties?: object }
  const fields = new Set([...EVERYWHERE, ...Object.keys(properties), ...Object.keys(body?.synonyms ?? {})])
  return (request: { query: Fields; body(): Fields }): void => {
    refuseOthers(parameters, request.query)
    for (const [name, value] of Object.entries(request.query)) {
      if (Array.isArray(value) && name !== 'key') throw badField(name, `${name} was given more than once.`)
    }
    if (!body?.isOfNoun) refuseOthers(fields, request.body())
  }
}

function refuseOthers(used: ReadonlySet<string>, given: Fields): void {
  for (const field in given) {
    if (used.has(field)) continue
    const name = callable(field)
    throw badField(name, `The field ${name} is not used here.`)
  }
}

export const LONG_NAME = '(a long name)'

/** A field that nobody uses, as a refusal may name it. */
export const callable = (field: string) => (field.length > NAME_CHARACTERS_MAX ? LONG_NAME : field.toWellFormed())

/** Whether a field of a body is none of a route's own. */
export const isReadElsewhere = (field: string) => EVERYWHERE.includes(field)

/** The caller chose these names: in a header only letters, digits and a few signs stand as they are. */
const toToken = (field: string) =>
  field.length > NAME_CHARACTERS_MAX ? LONG_NAME : encodeURIComponent(field.toWellFormed())
